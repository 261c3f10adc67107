package reports

import (
	"cmp"
	_ "embed" // the template
	"fmt"
	"slices"
)

//go:embed html/arrivals.tmpl
var htmlArrivalsTemplate string

const (
	arrivalsRight = 82.0 // per cent of the drawing that the sends have, where the first answer comes long after them
	answerAt      = 95.0 // and where it stands then
	arrivalsRoom  = 1.2  // the time that is drawn, in times of the send spread
	leastArrivals = 0.01 // milliseconds that are drawn, where all went in one write
)

// htmlArrivals is one round of requests that were sent together, at the scale of the spread of its sends: a lane for each
// in the order in which they were wholly sent. On the timeline of the case a round is one mark among many. When they
// arrived the sender cannot know. Its texts are visible.
type htmlArrivals struct {
	Label, Summary string
	Height         int
	Lanes          []htmlArrival
	Ticks          []htmlTick
	Answer         htmlTick // when the first byte of the first answer came; none: no answer
	Broken         bool     // the first answer is further off than is drawn to scale
	Evidence       bool
}

// htmlArrival is one request of it.
type htmlArrival struct {
	Kind, Name, Anchor string
	Spoken, Says       string
	Evidence           bool
	Y, Middle          int
	Open               htmlSpan // wholly sent and not yet answered
	Sent               string   // where it was wholly sent
}

// newHTMLArrivals draws the last round of a case: the one that shows the race, where there was one. It gives nil where
// nothing was sent together, or the exchanges of a whole round are not among those that are shown.
func newHTMLArrivals(o *Overlap, exchanges []htmlExchange) *htmlArrivals {
	if o == nil {
		return nil
	}
	round := lastRound(exchanges, o.Sends)
	if round == nil {
		return nil
	}
	slices.SortStableFunc(round, func(a, b htmlExchange) int { return cmp.Compare(*a.Wrote, *b.Wrote) })
	s := newArrivalScale(round)
	h := &htmlArrivals{Height: axisHeight + len(round)*laneHeight + 4, Ticks: s.ticks(), Broken: s.broken}
	for i, x := range round {
		h.Lanes = append(h.Lanes, s.lane(i, x))
		h.Evidence = h.Evidence || x.Evidence
	}
	sent := len(round)
	if s.answered {
		sent = s.before(s.answer, round)
		h.Answer = htmlTick{percent(s.at(s.answer)), "first answer " + micros(s.answer-s.zero)}
	}
	h.Summary = fmt.Sprintf("%d of %d were wholly sent before the first answer began, the last of all %s after the first", sent, len(round),
		micros(*round[len(round)-1].Wrote-s.zero))
	h.Label = "The last round: " + h.Summary
	return h
}

// lastRound finds the last exchanges in a row that were on their way at the same time, as many as a round has.
func lastRound(exchanges []htmlExchange, sends int) []htmlExchange {
	var round, last []htmlExchange
	ended := 0.0
	for _, x := range exchanges {
		if x.Purpose != PurposeAttempt || x.Wrote == nil {
			round = nil
			continue
		}
		if len(round) > 0 && x.Began > ended {
			round = nil
		}
		if len(round) == 0 {
			ended = x.Ended
		}
		round, ended = append(round, x), max(ended, x.Ended)
		if len(round) == sends && sends > 1 {
			last = slices.Clone(round)
		}
	}
	return last
}

// arrivalScale maps milliseconds to per cent: the sends to scale, and the first answer at the end where it is far off.
type arrivalScale struct {
	zero, end        float64 // of what is drawn to scale
	answer           float64
	answered, broken bool
	right            float64
}

func newArrivalScale(round []htmlExchange) arrivalScale {
	s := arrivalScale{zero: *round[0].Wrote, right: arrivalsRight}
	for _, x := range round {
		if x.FirstByte != nil && (!s.answered || *x.FirstByte < s.answer) {
			s.answer, s.answered = *x.FirstByte, true
		}
	}
	spread := *round[len(round)-1].Wrote - s.zero
	s.end = s.zero + max(spread*arrivalsRoom, leastArrivals)
	s.broken = s.answered && s.answer > s.end
	if !s.broken {
		s.right = axisRight
	}
	return s
}

func (s arrivalScale) at(ms float64) float64 {
	if s.broken && ms >= s.answer {
		return answerAt
	}
	share := min(max((ms-s.zero)/(s.end-s.zero), 0), 1)
	return axisLeft + share*(s.right-axisLeft)
}

// before counts the requests that were wholly sent before a time.
func (s arrivalScale) before(ms float64, round []htmlExchange) int {
	n := 0
	for _, x := range round {
		if *x.Wrote < ms {
			n++
		}
	}
	return n
}

func (s arrivalScale) ticks() []htmlTick {
	step := niceStep((s.end - s.zero) / 5)
	var out []htmlTick
	for n := range ticksAtMost {
		ms := float64(n) * step
		if s.zero+ms > s.end {
			break
		}
		out = append(out, htmlTick{percent(s.at(s.zero + ms)), micros(ms)})
	}
	return out
}

func (s arrivalScale) lane(i int, x htmlExchange) htmlArrival {
	from, to := *x.Wrote, x.Ended
	if x.FirstByte != nil {
		to = *x.FirstByte
	}
	y := axisHeight + i*laneHeight
	left := s.at(from)
	sent := "+" + micros(from-s.zero)
	return htmlArrival{
		Kind: fmt.Sprintf("#%d", x.Conn), Name: x.Name, Anchor: x.Anchor, Evidence: x.Evidence, Says: sent + "  " + x.Outcome,
		Spoken: fmt.Sprintf("wholly sent %s, unanswered for %s, %s", sent, micros(to-from), x.Outcome),
		Y:      y + (laneHeight-barHeight)/2, Middle: y + laneHeight/2,
		Open: htmlSpan{percent(left), percent(max(s.at(to)-left, 0.4))}, Sent: percent(left),
	}
}

// micros gives milliseconds as microseconds, and where those are too many to read, as milliseconds.
func micros(ms float64) string {
	if ms >= 10 || ms <= -10 {
		return millis(ms)
	}
	return fmt.Sprintf("%.0f µs", ms*1000)
}
