package steps

import (
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// draw fills the artifact of a K-case from the attempt that the case turns on: the last one that is judged.
func (w *world) draw(s *sent) {
	if !strings.HasPrefix(w.c.ID, "K") {
		return
	}
	a := &reports.Artifact{
		Bundle: s.bundle, Revision: s.revision, Digest: digest(s.Body), KeyRelationship: s.keyWords,
		Approval: w.approval(s), Prior: w.prior(s), Permitted: s.permit.Dispositions,
	}
	a.Observed = []reports.Disposition{s.disposition}
	if s.situation == judge.Together { // of all that were sent with it
		a.Observed = nil
		for _, one := range w.history {
			a.Observed = append(a.Observed, one.disposition)
		}
	}
	w.artifact = a
}

// prior says in words what had come of the attempt that s stands against.
func (w *world) prior(s *sent) string {
	first := s.first
	switch {
	case s.situation == judge.Together:
		return "none: all were sent before any was answered"
	case first == nil && s.Seq > 1:
		first = w.history[0]
	case first == nil:
		return "none"
	}
	switch {
	case first.disposition == reports.Created && first.id != "":
		return "completed as " + first.id
	case first.disposition != reports.NoAnswer:
		return string(first.disposition)
	case w.recordSeenBefore(s):
		return "its answer was lost; a reading before this attempt showed its record (done)"
	}
	return "its answer was lost; a reading before this attempt showed no record (never arrived, or still running)"
}
