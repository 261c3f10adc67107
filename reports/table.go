package reports

import (
	"fmt"
	"strconv"
	"strings"
)

// narrow is the width below which the reason stands under its case.
const narrow = 80

// row is one case as one line.
type row struct {
	id, verdict, expected, found, reason string
	sgr                                  string
	whole                                bool // the reason is not cut: it says what to do, or is all that is known
}

func newRow(c Case, strict bool) row {
	r := row{
		id: c.ID, verdict: verdictWord(c, strict), reason: reasonText(c), sgr: verdictColor(c, strict),
		whole: c.Verdict != Pass && c.Verdict != Fail,
	}
	r.expected, r.found = countsText(c.Records)
	return r
}

// reasonText says why, beginning with the kind of the first finding that counts.
func reasonText(c Case) string {
	reason := c.Reason
	for _, f := range c.Findings {
		if f.Known != "" && c.BrokenLevel() != "" {
			continue
		}
		if c.Verdict == Fail && !strings.HasPrefix(reason, string(f.Kind)) {
			if reason == "" {
				reason = f.Message
			}
			reason = string(f.Kind) + ": " + reason
		}
		break
	}
	return reason
}

// countsText gives the records expected and found. Records of several namespaces or operations are joined by "+".
func countsText(tallies []Tally) (expected, found string) {
	var want, got []string
	for _, t := range tallies {
		if t.SideEffect {
			continue
		}
		want = append(want, t.Expected)
		if t.Found == nil {
			got = append(got, "?")
		} else {
			got = append(got, strconv.Itoa(*t.Found))
		}
	}
	if len(want) == 0 {
		return "", ""
	}
	for i, w := range want {
		if len(want) > 1 && strings.Contains(w, " ") {
			want[i] = "(" + w + ")"
		}
	}
	return strings.Join(want, "+") + " expected", strings.Join(got, "+") + " found"
}

func (p *page) table() {
	var rows []row
	var at columns
	for _, c := range p.r.Cases {
		r := newRow(c, p.r.About.Strict)
		if pre := p.r.Preflight; pre != nil && pre.Reason != "" && c.Reason == pre.Reason {
			r.reason = "" // it stands above the table, once
		}
		rows = append(rows, r)
		at.verdict = max(at.verdict, cells(r.verdict))
		at.expected, at.found = max(at.expected, cells(r.expected)), max(at.found, cells(r.found))
		if n := cells(r.id); n <= max(p.o.Width*3/10, 16) {
			at.id = max(at.id, n)
		}
	}
	for _, r := range rows {
		p.row(r, at)
	}
	p.gap()
}

// columns are the widths of the table's columns. A longer id has a line of its own.
type columns struct{ id, verdict, expected, found int }

func (p *page) row(r row, at columns) {
	front := pad("  "+r.id, at.id+4)
	if cells(r.id) > at.id {
		p.line("  %s", r.id)
		front = strings.Repeat(" ", at.id+4)
	}
	front += p.in(r.sgr, pad(r.verdict, at.verdict)) + "  "
	used := at.id + at.verdict + 6
	if r.expected != "" { // else the reason begins here: it is longest where nothing was counted
		front += pad(r.expected, at.expected) + "  " + pad(r.found, at.found) + "  "
		used += at.expected + at.found + 4
	}
	switch {
	case p.o.Width < narrow:
		p.line("%s", front)
		if r.reason != "" && r.verdict != "pass" {
			p.para(6, "", 0, r.reason)
		}
	case !r.whole:
		p.line("%s%s", front, clip(r.reason, p.o.Width-used))
	default:
		for _, part := range wrap(clip(r.reason, mostText), p.o.Width-used) {
			p.line("%s%s", front, part)
			front = strings.Repeat(" ", used)
		}
	}
}

// tallyText is one count in words: "tasks in other_tenant: 0 before, 1 expected, 2 found: 7f3a, 91cc".
func tallyText(t Tally, short shortener) string {
	name := t.Observer
	if t.Operation != "" {
		name += " of " + t.Operation
	}
	if t.Namespace != "" {
		name += " in " + t.Namespace
	}
	if t.SideEffect {
		name += " (side effect)"
	}
	found := "could not be counted"
	if t.Found != nil {
		found = fmt.Sprintf("%d found", *t.Found)
		if t.Inferred {
			found += ", inferred"
		}
	}
	text := fmt.Sprintf("%s: %d before, %s expected, %s", name, t.Before, t.Expected, found)
	if len(t.IDs) > 0 {
		text += " (" + short.join(t.IDs, 6) + ")"
	}
	return text
}
