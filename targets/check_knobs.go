package targets

import (
	"slices"
	"strings"
)

func checkKey(d *decoder, k Key) {
	switch k.In {
	case InNone:
	case InBody:
		if _, err := pointerTokens(k.Name); err != nil {
			d.fail("key.name", "for example /idempotency_key", "key.name: in a body the name is a JSON pointer: %s", err)
		}
	case InHeader:
		if err := headerOK(k.Name, ""); err != nil {
			d.fail("key.name", "", "key.name: %s", err)
		}
	case InDirective:
		if _, _, err := splitDirective(k.Name); err != nil {
			d.fail("key.name", "for example idempotent(key)", "key.name: %s", err)
		}
	default:
		if k.Name == "" {
			d.missing("key", "", "key needs a name")
		}
	}
	for i, m := range k.Methods {
		if m == "" || m != strings.ToUpper(m) {
			d.fail(item("key.methods", i), "", "key.methods: %q is no method in capital letters", m)
		}
	}
	checkCompanions(d, k)
	checkLengths(d, k)
}

func checkCompanions(d *decoder, k Key) {
	for name, value := range k.Companions {
		if err := headerOK(name, value); err != nil {
			d.fail("key.companions", "", "key.companions: %s", err)
		}
		for _, v := range templateNames(value) {
			if known := []string{"first_sent", "key", "now"}; !slices.Contains(known, v) {
				d.fail("key.companions."+name, suggest(v, known), "key.companions: {{%s}} has no value here", v)
			}
		}
	}
}

func checkLengths(d *decoder, k Key) {
	switch {
	case k.MaxLength < 0:
		d.fail("key.max_length", "", "key.max_length must not be negative")
	case k.MinLength < 0:
		d.fail("key.min_length", "", "key.min_length must not be negative")
	case k.MaxLength > 0 && k.MinLength > k.MaxLength:
		d.fail("key.min_length", "", "key: min_length is longer than max_length")
	case k.MaxLength > 0 && k.MaxLength < uuidLength && (k.Generator == GeneratorUUID4 || k.Generator == GeneratorUUID5):
		d.fail("key.generator", "take random", "key.generator: a UUID has %d characters, and max_length allows %d", uuidLength, k.MaxLength)
	}
}

// checkMembers refuses members of a clause that have a meaning only in another one, and holds the others against their
// forms.
func checkMembers(d *decoder, c namedClause) {
	for _, m := range []struct {
		name    string
		given   bool
		belongs []string
	}{
		{"headers", len(c.clause.Headers) > 0, []string{"replay"}},
		{"flag", c.clause.Flag != nil, []string{"replay"}},
		{"id", c.clause.ID != "", []string{"replay", "mismatch", "in_flight"}},
		{"compares", len(c.clause.Compares) > 0, []string{"mismatch"}},
		{"min_wait", c.clause.MinWait != 0, []string{"in_flight"}},
		{"max_wait", c.clause.MaxWait != 0, []string{"in_flight"}},
	} {
		if m.given && !slices.Contains(m.belongs, c.path) {
			d.fail(c.path+"."+m.name, "it belongs to "+strings.Join(m.belongs, ", "), "%s.%s has no meaning there", c.path, m.name)
		}
	}
	if c.clause.ID != "" {
		checkID(d, c.path+".id", c.clause.ID)
	}
	checkCode(d, c.path+".flag", c.clause.Flag)
	for i, part := range c.clause.Compares {
		if strings.HasPrefix(part, "/") {
			checkPointer(d, item(c.path+".compares", i), part)
		} else {
			checkWord(d, item(c.path+".compares", i), part, ComparedParts())
		}
	}
}

// checkAsync holds the description of asynchronous answers against its forms.
func checkAsync(d *decoder, a *Async) {
	if a == nil {
		return
	}
	checkStatuses(d, "async", a.Status, nil)
	for name, at := range map[string]string{"job": a.Job, "result": a.Result} {
		if at != "" {
			checkPlace(d, "async."+name, at)
		}
	}
	if a.ID != "" {
		checkID(d, "async.id", a.ID)
	}
	checkCode(d, "async.done", a.Done)
	checkCode(d, "async.failed", a.Failed)
}

// checkDelivery wants a receiver's profile to say what its sender does, and the places in it to be places.
func checkDelivery(d *decoder, p *Profile) {
	r := p.Delivery
	if r == nil {
		if p.Role == RoleReceiver {
			d.missing("", "which header or member identifies an event", "a receiver needs the clause delivery")
		}
		return
	}
	for i, status := range r.Ack {
		if status < 200 || status > 299 {
			d.fail(item("delivery.ack", i), "", "delivery.ack: %d is no status of a success", status)
		}
	}
	for name, list := range map[string]Strings{"identity": r.Identity, "fact": r.Fact, "renewed": r.Renewed, "attempt": {r.Attempt}} {
		for i, at := range list {
			checkMember(d, item("delivery."+name, i), at)
		}
	}
	if r.Tries < 0 {
		d.fail("delivery.tries", "", "delivery.tries must not be negative")
	}
	if s := r.Sign; s != nil {
		checkScheme(d, "delivery.sign", Sign{Scheme: s.Scheme, Header: s.Header})
	}
}

// checkMember wants header:NAME or a JSON pointer.
func checkMember(d *decoder, path, at string) {
	name, header := strings.CutPrefix(at, headerID)
	switch {
	case at == "":
	case !header:
		checkPointer(d, path, at)
	case headerOK(strings.TrimSpace(name), "") != nil:
		d.fail(path, "for example header:webhook-id", "%s: %q names no header", path, at)
	}
}

func checkCounting(d *decoder, p *Profile) {
	if p.Counting.Lookup != "" {
		if _, _, err := splitLine(p.Counting.Lookup); err != nil {
			d.fail("counting.lookup", "", "counting.lookup: %s", err)
		}
	}
	checkStatuses(d, "content_filter", p.ContentFilter.Status, nil)
	if len(p.ContentFilter.Members) > 0 {
		d.fail("content_filter.members", "say here what is compared by the owner's names for it (compares)",
			"content_filter.members: where they stand in a request is for a target file to say")
	}
}

func checkCode(d *decoder, at string, c *Code) {
	if c == nil {
		return
	}
	if c.At == "" {
		d.missing(at, "", "%s needs at, the place of the code", at)
		return
	}
	checkPlace(d, at+".at", c.At)
}

func checkRefused(d *decoder, r *Refused) {
	if r != nil {
		checkCode(d, "refused", &r.Code)
	}
}

func checkPointer(d *decoder, path, pointer string) {
	if _, err := pointerTokens(pointer); err != nil {
		d.fail(path, "", "%s: %s", path, err)
	}
}

func checkWords(d *decoder, path string, words Strings, known []string) {
	for i, w := range words {
		checkWord(d, item(path, i), w, known)
	}
}

func checkWord(d *decoder, path, word string, known []string) {
	if !slices.Contains(known, word) {
		d.fail(path, suggest(word, known), "%s: %q is not known", path, word)
	}
}
