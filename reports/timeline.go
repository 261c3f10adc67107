package reports

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

const (
	rowsAtMost = 20 // rows of a timeline, unless everything is asked for
	leastBar   = 12 // a bar with fewer columns shows nothing
	mostBar    = 36
	tickIndent = 12 // what stands in front of a row's columns
)

// The columns of a timeline.
const (
	colKind = iota // "#41": the connection of an exchange; "count", "fault"
	colName
	colRequest
	colKey
	colOutcome
	colCount
)

// tick is one row of a timeline: an exchange, a reading or a fault. Times are milliseconds since the run began.
type tick struct {
	at, end  float64
	cells    [colCount]string
	mark     string // what stands at its end on the axis
	instant  bool
	evidence bool   // a finding stands on it
	answer   string // the body that came back, where it is to be shown
}

// timeline writes everything that happened in a case on one axis of time.
func (p *page) timeline(c Case, short shortener) {
	ticks := p.ticks(c, short)
	if len(ticks) == 0 {
		return
	}
	shown := choose(ticks, p.o.Verbose)
	s := newScale(ticks, shown)
	head := fmt.Sprintf("%8s  what happened", "ms")
	for _, col := range []int{colRequest, colKey} {
		if value := s.hoist(ticks, col); value != "" {
			head += " · " + value
		}
	}
	s.fit(p.o.Width)
	p.line("  %s", p.in(sgrDim, head))
	next := 0
	for _, i := range append(shown, len(ticks)) {
		if i > next {
			p.line("  %8s  %s", "", p.in(sgrDim, fmt.Sprintf("… %d more (--verbose shows them)", i-next)))
		}
		if next = i + 1; i < len(ticks) {
			p.tick(ticks[i], s)
		}
	}
}

// scale is the layout of a timeline: the widths of its columns, 0 for those left out, and its axis.
type scale struct {
	widths      [colCount]int
	first, last float64
	bar         int // columns of the axis; 0: there is no room for one
}

func newScale(ticks []tick, shown []int) *scale {
	s := &scale{first: math.Inf(1), last: math.Inf(-1)}
	for _, i := range shown {
		for col, cell := range ticks[i].cells {
			s.widths[col] = max(s.widths[col], cells(cell))
		}
		s.first, s.last = min(s.first, ticks[i].at), max(s.last, ticks[i].end)
	}
	return s
}

// hoist leaves a column out where all exchanges agree on it, and gives what they agree on.
func (s *scale) hoist(ticks []tick, col int) string {
	value := ""
	for _, t := range ticks {
		switch {
		case t.instant:
		case value != "" && t.cells[col] != value, t.cells[col] == "":
			return ""
		default:
			value = t.cells[col]
		}
	}
	s.widths[col] = 0
	return value
}

// fit leaves out what there is no room for: first the axis, then the keys, then the requests, then the end of the lines.
func (s *scale) fit(width int) {
	room := func() int {
		used := tickIndent
		for _, w := range s.widths {
			if w > 0 {
				used += w + 2
			}
		}
		return width - used
	}
	for _, col := range []int{colKey, colRequest} {
		if room() < 0 {
			s.widths[col] = 0
		}
	}
	if over := -room(); over > 0 {
		s.widths[colOutcome] = max(s.widths[colOutcome]-over, 20)
	}
	if s.bar = min(room(), mostBar); s.bar < leastBar {
		s.bar = 0
	}
}

func (p *page) tick(t tick, s *scale) {
	var b strings.Builder
	for col, cell := range t.cells {
		if s.widths[col] > 0 {
			b.WriteString(pad(clip(cell, s.widths[col]), s.widths[col]+2))
		}
	}
	p.line("  %8.1f  %s%s", t.at-s.first, b.String(), p.in(sgrDim, s.axis(t)))
	if t.answer != "" {
		indent := tickIndent + s.widths[colKind] + 2
		p.line("%s%s", strings.Repeat(" ", indent), p.in(sgrDim, clip("answered "+t.answer, max(p.o.Width-indent, 30))))
	}
}

// axis draws one row: a line from the beginning to the end of an exchange, a point for a reading or a fault. Lines that
// stand above each other ran at the same time.
func (s *scale) axis(t tick) string {
	if s.bar == 0 {
		return ""
	}
	column := func(at float64) int {
		return int(math.Round((at - s.first) / max(s.last-s.first, 0.001) * float64(s.bar-1)))
	}
	from, to := column(t.at), column(t.end)
	if t.instant {
		from = to
	}
	return strings.Repeat(" ", from) + strings.Repeat("━", to-from) + t.mark
}

// ticks gives the rows of a case in order of time.
func (p *page) ticks(c Case, short shortener) []tick {
	proof := proofOf(c)
	proven := proof.spans(c)
	var out []tick
	for _, x := range c.Exchanges {
		if x.Purpose != PurposeCleanUp || p.o.Verbose {
			t := exchangeTick(x, short)
			t.evidence = proof.covers(x)
			if (proof.names[x.Name] || p.o.Verbose) && !x.Content.Base64 {
				t.answer = x.Content.Text
			}
			out = append(out, t)
		}
	}
	for _, g := range c.Readings {
		out = append(out, readingTick(g, short))
	}
	for _, f := range c.Faults {
		text := f.Text
		if f.Err != "" {
			text += ": " + f.Err
		}
		t := tick{at: f.AtMS, end: f.AtMS, mark: "!", instant: true, evidence: len(proven) == 0 || within(f.AtMS, proven)}
		t.cells = [colCount]string{colKind: "fault", colOutcome: text}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b tick) int { return cmp.Compare(a.at, b.at) })
	return out
}

// choose picks the rows to show, in order. Where there are too many, it takes the evidence, the beginning and the end.
func choose(ticks []tick, all bool) []int {
	all = all || len(ticks) <= rowsAtMost
	picked := map[int]bool{}
	for _, instant := range []bool{false, true} { // faults are many in a crash sweep: the exchanges that prove something go first
		for i, t := range ticks {
			if t.instant == instant && (all || t.evidence && len(picked) < rowsAtMost*3/5) {
				picked[i] = true
			}
		}
	}
	for i := range min(rowsAtMost/5, len(ticks)) {
		picked[i], picked[len(ticks)-1-i] = true, true
	}
	return slices.Sorted(maps.Keys(picked))
}
