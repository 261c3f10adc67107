package reports

import (
	"cmp"
	_ "embed" // the template
	"fmt"
	"strings"
)

//go:embed html/payload.tmpl
var htmlPayloadTemplate string

// payloadRow is one change of a payload in words.
type payloadRow struct {
	Part, Change string
	Expected     string // "observed" where nothing was documented
	Came         string // "422 conflict"
	Verdict      Verdict
	Word, Glyph  string
	Tone         string
}

// observed stands where neither JSON nor the target file says whether a change matters.
const observed = "observed"

func newPayloadRow(c PayloadChange) payloadRow {
	r := payloadRow{Part: c.Part, Change: c.Change, Expected: cmp.Or(c.Expected, observed), Verdict: c.Verdict,
		Word: strings.ReplaceAll(c.Verdict.String(), "-", " "), Glyph: htmlGlyphs[c.Verdict], Tone: htmlTones[c.Verdict]}
	r.Came = cmp.Or(string(c.Disposition), noWord)
	if c.Status != 0 {
		r.Came = fmt.Sprint(c.Status) + " " + r.Came
	}
	if c.Expected == "" {
		r.Word = observed
	}
	return r
}

func payloadRows(c Case) []payloadRow {
	rows := make([]payloadRow, len(c.Changes))
	for i, one := range c.Changes {
		rows[i] = newPayloadRow(one)
	}
	return rows
}

// payloadSummary counts the changes: "16 changes: 6 as documented, 1 not, 9 observed".
func payloadSummary(list []PayloadChange) string {
	right, seen := 0, 0
	for _, c := range list {
		switch {
		case c.Expected == "":
			seen++
		case c.Verdict == Pass:
			right++
		}
	}
	return fmt.Sprintf("%s: %d as documented, %d not, %d observed", plural(len(list), "change", "changes"), right, len(list)-right-seen, seen)
}

// mostChanges bounds the rows that are shown: a body has no bound of its own.
const mostChanges = 60

// payload writes the table of a comparison of payloads:
//
//	payload        3 changes: 1 as documented, 1 not, 1 observed
//	   change      expected    came
//	✓  note        a mismatch  422 conflict
//	✕  spacing     a replay    422 conflict
//	–  event       observed    422 conflict
func (p *page) payload(c Case) {
	if len(c.Changes) == 0 {
		return
	}
	p.gap()
	p.para(2, "payload", labelColumn, payloadSummary(c.Changes))
	rows := payloadRows(c)
	rows = rows[:min(len(rows), mostChanges)]
	part, expected := cells("change"), cells("expected")
	for _, r := range rows {
		part, expected = max(part, min(cells(r.Part), leastPoint+8)), max(expected, min(cells(r.Expected), leastPoint))
	}
	line := func(mark, a, b, c string) {
		text := "  " + mark + "  " + pad(clipMiddle(a, part), part+2) + pad(clip(b, expected), expected+2)
		p.line("%s%s", text, clip(c, max(p.o.Width-part-expected-tableIndent-4, leastPoint)))
	}
	line(" ", "change", "expected", "came")
	for _, r := range rows {
		line(crashRow{Verdict: r.Verdict}.mark(p.paint), r.Part, r.Expected, r.Came)
	}
	p.gap()
}

// markdownPayload gives the table of a comparison of payloads; empty without one.
func markdownPayload(c Case) string {
	if len(c.Changes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(payloadSummary(c.Changes) + "\n\n" + tableHead("verdict", "change", "expected", "came"))
	rows := payloadRows(c)
	for _, r := range rows[:min(len(rows), mostChanges)] {
		word := r.Word
		if r.Verdict == Fail {
			word = "**fail**"
		}
		b.WriteString(tableRow(word, markdownText(clipMiddle(r.Part, 80), 150)+": "+markdownText(clip(r.Change, 80), 150), markdownText(r.Expected, 80), markdownText(r.Came, 80)))
	}
	return b.String() + "\n"
}

// htmlPayload is the table of a comparison of payloads. Its texts are visible.
type htmlPayload struct {
	N       int
	Summary string
	Rows    []payloadRow
	Left    int
}

// newHTMLPayload gives the table; nil without one.
func newHTMLPayload(c Case) *htmlPayload {
	if len(c.Changes) == 0 {
		return nil
	}
	rows := payloadRows(c)
	shown := rows[:min(len(rows), htmlOtherRows)]
	return &htmlPayload{N: len(rows), Summary: payloadSummary(c.Changes), Rows: shown, Left: len(rows) - len(shown)}
}
