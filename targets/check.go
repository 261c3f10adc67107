package targets

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// check holds a target against what its fields must fit together to. Every mistake is noted at its place.
func check(d *decoder, t *Target) {
	checkIdentity(d, t)
	checkOperations(d, t)
	checkObservers(d, t)
	checkKeyOf(d, t)
	checkOverrides(d, t)
	checkFilter(d, t)
	checkRequests(d, t)
	checkTemplates(d, t)
	checkMarker(d, t)
	checkKnown(d, t)
	checkClock(d, t.Clock)
	checkRetry(d, t.Retry)
}

func checkIdentity(d *decoder, t *Target) {
	if t.Name == "" {
		d.missing("", "", "the target has no name: reports and known failures speak of it")
	}
	if t.URL == "" && !t.Run.Starts() {
		d.missing("", "", "url is required unless idemcheck starts the target itself (run.process, run.container)")
	}
	checkRun(d, t.Run)
	checkBatch(d, t.Batch)
	checkReceiver(d, t)
	checkURL(d, "url", t.URL)
	for i, r := range t.Replicas {
		checkURL(d, item("replicas", i), r)
	}
	given := t.Namespaces.Given()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		checkURL(d, "namespaces."+name+".url", given[name].URL)
	}
	if t.Limits.Records < 0 {
		d.fail("limits.records", "", "limits.records must not be negative")
	}
	if t.Revision != "" && t.Revision != "new_operation" {
		d.fail("revision", suggest(t.Revision, []string{"new_operation"}), "revision: %q is not known", t.Revision)
	}
}

const urlHint = "for example http://127.0.0.1:8080"

// checkURL wants an absolute http(s) address. The address itself stays out of the message: it may hold a password.
func checkURL(d *decoder, path, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(portless(address))
	switch {
	case err != nil:
		d.fail(path, urlHint, "%s: not a valid address", path)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		d.fail(path, urlHint, "%s: expected an absolute http or https address", path)
	case u.Fragment != "" || strings.Contains(address, "#"):
		d.fail(path, "", "%s: an address with a fragment (#) cannot be sent to", path)
	}
}

func checkOperations(d *decoder, t *Target) {
	if len(t.Operations) == 0 && t.Receiver == nil {
		d.missing("operations", "", "at least one operation is required, the first being the one that is tested")
	}
	for _, op := range t.Operations {
		at := "operations." + op.Name
		if op.Line == "" {
			d.missing(at, "for example `request: POST /v1/orders`", "%s needs a request line", at)
		}
		for i, m := range op.Material {
			checkMaterial(d, op, item(at+".material", i), m)
		}
		for _, c := range []struct {
			name   string
			change *Body
		}{{"invalid", op.Invalid}, {"large", op.Large}} {
			if c.change != nil && (c.change.root.kind != nodeObject || op.Body == nil || op.Body.root.kind != nodeObject) {
				d.fail(at+"."+c.name, "", "%s.%s: it changes members of the body, so both must be mappings", at, c.name)
			}
		}
		checkID(d, at+".id", op.ID)
	}
}

func checkMaterial(d *decoder, op Operation, at, name string) {
	if query, ok := strings.CutPrefix(name, "?"); ok {
		if name, _, pair := strings.Cut(query, "="); !pair || name == "" || strings.ContainsAny(query, " &#") {
			d.fail(at, "for example \"?dry_run=true\"", "%s: a query that matters is written ?name=value", at)
		}
		return
	}
	for _, m := range op.Body.Members() {
		if m == name {
			return
		}
	}
	if strings.HasPrefix(name, "/") && op.Body != nil {
		if tokens, err := pointerTokens(name); err == nil {
			if _, err := changeAt(op.Body.root, tokens); err == nil {
				return
			}
		}
	}
	d.fail(at, suggest(name, op.Body.Members()), "%s: the body of %s has no member %q", at, op.Name, name)
}

func checkKnown(d *decoder, t *Target) {
	for i, k := range t.Known {
		at := item("known", i)
		t.Known[i].Line = d.places[at].line
		for _, f := range []struct{ name, value string }{{"case", k.Case}, {"finding", k.Finding}, {"reason", k.Reason},
			{"until", k.Until}} {
			if f.value == "" {
				d.missing(at, "", "%s needs `%s`", at, f.name)
			}
		}
		if k.Until == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, k.Until); err != nil {
			d.fail(at+".until", "", "%s.until: expected a date such as 2027-01-31, found %q", at, k.Until)
		}
	}
}

// checkMarker makes sure that every record of a case can be told from all others: the marker must be in what is sent
// and in what is counted.
func checkMarker(d *decoder, t *Target) {
	if len(t.Operations) == 0 {
		return
	}
	const hint = "put it into a field that the target keeps and the observer can search"
	if main := t.Operations[0]; !main.Request.Mentions("marker") {
		d.missing("operations."+main.Name, hint, "operations.%s: {{marker}} must stand in the body of the main operation", main.Name)
	}
	if len(t.Observers) > 0 && !t.Observers[0].seesMarker() {
		d.missing("observers[0]", hint, "observers[0]: {{marker}} must stand in what the first observer asks")
	}
}

func (o Observer) seesMarker() bool {
	switch {
	case o.List != nil:
		return o.List.Request.Mentions("marker") || mentions(o.List.Where, "marker")
	case o.SQL != nil:
		return anyMentions(append(Strings{o.SQL.Query}, o.SQL.Args...), "marker")
	case o.Command != nil:
		return anyMentions(o.Command.Argv, "marker") || anyMentions(valuesOf(o.Command.Env), "marker")
	}
	return true // a sink and the answers are matched by the marker anyway
}
