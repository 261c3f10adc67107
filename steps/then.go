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
	Unless    string `arg:"unless" doc:"an attempt that makes it one more, if it was permitted to create and did; or answered, for all that were answered with a record; or changes, for those of the payload that were permitted to create and did"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where they are counted, in place of the target's own namespace"`
	Operation string `arg:"operation" of:"operation" open:"true" doc:"whose records: main, other, text, or the name of any operation of the target"`
}

func (w *world) expectRecords(ctx context.Context, a recordsArgs) error {
	op, err := w.operation(a.Operation)
	if err != nil {
		return err
	}
	sc := scope{op.Name, a.Namespace}
	more, err := w.rightlyCreated(a.Unless)
	if err != nil {
		return err
	}
	if a.Unless == "" {
		more = w.ownOfPayloads(sc)
	}
	w.touch(sc)
	w.expect[sc] = w.exactly(sc, a.Count+more)
	w.judgeCounts(ctx, "expected")
	return nil
}

// answered stands for all attempts that were answered with a record, rightly or not: where the profile alone says
// whether a record is right, the count is held against the answers.
const answered = "answered"

// changes stands for the changes of the payload that were permitted to create a record and did.
const changes = "changes"

// rightlyCreated counts 1 if the named attempt was permitted to create a record and did, or all that were answered with
// one.
func (w *world) rightlyCreated(name string) (int, error) {
	if name == changes {
		return w.allowed, nil
	}
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
		if s.permit.Name == judge.ContentFilter && s.permit.Clause.Judged() {
			w.levels[s.scope()] = s.permit.Clause.Level // how many records are right is said there
		}
		list = []*sent{s}
	}
	n := 0
	for _, s := range list {
		if s.disposition == reports.Created && (name == answered || s.permit.Rightly()) {
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
	if err := w.inWindow(s, first, situation); err != nil {
		return err
	}
	facts := judge.Facts{Filtered: w.filteredOut(s), Approvals: w.target.Approve != nil && w.target.Held != nil, Revision: w.target.Revision, Disposition: s.disposition}
	attempted := judge.Attempted{Exchange: s.Exchange, Result: s.result, Disposition: s.disposition, ID: s.id, Level: w.c.Level,
		Replay: w.target.Profile.Replay, Async: w.target.Profile.Async, Volatile: w.volatile}
	if first != nil {
		prior := first.told()
		facts.Prior, facts.PriorStatus = first.disposition, prior.Status
		attempted.Prior, attempted.Coded = &prior, w.target.Profile.InFlight.Code != nil
		facts.RecordRead = w.recordSeenBefore(s)
		attempted.FirstID, attempted.KeyShared = first.id, true
		if first.Succeeded() { // what was refused or failed is no answer that a replay could repeat
			attempted.First = &first.Exchange
		}
	}
	s.situation, s.first = situation, first
	s.permit = judge.Permitted(situation, w.target.Profile, facts)
	w.draw(s)
	if w.unproven(s) {
		return nil
	}
	w.tellExpired(s, first)
	w.take(judge.Attempt(situation, attempted, s.permit))
	w.readKey(situation, attempted)
	w.readScope(situation, attempted, s.namespace)
	w.readRetention(situation, attempted)
	w.readFilter(s, attempted)
	if situation == judge.Replay && s.disposition == reports.Replayed {
		w.observeRate(s)
	}
	return nil
}

// firstWithKey finds the attempt that s repeats: of those with its key the one that created the record in its scope, else
// the first; nil when s is that one, or carries no key.
func (w *world) firstWithKey(s *sent) *sent {
	if s.Key == "" {
		return nil
	}
	for _, old := range w.history {
		if old != s && old.Key == s.Key && old.disposition == reports.Created && old.id != "" && old.id == s.id {
			return old
		}
	}
	if c := w.creatorIn(s.scope()); c != nil && c != s && c.Key == s.Key {
		return c
	}
	for _, old := range w.history {
		if old != s && old.Key == s.Key && old.Seq < s.Seq {
			return old
		}
	}
	return nil
}

// recordSeenBefore reports whether a reading taken before s was sent already showed a record of its scope. A side effect
// that was counted a moment later than the records is none: the id that the answer will name was not seen.
func (w *world) recordSeenBefore(s *sent) bool {
	for _, byScope := range w.readings {
		if list := byScope[s.scope()]; len(list) > 0 && list[0].Err == "" && list[0].Count > 0 && list[0].At.Before(s.Began) {
			return true
		}
	}
	return false
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
	list := w.readings["names"][s.scope()]
	if len(list) == 0 {
		return nil
	}
	r := list[0] // the first observer counts the record; the others count side effects
	if r.Err == "" && !r.Inferred && len(r.IDs) > 0 && !slices.Contains(r.IDs, s.id) {
		w.take(judge.Opinion{Findings: []reports.Finding{{
			Kind: reports.Lost, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
			Message:  fmt.Sprintf("%q names a record that %s does not show", s.Name, r.Observer),
			Expected: strings.Join(r.IDs, " or "), Found: s.id, IDs: []string{s.id}, Exchanges: []string{s.Name},
		}}})
	}
	return nil
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
	if c := w.target.Profile.Mismatch; c.Provenance == targets.Documented && c.Has(targets.ModeOverwrite) {
		w.note(false, "the record %s is not as it was when %q created it, as is documented: %s became %s", s.id, s.Name, want, got)
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
			"in %d of %d rounds two sends were with the target at the same time; it takes %d to tell", w.overlap.Overlapped,
			w.overlap.Rounds, w.overlap.Planned))
	}
	return nil
}
