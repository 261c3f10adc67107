package steps

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// note keeps something that was seen and is no finding, once.
func (w *world) note(warning bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.notes[text] {
		return
	}
	w.notes[text] = true
	w.emit(w.c.ID, reports.Event{Kind: reports.KindNote, Note: &reports.Note{Warning: warning, Text: text}})
}

// take adds an opinion of the judge to the evidence.
func (w *world) take(o judge.Opinion) {
	w.evidence.Judged = true
	for _, f := range o.Findings {
		w.finding(f)
	}
	for _, n := range o.Notes {
		w.note(n.Warning, "%s", n.Text)
	}
	for _, c := range o.Claims {
		w.claim(c)
	}
	if o.Unclear != "" {
		w.evidence.Unclear = append(w.evidence.Unclear, o.Unclear)
	}
}

// finding records a finding once: the same kind on the same exchanges with the same count is one finding, however
// often it is seen.
func (w *world) finding(f reports.Finding) {
	switch {
	case w.cleaning:
		w.note(true, "in the clean-up: %s", f.Message)
		return
	case w.setup: // what goes wrong before the case begins says nothing about what it proves
		w.evidence.Unclear = append(w.evidence.Unclear, "while the case was set up: "+f.Message)
		return
	}
	if f.Part = w.part; w.part != "" {
		f.Message = w.part + ": " + f.Message
	}
	for _, old := range w.evidence.Findings {
		if old.Kind == f.Kind && old.Message == f.Message {
			return
		}
	}
	f.Known = reports.KnownOf(w.engine.known, w.began, w.c.ID, w.part, f.Kind)
	w.evidence.Findings = append(w.evidence.Findings, f)
	w.emit(w.c.ID, reports.Event{Kind: reports.KindFinding, Finding: &f})
}

// find gives the last attempt that was sent under a name.
func (w *world) find(name string) (*sent, error) {
	for i := len(w.history) - 1; i >= 0; i-- {
		if w.history[i].Name == name {
			return w.history[i], nil
		}
	}
	names := map[string]bool{}
	for _, s := range w.history {
		names[s.Name] = true
	}
	return nil, fmt.Errorf("nothing was sent as %q (there is: %s)", name, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}
