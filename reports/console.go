package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// ConsoleOptions say how the report for people is written.
type ConsoleOptions struct {
	Color     bool
	Width     int  // columns; 0: 100
	Verbose   bool // every case in detail, nothing left out
	Announced bool // the head was printed already, by Live
}

// Console writes the report for people: a head, one line per case, a summary, and whatever did not pass in detail.
//
//	K1               pass           1 expected  1 found   replayed, names task 7f3a
//	double-send      FAIL           1 expected  2 found   duplicate: 2 records for one key
//
//	29 cases: 27 pass, 1 fail, 1 not applicable · 1.8 s · 61 records created, 61 removed
//
// It is what a terminal shows, so every character of the report that does not print is written as an escape.
func Console(w io.Writer, r Report, o ConsoleOptions) error {
	if o.Width <= 0 {
		o.Width = 100
	}
	p := &page{r: visibleCopy(r), o: o, paint: paint(o.Color)}
	if !o.Announced {
		p.head()
	}
	p.distrust()
	p.table()
	p.summary()
	p.details()
	p.warnings()
	p.left()
	p.stale()
	p.outcome()
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("write the console report: %w", err)
	}
	return p.err
}

// page is a console report while it is written.
type page struct {
	strings.Builder
	paint
	r Report // visible already
	o ConsoleOptions

	err error // what could not be read back
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// mostText is the longest text that is printed whole: what a target answers has no bound of its own.
const mostText = 2000

// para writes text, broken to the width, below and beside its label.
func (p *page) para(indent int, label string, labelWidth int, text string) {
	margin := strings.Repeat(" ", indent)
	for i, l := range wrap(clip(text, mostText), max(p.o.Width-indent-labelWidth, 20)) {
		if i > 0 {
			label = ""
		}
		p.line("%s%s%s", margin, p.in(sgrDim, pad(label, labelWidth)), l)
	}
}

// gap leaves one blank line.
func (p *page) gap() {
	if !strings.HasSuffix(p.String(), "\n\n") {
		p.line("")
	}
}

func (p *page) head() {
	for _, parts := range headParts(p.r.About) {
		for _, l := range flow(parts, " · ", p.o.Width) {
			p.line("%s", l)
		}
	}
	p.line("")
}

// headParts says, line by line, what is tested, how, and what that will do to it.
func headParts(a RunStarted) [][]string {
	what := []string{a.Tool}
	if !a.Embedded {
		what = append(what, a.Target)
	}
	if a.About != a.URL {
		what = append(what, a.About)
	}
	if !a.Embedded {
		what = append(what, a.URL)
	}
	how := []string{}
	if a.Profile != "" {
		how = append(how, "profile "+a.Profile)
	}
	switch {
	case a.Inferred:
		how = append(how, "no observer, records are inferred from the answers")
	case len(a.Observers) > 0:
		how = append(how, "counted by "+strings.Join(a.Observers, ", "))
	}
	how = append(how, fmt.Sprintf("seed %d", a.Seed))
	switch {
	case len(a.Shards) > 0:
		how = append(how, fmt.Sprintf("merged of %s", plural(len(a.Shards), "shard", "shards")))
	case a.Shard != "":
		how = append(how, "shard "+a.Shard)
	}
	does := fmt.Sprintf("creates at most %s, with at most %s", plural(a.MaxRecords, "record", "records"),
		plural(a.MaxRequests, "request", "requests"))
	what = slices.DeleteFunc(what, func(s string) bool { return s == "" })
	return [][]string{what, how, {does}}
}

// distrust says in front of everything else that the counts prove nothing.
func (p *page) distrust() {
	f := p.r.Preflight
	if f == nil || f.Trusted && f.Finding == nil && !f.Stop {
		return
	}
	title := "the counts are not trusted"
	switch {
	case f.Stop:
		title = "the target could not be tried"
	case f.Finding != nil:
		title = "the preflight failed: " + string(f.Finding.Kind)
	}
	p.line("%s", p.in(sgrYellow, title))
	if f.Finding != nil && f.Finding.Message != f.Reason {
		p.para(2, "", 0, f.Finding.Message)
	}
	if f.Reason != "" {
		p.para(2, "", 0, f.Reason)
	}
	if len(f.Counts) > 0 {
		p.line("  counted %s where 0, 1, 2 are right", joinInts(f.Counts))
	}
	if len(f.IDs) > 0 {
		p.para(2, "", 0, "the answers named "+strings.Join(f.IDs, ", "))
	}
	p.line("")
}

func joinInts(ns []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ns)), ", "), "[]")
}

