package steps

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// recordsArgs are the arguments of the verb records.
type recordsArgs struct {
	Count     int    `arg:"count" doc:"how many records are right"`
	Unless    string `arg:"unless" doc:"an attempt that makes it one more, if it was permitted to create and did; or answered, for all that were answered with a record"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where they are counted, in place of the target's own namespace"`
	Operation string `arg:"operation" of:"operation" doc:"whose records: main or other"`
}

func (w *world) expectRecords(ctx context.Context, a recordsArgs) error {
	sc := scope{mainOperation(w.target).Name, a.Namespace}
	if a.Operation == "other" {
		sc.operation = otherOperation(w.target).Name
	}
	more, err := w.rightlyCreated(a.Unless)
	if err != nil {
		return err
	}
	w.touch(sc)
	w.expect[sc] = judge.Exactly(a.Count + more)
	w.judgeCounts(ctx, "expected")
	return nil
}

// answered stands for all attempts that were answered with a record, rightly or not: where the profile alone says
// whether a record is right, the count is held against the answers.
const answered = "answered"

// rightlyCreated counts 1 if the named attempt was permitted to create a record and did, or all that were answered with
// one.
func (w *world) rightlyCreated(name string) (int, error) {
	list := w.history
	if name != answered {
		if name == "" {
			return 0, nil
		}
		s, err := w.find(name)
		if err != nil {
			return 0, err
		}
		if s.situation == "" {
			return 0, fmt.Errorf("what %q is permitted to do must be said before its records are counted", name)
		}
		list = []*sent{s}
	}
	n := 0
	for _, s := range list {
		if s.disposition == reports.Created && (name == answered || s.permit.Allows(reports.Created)) {
			n++
		}
	}
	return n, nil
}

// handledArgs are the arguments of the verb handled.
type handledArgs struct {
	As        string `arg:"as" doc:"the attempt; * for all"`
	Situation string `arg:"situation" of:"situation" doc:"what the attempt amounts to"`
	First     string `arg:"first" doc:"the attempt it repeats; default: the first one with the same key"`
}

