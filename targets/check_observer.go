package targets

import (
	"fmt"
	"strings"

	"github.com/theory/jsonpath"
)

func checkObservers(d *decoder, t *Target) {
	seen := map[string]bool{}
	for i, o := range t.Observers {
		at := item("observers", i)
		switch {
		case o.Name == "":
			d.missing(at, "", "%s needs a name", at)
		case seen[o.Name]:
			d.fail(at+".name", "", "%s.name: another observer is named %q already", at, o.Name)
		}
		seen[o.Name] = true
		if o.Operation != "" && t.Operations.Named(o.Operation) == nil {
			d.missing(at+".operation", suggest(o.Operation, namesOf(t.Operations)), "%s.operation: there is no operation %q", at, o.Operation)
		}
		if kinds := o.kinds(); len(kinds) > 1 {
			d.fail(at+"."+kinds[1], "write two observers", "%s: an observer counts in one way, found %s", at, strings.Join(kinds, " and "))
		} else if len(kinds) == 0 {
			d.missing(at, "", "%s needs one of list, sql, command, sink, answers", at)
		}
		checkKinds(d, at, o)
	}
}

// kinds lists the ways of counting that an observer names.
func (o Observer) kinds() []string {
	var out []string
	for _, k := range []struct {
		name string
		set  bool
	}{{"list", o.List != nil}, {"sql", o.SQL != nil}, {"command", o.Command != nil}, {"sink", o.Sink != nil}, {"answers", o.Answers}} {
		if k.set {
			out = append(out, k.name)
		}
	}
	return out
}

func checkKinds(d *decoder, at string, o Observer) {
	if o.List != nil {
		checkList(d, at+".list", *o.List)
	}
	if o.SQL != nil {
		if o.SQL.DSN == "" {
			d.missing(at+".sql", "", "%s.sql needs a dsn", at)
		}
		if o.SQL.Query == "" {
			d.missing(at+".sql", "", "%s.sql needs a query", at)
		}
	}
	if o.Command != nil && len(o.Command.Argv) == 0 {
		d.missing(at+".command", "", "%s.command needs argv, the program and its arguments", at)
	}
	if o.Sink != nil {
		if (o.Sink.HTTP == "") == (o.Sink.SMTP == "") {
			d.missing(at+".sink", "", "%s.sink needs either http or smtp, an address to listen on", at)
		}
		checkPath(d, at+".sink.id", o.Sink.ID)
		checkPath(d, at+".sink.ref", o.Sink.Ref)
	}
}

func checkList(d *decoder, at string, l ListCall) {
	if l.Line == "" {
		d.missing(at, "for example `request: GET /v1/orders?q={{marker}}`", "%s needs a request line", at)
	}
	if l.Items == "" {
		d.missing(at, "for example `items: $.orders[*]`", "%s needs items, a JSONPath of what is counted", at)
	}
	checkPath(d, at+".items", l.Items)
	checkPath(d, at+".id", l.ID)
	checkPath(d, at+".ref", l.Ref)
	if l.Next != "link" {
		checkPath(d, at+".next", l.Next)
	}
	if l.Cursor != "" && (l.Next == "" || l.Next == "link") {
		d.missing(at+".cursor", "", "%s.cursor: next must be a JSONPath that finds the cursor", at)
	}
	if l.Page != "" && l.Next != "" {
		d.fail(at+".page", "", "%s: pages are numbered (page) or linked (next), not both", at)
	}
}

// checkPath wants an RFC 9535 JSONPath, where there is one.
func checkPath(d *decoder, at, path string) {
	if path == "" {
		return
	}
	if _, err := jsonpath.Parse(path); err != nil {
		msg := strings.TrimPrefix(err.Error(), jsonpath.ErrPathParse.Error()+": ")
		d.fail(at, "", "%s: %q is no JSONPath: %s", at, path, strings.TrimPrefix(msg, "jsonpath: "))
	}
}

// checkID wants a JSONPath, header:Name or xml:Name.
func checkID(d *decoder, at, id string) {
	name, ok := strings.CutPrefix(id, headerID)
	if !ok {
		if id != "" {
			checkPlace(d, at, id)
		}
		return
	}
	if err := headerOK(strings.TrimSpace(name), ""); err != nil {
		d.fail(at, "", "%s: %s", at, err)
	}
}

func namesOf(ops Operations) []string {
	out := make([]string, len(ops))
	for i, op := range ops {
		out[i] = op.Name
	}
	return out
}

func item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
