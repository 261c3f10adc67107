package reports

import (
	"cmp"
	"fmt"
	"strings"
)

// proof is what the findings of a case stand on: the exchanges they name, and with them all that carried the same keys.
type proof struct{ names, keys map[string]bool }

func proofOf(c Case) proof {
	p := proof{map[string]bool{}, map[string]bool{}}
	for _, f := range c.Findings {
		for _, name := range f.Exchanges {
			p.names[name] = true
		}
	}
	for _, x := range c.Exchanges {
		if p.names[x.Name] && x.Key != "" {
			p.keys[x.Key] = true
		}
	}
	return p
}

func (p proof) covers(x Exchange) bool { return p.names[x.Name] || p.keys[x.Key] }

// spans gives the times from the first to the last attempt with each key that proves something.
func (p proof) spans(c Case) []timeSpan {
	byKey := map[string]int{}
	var out []timeSpan
	for _, x := range c.Exchanges {
		if !p.covers(x) {
			continue
		}
		i, known := byKey[x.Key]
		if !known {
			i = len(out)
			byKey[x.Key] = i
			out = append(out, timeSpan{x.Began, x.Began})
		}
		out[i].from, out[i].to = min(out[i].from, x.Began), max(out[i].to, x.Ended)
	}
	return out
}

func exchangeTick(x Exchange, short shortener) tick {
	name := x.Name
	for _, place := range []string{x.Namespace, x.Caller} {
		if place != "" {
			name += " (" + place + ")"
		}
	}
	t := tick{at: x.Began, end: max(x.Began, x.Ended), mark: "━"}
	if x.Status == 0 {
		t.mark = "×"
	}
	t.cells = [colCount]string{
		colKind: fmt.Sprintf("#%d", x.Conn), colName: clip(name, 28), colRequest: clip(x.Method+" "+pathOf(x.URL), 36),
		colOutcome: clip(answerText(x, short), 44),
	}
	if x.Key != "" {
		t.cells[colKey] = "key " + short.short(x.Key)
	}
	return t
}

func readingTick(g CaseReading, short shortener) tick {
	where := g.Observer
	for _, place := range []string{g.Operation, g.Namespace} {
		if place != "" {
			where += " (" + place + ")"
		}
	}
	text := fmt.Sprintf("%s: %d", where, g.Count)
	if len(g.IDs) > 0 {
		text += " (" + short.join(g.IDs, 3) + ")"
	}
	if g.Err != "" {
		text = where + ": could not count: " + g.Err
	}
	t := tick{at: g.AtMS, end: g.AtMS, mark: "◆", instant: true}
	t.cells = [colCount]string{colKind: "count", colName: clip(g.Label, 28), colOutcome: clip(text, 44)}
	return t
}

// pathOf gives what follows the host in a URL.
func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			return rest[i:]
		}
		return "/"
	}
	return url
}

// answerText says what came of an exchange: "201 created 7f3a", or why there is no answer.
func answerText(x Exchange, short shortener) string {
	parts := []string{fmt.Sprint(x.Status)}
	if x.Status == 0 {
		parts = []string{"no answer"}
		if why := cmp.Or(x.Fault, x.Failure, x.Err); why != "" {
			parts = append(parts, "("+why+")")
		}
	}
	if x.Disposition != "" && x.Disposition != NoAnswer {
		parts = append(parts, string(x.Disposition))
	}
	if x.ID != "" {
		parts = append(parts, short.short(x.ID))
	}
	return strings.Join(parts, " ")
}
