package reports

import (
	"math"
	"slices"
	"strings"
)

const (
	lanesAtMost  = 100 // exchanges of a timeline; with more lanes nobody finds anything in it
	faultsAtMost = 30  // faults of it
	beside       = 2   // exchanges that are drawn on each side of one that proves something
)

// drawn is what of a case its timeline shows.
type drawn struct {
	exchanges []htmlExchange
	readings  []CaseReading
	faults    []CaseFault
	left      string // what it does not, in words; empty: nothing
}

// htmlDrawn picks what the timeline of a case shows. Where that is too much (a crash sweep has some exchanges and two
// faults for each point), it is the exchanges that prove something with those beside them, else the first ones, and of
// everything else what happened meanwhile.
func htmlDrawn(c Case, exchanges []htmlExchange) drawn {
	d := drawn{exchanges: exchanges, readings: c.Readings, faults: c.Faults}
	if len(exchanges) <= lanesAtMost && len(c.Faults) <= faultsAtMost {
		return d
	}
	var during []timeSpan
	d.exchanges, during = evidentLanes(exchanges)
	d.readings, d.faults = nil, nil
	for _, g := range c.Readings {
		if within(g.AtMS, during) {
			d.readings = append(d.readings, g)
		}
	}
	for _, f := range c.Faults {
		if len(d.faults) < faultsAtMost && within(f.AtMS, during) {
			d.faults = append(d.faults, f)
		}
	}
	d.left = leftLanes(len(exchanges)-len(d.exchanges), len(c.Readings)-len(d.readings), len(c.Faults)-len(d.faults))
	return d
}

// evidentLanes picks the exchanges to draw, in their order, and the times that they take: one for those in a row.
func evidentLanes(exchanges []htmlExchange) (out []htmlExchange, during []timeSpan) {
	near := nearEvidence(exchanges)
	last := -1
	for i, x := range exchanges {
		if !near[i] || len(out) == lanesAtMost {
			continue
		}
		if last < 0 || last < i-1 {
			during = append(during, timeSpan{x.Began, x.Began})
		}
		end := &during[len(during)-1].to
		*end, last = max(*end, x.Ended), i
		out = append(out, x)
	}
	if len(out) == len(exchanges) {
		during = []timeSpan{{math.Inf(-1), math.Inf(1)}}
	}
	return out, during
}

// nearEvidence marks the exchanges that prove something, with those beside them; all where none proves anything.
func nearEvidence(exchanges []htmlExchange) []bool {
	near := make([]bool, len(exchanges))
	none := true
	for i, x := range exchanges {
		if x.Evidence {
			none = false
			for at := max(i-beside, 0); at <= min(i+beside, len(exchanges)-1); at++ {
				near[at] = true
			}
		}
	}
	for i := range near {
		near[i] = near[i] || none
	}
	return near
}

func within(at float64, spans []timeSpan) bool {
	return slices.ContainsFunc(spans, func(s timeSpan) bool { return at >= s.from && at <= s.to })
}

func leftLanes(exchanges, readings, faults int) string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{exchanges, "exchange", "exchanges"}, {readings, "reading", "readings"}, {faults, "fault", "faults"}} {
		if part.n > 0 {
			parts = append(parts, plural(part.n, part.one, part.many))
		}
	}
	return strings.Join(parts, ", ")
}
