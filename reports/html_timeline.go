package reports

import (
	"fmt"
	"strings"
)

const (
	laneHeight = 24 // pixels; the style sheet knows it too
	axisHeight = 28
	barHeight  = 12
	countGap   = 5.0 // per cent of the axis that a count takes

	spokenAtMost = 40 // readings of an observer that are read out
)

// htmlTimeline is the drawing of everything that happened in a case: a lane for each exchange in order of sending, one
// for each observer, one for each thing that was done to the target, all on one axis. Places across are per cent, so that it fits
// every width; places down are pixels.
type htmlTimeline struct {
	Label  string
	Height int
	Axis   int
	Bottom int // height of the lanes of exchanges
	Lanes  []htmlLane
	Bars   []htmlBar
	Points []htmlPoint
	Faults []htmlPoint
	Bands  []htmlSpan // two or more in flight
	Breaks []htmlBreak
	Ticks  []htmlTick

	Evidence bool   // a finding stands on one of the exchanges
	Short    bool   // fits a printed page
	Left     string // what is not drawn, in words
}

// printedLanes is how many lanes fit a printed page.
const printedLanes = 30

// htmlLane is what stands beside a lane, and what is read out for it.
type htmlLane struct {
	Kind, Name, Anchor, Spoken, Outcome string
	Full                                string // the name, where it is shortened
	Evidence                            bool
}

// htmlBar is one exchange: the whole of it, and the part in which it was wholly sent and not yet answered.
type htmlBar struct {
	Whole, Flight htmlSpan
	Y             int
	Title         string
	Evidence      bool
	Lost          bool // no answer
	Fault         string
}

// htmlSpan is a part of the axis.
type htmlSpan struct{ X, Width string }

// htmlPoint is a moment.
type htmlPoint struct {
	X, Text, Title string
	Y              int
	Left           bool // its text stands to the left
	Failed         bool
}

// newHTMLTimeline draws what was picked of a case that began at first.
func newHTMLTimeline(picked drawn, first float64) *htmlTimeline {
	exchanges := picked.exchanges
	if len(exchanges)+len(picked.readings)+len(picked.faults) == 0 {
		return nil
	}
	d := &drawing{first: first, axis: newHTMLAxis(timeSpans(picked))}
	d.t.Left = picked.left
	d.faults(picked.faults)
	for _, x := range exchanges {
		d.exchange(x)
	}
	d.t.Bottom = d.y() - axisHeight
	d.t.Bands = d.bands(exchanges)
	d.readings(picked.readings)
	d.t.Axis, d.t.Height, d.t.Short = axisHeight, d.y(), len(d.t.Lanes) <= printedLanes
	d.t.Ticks, d.t.Breaks = d.axis.ticks(d.first), d.axis.breaks()
	d.t.Label = fmt.Sprintf("Timeline: %s, %s and %s within %s", plural(len(exchanges), "exchange", "exchanges"),
		plural(len(picked.readings), "reading", "readings"), plural(len(picked.faults), "fault", "faults"), millis(d.axis.last()-d.first))
	return &d.t
}

// timeSpans lists when something was going on.
func timeSpans(picked drawn) []timeSpan {
	var out []timeSpan
	for _, x := range picked.exchanges {
		out = append(out, timeSpan{x.Began, max(x.Began, x.Ended)})
	}
	for _, g := range picked.readings {
		out = append(out, timeSpan{g.AtMS, g.AtMS})
	}
	for _, f := range picked.faults {
		out = append(out, timeSpan{f.AtMS, f.AtMS})
	}
	return out
}

// drawing is a timeline while it is drawn, lane by lane.
type drawing struct {
	t     htmlTimeline
	axis  htmlAxis
	first float64
}

// y is the top of the next lane.
func (d *drawing) y() int { return axisHeight + len(d.t.Lanes)*laneHeight }

func (d *drawing) span(from, to float64) htmlSpan {
	x := d.axis.at(from)
	return htmlSpan{percent(x), percent(max(d.axis.at(to)-x, 0.4))}
}

func (d *drawing) exchange(x htmlExchange) {
	ended := max(x.Began, x.Ended)
	y := d.y()
	bar := htmlBar{
		Whole: d.span(x.Began, ended), Y: y + (laneHeight-barHeight)/2, Evidence: x.Evidence, Lost: x.Status == 0,
		Title: fmt.Sprintf("#%d %s: %s (%s)", x.Conn, x.Name, x.Outcome, x.Times),
	}
	if from, to, ok := inFlight(x.Exchange); ok {
		bar.Flight = d.span(from, to)
	}
	if bar.Lost {
		bar.Fault = percent(d.axis.at(ended))
	}
	d.t.Bars = append(d.t.Bars, bar)
	d.t.Evidence = d.t.Evidence || x.Evidence
	name := x.Name
	if x.Place != "" {
		name += " (" + x.Place + ")"
	}
	d.t.Lanes = append(d.t.Lanes, htmlLane{
		Kind: fmt.Sprintf("#%d", x.Conn), Name: name, Anchor: x.Anchor, Outcome: x.Outcome, Evidence: x.Evidence,
		Spoken: fmt.Sprintf("from %s to %s", millis(x.Began-d.first), millis(ended-d.first)),
	})
}