// expectHandled judges the disposition of an attempt and its answer.
func (w *world) expectHandled(_ context.Context, a handledArgs) error {
	if a.As == "*" {
		for _, s := range w.history {
			if err := w.judgeAttempt(s, nil, judge.Situation(a.Situation)); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	var first *sent
	if a.First != "" {
		if first, err = w.find(a.First); err != nil {
			return err
		}
	}
	return w.judgeAttempt(s, first, judge.Situation(a.Situation))
}

func (w *world) judgeAttempt(s, first *sent, situation judge.Situation) error {
	if first == nil {
		first = w.firstWithKey(s)
	}
	facts := judge.Facts{Approvals: w.target.Approve != nil && w.target.Held != nil, Revision: w.target.Revision}
	attempted := judge.Attempted{Exchange: s.Exchange, Disposition: s.disposition, ID: s.id, Level: w.c.Level}
	if first != nil {
		facts.Prior = first.disposition
		facts.RecordRead = w.recordSeenBefore(s)
		attempted.First, attempted.FirstID, attempted.KeyShared = &first.Exchange, first.id, true
	}
	s.situation, s.first = situation, first
	s.permit = judge.Permitted(situation, w.target.Profile, facts)
	w.draw(s)
	w.take(judge.Attempt(situation, attempted, s.permit))
	return nil
}

// firstWithKey finds the attempt that first used the key of s; nil when s did, or carries none.
func (w *world) firstWithKey(s *sent) *sent {
	for _, old := range w.history {
		if old != s && old.Key == s.Key && s.Key != "" && old.Seq < s.Seq {
			return old
		}
	}
	return nil
}

// recordSeenBefore reports whether a reading taken before s was sent already showed a record of its scope.
func (w *world) recordSeenBefore(s *sent) bool {
	for _, byScope := range w.readings {
		for _, r := range byScope[s.scope()] {
			if r.Err == "" && r.Count > 0 && r.At.Before(s.Began) {
				return true
			}
		}
	}
	return false
}

// draw fills the artifact of a K-case from the attempt that the case turns on: the last one that is judged.
func (w *world) draw(s *sent) {
	if !strings.HasPrefix(w.c.ID, "K") {
		return
	}
	a := &reports.Artifact{
		Bundle: s.bundle, Revision: s.revision, Digest: digest(s.Body), KeyRelationship: s.keyWords,
		Approval: w.approval(s), Prior: w.prior(s), Permitted: s.permit.Dispositions,
	}
	if w.artifact != nil && s.situation == judge.Together {
		a.Observed = w.artifact.Observed
	}
	a.Observed = append(a.Observed, s.disposition)
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

// oneRecordArgs are the arguments of the verb same_record.
type oneRecordArgs struct{}

func (w *world) expectOneRecord(context.Context, oneRecordArgs) error {
	ids := map[string][]string{}
	for _, s := range w.history {
		if s.Succeeded() && s.id != "" {
			ids[s.id] = append(ids[s.id], s.Name)
		}
	}
	w.take(judge.Opinion{Findings: judge.OneRecord(w.c.Level, ids)})
	return nil
}

// namesArgs are the arguments of the verb names.
type namesArgs struct {
	As string `arg:"as" doc:"the attempt"`
}

// expectNames compares the id in an answer with the ids that the first observer counts.
func (w *world) expectNames(ctx context.Context, a namesArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	if !s.Succeeded() || s.id == "" {
		return nil // what it came to is judged by the verb handled
	}
	w.readAll(ctx, "names")
	for _, r := range w.readings["names"][s.scope()] {
		if r.Err == "" && !r.Inferred && len(r.IDs) > 0 && !slices.Contains(r.IDs, s.id) {
			w.take(judge.Opinion{Findings: []reports.Finding{{
				Kind: reports.Lost, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
				Message:  fmt.Sprintf("%q names a record that %s does not show", s.Name, r.Observer),
				Expected: strings.Join(r.IDs, " or "), Found: s.id, IDs: []string{s.id}, Exchanges: []string{s.Name},
			}}})
		}
		break // the first observer counts the record; the others count side effects
	}
	return nil
}

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
	documented := (s.situation == judge.Mismatch || s.situation == judge.OtherIdentity) && s.permit.Allows(reports.Replayed)
	if old.id == "" || s.namespace == old.namespace && documented {
		return nil
	}
	w.evidence.Judged = true
	if where := shows(s.Exchange, old.id); where != "" {
		w.finding(reports.Finding{
			Kind: reports.Leaked, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
			Message:  fmt.Sprintf("the answer to %q shows the record of %q in its %s", s.Name, old.Name, where),
			Expected: "no trace of " + old.id, Found: old.id, IDs: []string{old.id}, Exchanges: []string{s.Name},
		})
	}
	return nil
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

// unchangedArgs are the arguments of the verb unchanged.
type unchangedArgs struct {
	As string `arg:"as" doc:"the attempt that created the record"`
}

// expectUnchanged reads a record back. It is compared with what the read call gave when the record was new.
func (w *world) expectUnchanged(ctx context.Context, a unchangedArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	was, known := w.originals[s.id]
	if s.id == "" || !known {
		return unclear("the record of %q was not read when it was new, so it cannot be told whether it changed", a.As)
	}
	x, err := w.readBack(ctx, s)
	if err != nil {
		return err
	}
	if !x.Succeeded() {
		return unclear("the record %s could not be read back: %s", s.id, outcome(x))
	}
	w.evidence.Judged = true
	if bytes.Equal(was, x.Content) {
		return nil
	}
	want, got, same := judge.Compare(was, x.Content)
	if same {
		return nil
	}
	w.finding(reports.Finding{
		Kind: reports.Overwritten, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
		Message: fmt.Sprintf("the record %s is not as it was when %q created it", s.id, s.Name), Expected: want, Found: got,
		IDs: []string{s.id},
	})
	return nil
}

// overlapArgs are the arguments of the verb overlap.
type overlapArgs struct{}

func (w *world) expectOverlap(context.Context, overlapArgs) error {
	if w.overlap == nil {
		return fmt.Errorf("nothing was sent at the same moment, so no overlap can be expected")
	}
	if !w.overlap.Overlapping {
		w.evidence.Unclear = append(w.evidence.Unclear, fmt.Sprintf(
			"in %d rounds no two sends were with the target at the same time", w.overlap.Rounds))
	}
	return nil
}