// summary counts the cases. Verdicts that no case has are left out.
func (p *page) summary() {
	s := p.r.Summary
	var parts []string
	for _, part := range []struct {
		n    int
		word string
		sgr  string
	}{
		{s.Pass, "pass", sgrGreen}, {s.Fail, "fail", sgrRed}, {s.Error, "error", sgrMagenta},
		{s.Inconclusive, "inconclusive", sgrYellow}, {s.NotApplicable, "not applicable", ""}, {s.NotRun, "not run", ""},
	} {
		if part.n > 0 {
			text := fmt.Sprintf("%d %s", part.n, part.word)
			if part.word == "fail" && s.Known > 0 {
				text += fmt.Sprintf(" (%d known)", s.Known)
			}
			parts = append(parts, p.in(part.sgr, text))
		}
	}
	head := plural(s.Cases, "case", "cases")
	if len(parts) > 0 {
		head += ": " + strings.Join(parts, ", ")
	}
	tail := fmt.Sprintf("%s · %s created, %d removed", words(p.r.Ended.Sub(p.r.Started)),
		plural(p.r.Created, "record", "records"), p.r.Removed)
	if n := len(p.r.Left); n > 0 {
		tail += p.in(sgrYellow, fmt.Sprintf(", %d left", n))
	}
	if p.o.Width < narrow {
		p.line("%s", head)
		p.line("%s", tail)
		return
	}
	p.line("%s · %s", head, tail)
}

// warnings lists, case by case, what was seen that is no finding but should be known.
func (p *page) warnings() {
	var rows [][2]string
	for _, c := range p.r.Cases {
		for _, n := range c.Notes {
			if n.Warning {
				rows = append(rows, [2]string{c.ID, n.Text})
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	p.gap()
	width := 0
	for _, row := range rows {
		width = max(width, min(cells(row[0]), 34)+2)
	}
	p.line("%s", p.in(sgrYellow, plural(len(rows), "warning", "warnings")))
	for _, row := range rows {
		p.para(2, row[0]+"  ", width, row[1])
	}
}

// leftAtMost is how many records left behind are listed one by one.
const leftAtMost = 20

func (p *page) left() {
	if len(p.r.Left) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.in(sgrYellow, plural(len(p.r.Left), "record is", "records are")+" still on the target"))
	for i, record := range p.r.Left {
		if i == leftAtMost && !p.o.Verbose {
			p.line("  and %d more (the JSON report lists them all)", len(p.r.Left)-i)
			return
		}
		place := slices.DeleteFunc([]string{record.Operation, record.Namespace, "of " + record.Case},
			func(s string) bool { return s == "" || s == "of " })
		p.para(2, "", 0, fmt.Sprintf("%s (%s): %s", record.ID, strings.Join(place, ", "), record.Why))
	}
}

func (p *page) outcome() {
	sgr := sgrYellow
	switch p.r.Outcome.Exit {
	case ExitPass:
		sgr = sgrGreen
	case ExitBroken:
		sgr = sgrRed
	}
	p.gap()
	exit := fmt.Sprintf("exit %d", p.r.Outcome.Exit)
	lines := wrap(exit+": "+p.r.Outcome.Reason, p.o.Width)
	lines[0] = p.in(sgr, exit) + strings.TrimPrefix(lines[0], exit)
	for _, l := range lines {
		p.line("%s", l)
	}
}
