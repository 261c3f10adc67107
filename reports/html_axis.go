package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	axisLeft   = 2.0  // per cent of the drawing
	axisRight  = 97.0 //
	breakWidth = 7.0
	leastPart  = 6.0
	breakShare = 0.5 // an idle time that is longer than this share of what is drawn is cut out
	mostBreaks = 5
	tickGap    = 13.0 // per cent between two labels
	leastStep  = 0.001
	// A part has no more labels than this, whatever times an event stream claims.
	ticksAtMost = 20
)

// timeSpan is a time in which something was going on, in milliseconds.
type timeSpan struct{ from, to float64 }

// htmlAxis maps time to per cent. Long times in which nothing happened are cut out: a count that is taken four seconds
// after a race of a millisecond would leave nothing to be seen of the race.
type htmlAxis []axisPart

type axisPart struct {
	timeSpan
	left, right float64 // per cent
}

// htmlBreak is a time that is cut out.
type htmlBreak struct{ Left, Right, Middle, Text string }

// htmlTick is a label of the axis.
type htmlTick struct{ X, Text string }

func newHTMLAxis(spans []timeSpan) htmlAxis {
	busy := merged(spans)
	cuts := longIdle(busy)
	var parts htmlAxis
	open := axisPart{timeSpan: busy[0]}
	for i, s := range busy[1:] {
		if cuts[i] {
			parts = append(parts, open)
			open = axisPart{timeSpan: s}
		}
		open.to = s.to
	}
	parts = append(parts, open)
	parts.place()
	return parts
}

// merged joins spans that touch, in order of time.
func merged(spans []timeSpan) []timeSpan {
	slices.SortFunc(spans, func(a, b timeSpan) int { return cmp.Compare(a.from, b.from) })
	out := []timeSpan{spans[0]}
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.from <= last.to {
			last.to = max(last.to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// longIdle picks the idle times to cut out, by the index of the span before: the longest first, as long as they take a
// large share of what is left.
func longIdle(busy []timeSpan) map[int]bool {
	idle := make([]int, len(busy)-1)
	for i := range idle {
		idle[i] = i
	}
	gap := func(i int) float64 { return busy[i+1].from - busy[i].to }
	slices.SortStableFunc(idle, func(a, b int) int { return cmp.Compare(gap(b), gap(a)) })
	left := busy[len(busy)-1].to - busy[0].from
	cuts := map[int]bool{}
	for _, i := range idle[:min(len(idle), mostBreaks)] {
		if gap(i) < breakShare*left {
			break
		}
		cuts[i] = true
		left -= gap(i)
	}
	return cuts
}

// place gives each part its share of the width, and none less than can be seen.
func (a htmlAxis) place() {
	room := axisRight - axisLeft - breakWidth*float64(len(a)-1) - leastPart*float64(len(a))
	total := 0.0
	for _, p := range a {
		total += p.to - p.from
	}
	x := axisLeft
	for i := range a {
		share := 1 / float64(len(a))
		if total > 0 {
			share = (a[i].to - a[i].from) / total
		}
		a[i].left, a[i].right = x, x+leastPart+room*share
		x = a[i].right + breakWidth
	}
}

func (a htmlAxis) last() float64 { return a[len(a)-1].to }

// at gives the place of a time.
func (a htmlAxis) at(ms float64) float64 {
	for i, p := range a {
		if ms > p.to && i < len(a)-1 {
			continue
		}
		if p.to == p.from {
			return p.left
		}
		return p.left + (min(max(ms, p.from), p.to)-p.from)/(p.to-p.from)*(p.right-p.left)
	}
	return axisRight
}

func (a htmlAxis) breaks() []htmlBreak {
	var out []htmlBreak
	for i := 1; i < len(a); i++ {
		left, right := a[i-1].right+1.5, a[i].left-1.5
		out = append(out, htmlBreak{percent(left), percent(right), percent((left + right) / 2), "nothing for " + millis(a[i].from-a[i-1].to)})
	}
	return out
}

// ticks labels round times, and where a part has none, its beginning. Labels that would touch are left out.
func (a htmlAxis) ticks(zero float64) []htmlTick {
	total := 0.0
	for _, p := range a {
		total += p.to - p.from
	}
	step := niceStep(max(total/5, leastStep))
	places := []float64{}
	for _, p := range a {
		first, last := math.Ceil((p.from-zero)/step), math.Floor((p.to-zero)/step+1e-6)
		if !(first <= last) {
			places = append(places, p.from-zero)
		}
		for n := range int(min(max(last-first+1, 0), ticksAtMost)) { // not n++ on a float: far from zero that adds nothing
			places = append(places, (first+float64(n))*step)
		}
	}
	var out []htmlTick
	last := -tickGap
	for _, ms := range places {
		if x := a.at(ms + zero); x-last >= tickGap {
			out = append(out, htmlTick{percent(x), tickText(ms, step)})
			last = x
		}
	}
	return out
}

// niceStep gives 1, 2 or 5 times a power of ten, at least least.
func niceStep(least float64) float64 {
	if least <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= least {
			return n * power
		}
	}
	return 10 * power
}

func tickText(ms, step float64) string {
	text := fmt.Sprintf("%.*f", int(max(0, math.Ceil(-math.Log10(step)))), ms)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return text
}

// overlaps gives the times in which at least two of the spans were open, joined where they touch.
func overlaps(starts, ends []float64) []timeSpan {
	slices.Sort(starts)
	slices.Sort(ends)
	var out []timeSpan
	open, e := 0, 0
	for _, s := range starts {
		for ends[e] <= s {
			if open--; open == 1 {
				out[len(out)-1].to = ends[e]
			}
			e++
		}
		if open++; open == 2 {
			out = append(out, timeSpan{s, s})
		}
	}
	for ; e < len(ends) && open >= 2; e++ {
		if open--; open == 1 {
			out[len(out)-1].to = ends[e]
		}
	}
	return out
}
