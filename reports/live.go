package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// LiveOptions say how progress is shown.
type LiveOptions struct {
	Quiet    bool // only what is an error or fails; not on a terminal
	Terminal bool // one status line that is rewritten in place; else one line per finished case
	Color    bool
	Width    int // columns; 0: 100
}

// Live shows a run while it goes on: first what it will do to the target, then progress. On a terminal that is a status
// line with the cases that run, erased at the end, and only what went wrong scrolls by; elsewhere it is a line per case.
func Live(w io.Writer, o LiveOptions) Sink {
	if o.Width <= 0 {
		o.Width = 100
	}
	return &live{w: w, o: o, paint: paint(o.Color), cases: map[string]*Case{}, done: map[string]bool{}, steps: map[string]longStep{}}
}

// The columns of a case's line. They are fixed: the lines come before the widest is known.
const (
	liveID      = 28
	liveVerdict = 14
	liveCounts  = 19 // "1 expected  1 found"
)

type live struct {
	w io.Writer
	o LiveOptions
	paint
	strict  bool
	said    string // why no case can say anything, printed once
	cases   map[string]*Case
	done    map[string]bool
	running []string
	steps   map[string]longStep // of the cases that run
	out     strings.Builder     // of the event at hand: one write each
}

func (l *live) Event(e Event) error {
	l.out.Reset()
	if !l.take(visibleCopy(e)) {
		return nil
	}
	text := l.out.String()
	if l.o.Terminal {
		text = "\r\x1b[K" + text
		if e.Kind != KindRunEnded {
			text += l.status()
		}
	}
	if text == "" {
		return nil
	}
	if _, err := io.WriteString(l.w, text); err != nil {
		return fmt.Errorf("show progress: %w", err)
	}
	return nil
}

// take reports whether the event changed what is shown.
func (l *live) take(e Event) bool {
	switch {
	case e.RunStarted != nil:
		l.strict = e.RunStarted.Strict
		for _, parts := range headParts(*e.RunStarted) {
			l.print(strings.Join(parts, " · "))
		}
		l.print("")
	case e.Preflight != nil:
		l.said = e.Preflight.Reason
		if e.Preflight.Reason != "" {
			l.print(l.in(sgrYellow, "preflight") + ": " + e.Preflight.Reason)
		}
	case e.CasePlanned != nil && e.CasePlanned.Elsewhere:
		return false
	case e.CasePlanned != nil:
		c := l.find(e.CasePlanned.ID)
		c.CasePlanned = *e.CasePlanned
		l.done[c.ID] = l.done[c.ID] || c.Missing != ""
		return false
	case e.Kind == KindCaseStarted:
		l.running = append(l.running, e.Case)
	case e.Progress != nil:
		l.progress(e.Case, *e.Progress)
	case e.Finding != nil && e.Case != "":
		c := l.find(e.Case)
		c.Findings = append(c.Findings, *e.Finding)
		return false
	case e.CaseEnded != nil:
		l.done[e.Case] = true
		delete(l.steps, e.Case)
		l.running = slices.DeleteFunc(l.running, func(id string) bool { return id == e.Case })
		l.ended(e.Case, *e.CaseEnded, !l.o.Terminal && !l.o.Quiet)
	case e.Recount != nil:
		l.ended(e.Case, *e.Recount, e.Recount.Verdict > l.find(e.Case).Verdict)
	case e.Kind != KindRunEnded:
		return false
	}
	return true
}

func (l *live) find(id string) *Case {
	if l.cases[id] == nil {
		l.cases[id] = &Case{CasePlanned: CasePlanned{ID: id}}
	}
	return l.cases[id]
}

// ended takes a case's outcome and prints its line, always for what went wrong.
func (l *live) ended(id string, said CaseEnded, always bool) {
	c := l.find(id)
	news := said.Verdict > c.Verdict
	if said.Verdict >= c.Verdict {
		c.CaseEnded = said
	}
	if !always && (!news || c.Verdict < Error) || l.said != "" && said.Reason == l.said {
		return
	}
	r := newRow(*c, l.strict)
	id, verdict, counts := pad(r.id, liveID), pad(r.verdict, liveVerdict), pad(strings.TrimSpace(pad(r.expected, 10)+"  "+r.found), liveCounts)
	room := mostText // a log has no width
	if l.o.Terminal {
		room = max(l.o.Width-cells(id+verdict+counts)-8, 30)
	}
	l.print("  " + id + "  " + l.in(r.sgr, verdict) + "  " + counts + "  " + clip(r.reason, room))
}

func (l *live) print(line string) { l.out.WriteString(strings.TrimRight(line, " ") + "\n") }

// status is the line that is rewritten in place. It is kept shorter than the terminal is wide: a line that wraps cannot
// be erased.
func (l *live) status() string {
	if len(l.cases) == 0 {
		return ""
	}
	done, bad := 0, 0
	for id, c := range l.cases {
		if l.done[id] {
			done++
		}
		if c.Verdict == Fail {
			bad++
		}
	}
	text := fmt.Sprintf("  %d/%d", done, len(l.cases))
	if bad > 0 {
		text += fmt.Sprintf(" · %d fail", bad)
	}
	if len(l.running) > 0 {
		text += " · "
		text += l.now(l.o.Width - 1 - cells(text))
	}
	return clip(text, l.o.Width-1)
}
