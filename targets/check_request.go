package targets

import (
	"maps"
	"slices"
	"strings"
)

// checkRequests holds every request line and header of the file against what can be sent.
func checkRequests(d *decoder, t *Target) {
	for _, r := range requestsOf(t) {
		if r.line != "" {
			if _, _, err := splitLine(r.line); err != nil {
				d.fail(r.path, lineHint(r), "%s: %s", r.path, err)
			}
		}
	}
	for _, h := range headersOf(t) {
		for _, name := range slices.Sorted(maps.Keys(h.headers)) {
			if err := headerOK(name, h.headers[name]); err != nil {
				d.fail(h.path+"."+name, "", "%s: %s", h.path, err)
			}
		}
	}
}

// lineHint guesses what is meant by a line that is none: only the path, or a method in small letters.
func lineHint(r placedLine) string {
	method, path, ok := strings.Cut(strings.TrimSpace(r.line), " ")
	if strings.HasPrefix(method, "/") {
		usual := "POST"
		switch r.path[strings.LastIndex(r.path, ".")+1:] {
		case "read", "ready":
			usual = "GET"
		case "delete":
			usual = "DELETE"
		}
		return "did you mean \"" + usual + " " + method + "\"?"
	}
	if ok && method != strings.ToUpper(method) {
		return "did you mean \"" + strings.ToUpper(method) + " " + strings.TrimSpace(path) + "\"?"
	}
	return ""
}

type placedLine struct{ path, line string }

type placedHeaders struct {
	path    string
	headers map[string]string
}

func requestsOf(t *Target) []placedLine {
	var out []placedLine
	for _, op := range t.Operations {
		at := "operations." + op.Name
		out = append(out, placedLine{at + ".request", op.Line}, placedLine{at + ".read", op.Read}, placedLine{at + ".delete", op.Delete})
	}
	for i, o := range t.Observers {
		if o.List != nil {
			out = append(out, placedLine{item("observers", i) + ".list.request", o.List.Line})
		}
	}
	if t.Batch != nil {
		out = append(out, placedLine{"batch.request", t.Batch.Line})
	}
	if t.Receiver != nil {
		out = append(out, placedLine{"receiver.request", t.Receiver.Line}, placedLine{"receiver.delete", t.Receiver.Delete})
	}
	if t.Exhaust != nil {
		out = append(out, placedLine{"exhaust.request", t.Exhaust.Line})
	}
	if t.Relieve != nil {
		out = append(out, placedLine{"relieve.request", t.Relieve.Line})
	}
	if t.Approve != nil {
		out = append(out, placedLine{"approve.request", t.Approve.Line})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Callers)) {
		at, c := "callers."+name, t.Callers[name]
		if c.Revoke != nil {
			out = append(out, placedLine{at + ".revoke.request", c.Revoke.Line})
		}
		if c.Restore != nil {
			out = append(out, placedLine{at + ".restore.request", c.Restore.Line})
		}
	}
	return append(append(out, clockRequests(t.Clock)...), runRequests(t.Run)...)
}

func headersOf(t *Target) []placedHeaders {
	out := []placedHeaders{{"headers", t.Headers}, {"switches.slow", t.Switches.Slow}, {"switches.fail", t.Switches.Fail},
		{"switches.refuse", t.Switches.Refuse}}
	for _, op := range t.Operations {
		out = append(out, placedHeaders{"operations." + op.Name + ".headers", op.Headers})
	}
	if t.Receiver != nil {
		out = append(out, placedHeaders{"receiver.headers", t.Receiver.Headers})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Callers)) {
		out = append(out, placedHeaders{"callers." + name + ".headers", t.Callers[name].Headers})
	}
	for i, o := range t.Observers {
		if o.List != nil {
			out = append(out, placedHeaders{item("observers", i) + ".list.headers", o.List.Headers})
		}
	}
	given := t.Namespaces.Given()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		out = append(out, placedHeaders{"namespaces." + name + ".headers", given[name].Headers})
	}
	return append(out, clockHeaders(t.Clock)...)
}

// checkTemplates refuses a {{name}} that nothing will ever fill in. Templates were noted while the file was read.
func checkTemplates(d *decoder, t *Target) {
	for _, u := range d.templates {
		if strings.HasPrefix(u.path, "key.companions.") {
			continue // they have names of their own: see checkCompanions
		}
		if !slices.Contains(VarNames(), u.name) && !t.names(u.name) {
			d.errs = append(d.errs, &FileError{File: d.file, Line: u.at.line, Column: u.at.column,
				Msg: u.path + ": {{" + u.name + "}} is not known", Hint: suggest(u.name, VarNames())})
		}
	}
}

// usedTemplate is one {{name}} in a file.
type usedTemplate struct {
	path, name string
	at         place
}

// Mentions reports whether {{name}} reaches anything that a request sends.
func (r Request) Mentions(name string) bool {
	return mentions(r.Line, name) || r.Body.mentions(name) || anyMentions(valuesOf(r.Headers), name)
}

func anyMentions(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return mentions(s, name) })
}

func valuesOf(m map[string]string) []string { return slices.Collect(maps.Values(m)) }
