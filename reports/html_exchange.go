package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// exchangesAtMost is how many exchanges of one case are shown: a page with more is not read and not quick.
const exchangesAtMost = 300

// htmlExchange is one exchange. Its texts are visible; those of the bodies keep their lines.
type htmlExchange struct {
	Exchange
	Anchor   string
	Place    string // namespace and caller
	Outcome  string
	Took     string
	Times    string
	Sent     string // request line and headers
	Got      string // status line and headers; empty without an answer
	Why      string // why there is no answer
	Body     htmlBody
	Content  htmlBody
	Evidence bool // a finding stands on it
}

// htmlBody is a body as shown.
type htmlBody struct{ Text, Note string }

// htmlShown picks the exchanges to show, in order of sending. Where there are too many it takes the evidence, the
// beginning and the end.
func htmlShown(c Case) []int {
	order := make([]int, len(c.Exchanges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Exchanges[a].Began, c.Exchanges[b].Began) })
	if len(order) <= exchangesAtMost {
		return order
	}
	proof := proofOf(c)
	picked := map[int]bool{} // positions
	for at, i := range order {
		if proof.covers(c.Exchanges[i]) && len(picked) < exchangesAtMost/2 {
			picked[at] = true
		}
	}
	for at := 0; len(picked) < exchangesAtMost; at++ {
		picked[at] = true
		if len(picked) < exchangesAtMost {
			picked[len(order)-1-at] = true
		}
	}
	var out []int
	for _, at := range slices.Sorted(maps.Keys(picked)) {
		out = append(out, order[at])
	}
	return out
}

func htmlExchanges(raw, c Case, shown []int, anchor string, short shortener, form htmlForm) []htmlExchange {
	proof, first := proofOf(c), caseBegan(c)
	var out []htmlExchange
	for n, i := range shown {
		x := c.Exchanges[i]
		h := htmlExchange{
			Exchange: x, Outcome: answerText(x, short), Took: millis(x.Ended - x.Began), Times: htmlTimes(x, first),
			Evidence: proof.covers(x), Place: strings.TrimSpace(x.Namespace + " " + x.Caller),
		}
		if !form.Brief {
			h.Anchor = fmt.Sprintf("%s-x%d", anchor, n+1)
			h.Sent, h.Got, h.Why = htmlRequest(x), htmlAnswer(x), htmlWhy(x)
			h.Body, h.Content = newHTMLBody(raw.Exchanges[i].Body), newHTMLBody(raw.Exchanges[i].Content)
		}
		out = append(out, h)
	}
	return out
}

// caseBegan is when the first thing happened in a case; its timeline begins there.
func caseBegan(c Case) float64 {
	first, found := 0.0, false
	earlier := func(at float64) {
		if !found || at < first {
			first, found = at, true
		}
	}
	for _, x := range c.Exchanges {
		earlier(x.Began)
	}
	for _, g := range c.Readings {
		earlier(g.AtMS)
	}
	for _, f := range c.Faults {
		earlier(f.AtMS)
	}
	return first
}

// millis gives a time in milliseconds, with as many decimals as tell something.
func millis(ms float64) string {
	if ms >= 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f ms", ms)
}

func htmlTimes(x Exchange, first float64) string {
	parts := []string{"began at " + millis(x.Began-first)}
	if x.Wrote != nil {
		parts = append(parts, "wholly sent at "+millis(*x.Wrote-first))
	}
	if x.FirstByte != nil {
		parts = append(parts, "first answer byte at "+millis(*x.FirstByte-first))
	}
	return strings.Join(append(parts, "ended at "+millis(x.Ended-first)), " · ")
}

func htmlRequest(x Exchange) string {
	return strings.TrimSpace(x.Method+" "+x.URL+" "+x.Proto) + htmlHeaders(x.Header)
}

func htmlAnswer(x Exchange) string {
	if x.Status == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d", x.Proto, x.Status)) + htmlHeaders(x.Answer)
}

// htmlWhy says why there is no answer.
func htmlWhy(x Exchange) string {
	parts := slices.DeleteFunc([]string{x.Fault, unlike(x.Failure, x.Fault), x.Err}, func(s string) bool { return s == "" })
	return cmp.Or(strings.Join(parts, ": "), "no reason is known")
}

// htmlHeaders gives a line for each value. The values are visible, so none of them begins a line of its own.
func htmlHeaders(h map[string][]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			b.WriteString("\n" + name + ": " + value)
		}
	}
	return b.String()
}

func newHTMLBody(t Text) htmlBody {
	lines := strings.Split(t.Text, "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	b := htmlBody{Text: strings.Join(lines, "\n")}
	var notes []string
	switch {
	case t.Cut && !t.Base64:
		notes = append(notes, fmt.Sprintf("cut: the first %d of %d bytes are shown", len(t.Text), t.Size))
	case t.Cut:
		notes = append(notes, fmt.Sprintf("cut: the beginning of %d bytes is shown", t.Size))
	case t.Size > 0:
		notes = append(notes, plural(int(t.Size), "byte", "bytes"))
	default:
		notes = append(notes, "empty")
	}
	if t.Base64 {
		notes = append(notes, "not text, shown as base64")
	}
	if t.SHA256 != "" {
		notes = append(notes, "sha256 "+visible(t.SHA256))
	}
	b.Note = strings.Join(notes, " · ")
	return b
}

// htmlReading is one reading of an observer.
type htmlReading struct{ At, Label, Observer, Count, IDs string }

// readingsAtMost is how many readings of one case are listed.
const readingsAtMost = 300

func htmlReadings(c Case) []htmlReading {
	first := caseBegan(c)
	var out []htmlReading
	for _, g := range c.Readings[:min(len(c.Readings), readingsAtMost)] {
		r := htmlReading{At: millis(g.AtMS - first), Label: g.Label, Observer: readingPlace(g), Count: fmt.Sprint(g.Count),
			IDs: shortener(longestID).join(g.IDs, 200)}
		if g.Err != "" {
			r.Count, r.IDs = "?", "could not count: "+g.Err
		}
		out = append(out, r)
	}
	return out
}

// readingPlace names what a reading counted: the observer, the operation and the namespace.
func readingPlace(g CaseReading) string {
	place := g.Observer
	if g.Operation != "" {
		place += " of " + g.Operation
	}
	if g.Namespace != "" {
		place += " in " + g.Namespace
	}
	return place
}

// htmlCurl is a command that sends an attempt by hand, with the attempts that look the same.
type htmlCurl struct {
	Names, Command string
	Evidence       bool
}

// htmlCurls gives the commands, those that the findings stand on first.
func htmlCurls(c Case) []htmlCurl {
	proof, at := proofOf(c), map[string]int{}
	names := map[string][]string{}
	var out []htmlCurl
	for _, x := range c.Exchanges {
		if x.Purpose != PurposeAttempt || x.Curl == "" {
			continue
		}
		if _, ok := at[x.Curl]; !ok {
			at[x.Curl] = len(out)
			out = append(out, htmlCurl{Command: x.Curl})
		}
		name := x.Name
		if x.Fault != "" {
			name += " (" + x.Fault + ")"
		}
		names[x.Curl] = append(names[x.Curl], name)
		out[at[x.Curl]].Evidence = out[at[x.Curl]].Evidence || proof.covers(x)
	}
	for i := range out {
		out[i].Names = clip(strings.Join(names[out[i].Command], " · "), 300)
	}
	slices.SortStableFunc(out, func(a, b htmlCurl) int {
		switch {
		case a.Evidence == b.Evidence:
			return 0
		case a.Evidence:
			return -1
		}
		return 1
	})
	return out
}
