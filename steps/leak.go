package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// shownArgs are the arguments of the verb shows_nothing.
type shownArgs struct {
	As    string `arg:"as" doc:"the attempt"`
	Other string `arg:"other" doc:"the attempt whose record must not be shown"`
}

// expectNothingShown looks for another identity's record id in the whole answer.
func (w *world) expectNothingShown(_ context.Context, a shownArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	old, err := w.find(a.Other)
	if err != nil {
		return err
	}
	w.judgeLeak(s, old)
	return nil
}

// judgeLeak looks for the record of one attempt in the answer to another.
func (w *world) judgeLeak(s, old *sent) {
	if old.id == "" || w.ownAnswer(s) || w.leaked(s) {
		return
	}
	w.evidence.Judged = true
	where := shows(s.Exchange, old.id)
	if s.situation == judge.Mismatch {
		// The record is the caller's own and may be named; its earlier payload may not stand in for the new one.
		where = showsText(s.Exchange, w.vars(old)["payload"])
	}
	if where != "" {
		w.finding(reports.Finding{
			Kind: reports.Leaked, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
			Message:  fmt.Sprintf("the answer to %q shows the record of %q in its %s", s.Name, old.Name, where),
			Expected: "no trace of " + old.id, Found: old.id, IDs: []string{old.id}, Exchanges: []string{s.Name},
		})
	}
}

// ownAnswer reports whether an attempt was given the first answer to a request of the same caller, where that is
// documented, or judged as a mismatch already; or a refusal that is documented to name the first record.
func (w *world) ownAnswer(s *sent) bool {
	other := s.situation == judge.OtherIdentity || s.situation == judge.OtherOperation
	if s.disposition == reports.Conflict {
		return other && s.permit.Clause.Judged() && s.permit.Clause.ID != ""
	}
	return s.disposition == reports.Replayed && (s.situation == judge.Mismatch || other && s.permit.Allows(reports.Replayed))
}

// leaked reports whether it was found already that an attempt shows another one's record.
func (w *world) leaked(s *sent) bool {
	return slices.ContainsFunc(w.evidence.Findings, func(f reports.Finding) bool {
		return f.Kind == reports.Leaked && slices.Contains(f.Exchanges, s.Name)
	})
}

// showsText says where in an answer a text stands.
func showsText(x targets.Exchange, text string) string {
	if strings.Contains(string(x.Content), text) {
		return "body"
	}
	return ""
}

// shows says where in an answer an id stands; empty when nowhere. The id must stand alone: 12 does not stand in 3123.
func shows(x targets.Exchange, id string) string {
	if containsWord(string(x.Content), id) {
		return "body"
	}
	for _, name := range []string{"Location", "Content-Location", "Link"} {
		for _, v := range x.Answer.Values(name) {
			if containsWord(v, id) {
				return name + " header"
			}
		}
	}
	return ""
}