// inFlight gives the time in which an exchange was wholly sent and no byte of an answer had come.
func inFlight(x Exchange) (from, to float64, ok bool) {
	if x.Wrote == nil {
		return 0, 0, false
	}
	to = x.Ended
	if x.FirstByte != nil {
		to = *x.FirstByte
	}
	return *x.Wrote, to, to > *x.Wrote
}

// bands marks the times in which at least two exchanges were in flight.
func (d *drawing) bands(exchanges []htmlExchange) []htmlSpan {
	var starts, ends []float64
	for _, x := range exchanges {
		if from, to, ok := inFlight(x.Exchange); ok {
			starts, ends = append(starts, from), append(ends, to)
		}
	}
	var out []htmlSpan
	for _, s := range overlaps(starts, ends) {
		out = append(out, d.span(s.from, s.to))
	}
	return out
}

// faults gives each thing that was done to the target a lane, in which its words have room.
func (d *drawing) faults(faults []CaseFault) {
	for _, f := range faults {
		at, outcome := millis(f.AtMS-d.first), "done"
		if f.Err != "" {
			outcome = "could not be done: " + f.Err
		}
		d.t.Faults = append(d.t.Faults, d.point(f.AtMS, clip(f.Text, 40), f.Text+" at "+at+": "+outcome, f.Err != ""))
		d.t.Lanes = append(d.t.Lanes, htmlLane{Kind: "fault", Name: f.Text, Full: f.Text, Spoken: "at " + at, Outcome: outcome})
	}
}

// readings gives each thing that was counted a lane, in order of the first reading.
func (d *drawing) readings(readings []CaseReading) {
	var places []string
	byPlace := map[string][]CaseReading{}
	for _, g := range readings {
		place := readingPlace(g)
		if byPlace[place] == nil {
			places = append(places, place)
		}
		byPlace[place] = append(byPlace[place], g)
	}
	operations := map[string]map[string]bool{}
	for _, g := range readings {
		if operations[g.Observer] == nil {
			operations[g.Observer] = map[string]bool{}
		}
		operations[g.Observer][g.Operation] = true
	}
	for _, place := range places {
		g := byPlace[place][0]
		name := strings.TrimSpace(g.Observer + " " + g.Namespace)
		if len(operations[g.Observer]) > 1 {
			name = strings.TrimSpace(name + " " + g.Operation)
		}
		d.observer(name, place, byPlace[place])
	}
}

func (d *drawing) observer(name, place string, readings []CaseReading) {
	var spoken []string
	last := ""
	points := make([]htmlPoint, 0, len(readings))
	for _, g := range readings {
		count := fmt.Sprint(g.Count)
		if g.Err != "" {
			count = "?"
		}
		if g.Err == "" {
			last = count
		}
		where := strings.TrimSpace(millis(g.AtMS-d.first) + " " + g.Label)
		points = append(points, d.point(g.AtMS, count, fmt.Sprintf("%s: %s at %s", place, count, where), g.Err != ""))
		if len(spoken) < spokenAtMost {
			spoken = append(spoken, count+" at "+where)
		}
	}
	if more := len(readings) - len(spoken); more > 0 {
		spoken = append(spoken, plural(more, "more reading", "more readings"))
	}
	d.thin(points, readings)
	d.t.Points = append(d.t.Points, points...)
	if last == "" {
		last = "not counted"
	} else {
		last = "last count " + last
	}
	d.t.Lanes = append(d.t.Lanes, htmlLane{Kind: "count", Name: name, Full: place, Spoken: strings.Join(spoken, "; "), Outcome: last})
}

func (d *drawing) point(at float64, text, title string, failed bool) htmlPoint {
	x := d.axis.at(at)
	return htmlPoint{X: percent(x), Text: text, Title: title, Y: d.y() + laneHeight/2, Left: x > 85 || x > 50 && len(text) > 12, Failed: failed}
}

// thin leaves out the counts for which there is no room. The last of those that stand close together is what counts.
func (d *drawing) thin(points []htmlPoint, readings []CaseReading) {
	next := 1000.0
	for i := len(points) - 1; i >= 0; i-- {
		x := d.axis.at(readings[i].AtMS)
		if next-x < countGap && !points[i].Failed {
			points[i].Text = ""
			continue
		}
		next = x
		if points[i].Left {
			next -= countGap
		}
	}
}

func percent(x float64) string { return fmt.Sprintf("%.2f%%", x) }
