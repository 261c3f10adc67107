package reports

import (
	"fmt"
	"strings"
)

const (
	leastProgress = 5  // columns of a bar; a shorter one shows nothing
	mostProgress  = 20 //
	loggedFrom    = 20 // a step with fewer parts is not worth a line in a log
)

// longStep is how far the long step of a case is.
type longStep struct {
	Progress
	quarter int // the last one that a log was told of
}

// share is how much of the step is done, from 0 to 1.
func (p Progress) share() float64 {
	if p.Of <= 0 {
		return 0
	}
	return min(max(float64(p.Done)/float64(p.Of), 0), 1)
}

// text says how far the step is: "7/10 crash points".
func (p Progress) text() string {
	return strings.TrimSpace(fmt.Sprintf("%d/%d %s", p.Done, p.Of, p.What))
}

// progress takes how far a case is. A terminal shows it in the status line; a log gets a line for each quarter of a long
// step, and none for the last: then comes the line of the case, or that of the next step.
func (l *live) progress(id string, p Progress) {
	s := longStep{Progress: p}
	if before := l.steps[id]; before.What == p.What && before.Of == p.Of && p.Done >= before.Done {
		s.quarter = before.quarter
	}
	if quarter := int(p.share() * 4); quarter > s.quarter {
		s.quarter = quarter
		if !l.o.Terminal && p.Of >= loggedFrom && quarter < 4 {
			l.print("  " + pad(id, liveID) + "  " + p.text())
		}
	}
	l.steps[id] = s
}

// now lists the cases that run, in at most about room columns: those in a long step with a bar.
//
//	K1, crash-kill ███████░░░ 7/10 crash points
func (l *live) now(room int) string {
	plain, bars := make([]string, len(l.running)), 0
	for i, id := range l.running {
		plain[i] = id
		if s, ok := l.steps[id]; ok {
			plain[i] += " " + s.text()
			bars++
		}
	}
	text := strings.Join(plain, ", ")
	if bars == 0 {
		return text
	}
	width := min((room-cells(text))/bars-1, mostProgress)
	if width < leastProgress {
		return text
	}
	for i, id := range l.running {
		if s, ok := l.steps[id]; ok {
			plain[i] = id + " " + bar(s.share(), width) + " " + s.text()
		}
	}
	return strings.Join(plain, ", ")
}

// bar draws a share of width columns. It is full only when everything is done.
func bar(share float64, width int) string {
	full := int(share * float64(width))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
