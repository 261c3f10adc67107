package steps

import (
	"context"
	"fmt"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// rounds says how many overlapping rounds a double send is repeated for: a race that is open for microseconds is not met
// every time. It ends early at the first finding, and gives up after twice as many rounds.
func (a togetherArgs) rounds() int {
	switch {
	case a.Key == "distinct":
		return 5
	case a.Count == 2:
		return 10
	}
	return 20
}

// togetherCost is what a double send costs at most. Only the round that ends it can create more than is right.
func togetherCost(args map[string]string) cost {
	a, err := decode[togetherArgs](args)
	if err != nil {
		return cost{}
	}
	most := 2 * a.rounds()
	right := a.records().Max
	return cost{requests: (a.Count + 1) * most, records: right*(most-1) + a.Count, readings: most}
}

// togetherArgs are the arguments of the verb together.
type togetherArgs struct {
	Count int    `arg:"count" doc:"how many workers, 2 or more"`
	Key   string `arg:"key" doc:"same: one key for all; distinct: a key each"`
}

// situation is what each send of a round amounts to.
func (a togetherArgs) situation() judge.Situation {
	if a.Key == "distinct" {
		return judge.OwnRequest
	}
	return judge.Together
}

// records is how many records of a round are right.
func (a togetherArgs) records() judge.Expectation {
	if a.Key == "distinct" {
		return judge.Exactly(a.Count)
	}
	return judge.Exactly(1)
}

// together sends at the same moment, round after round, each with its own key and marker. Every round is judged and
// counted by itself; the steps that follow look at the last one.
func (w *world) together(ctx context.Context, a togetherArgs) error {
	if a.Count < 2 {
		return fmt.Errorf("%d workers cannot send at the same moment; it takes 2", a.Count)
	}
	o := &reports.Overlap{Sends: a.Count, Planned: a.rounds()}
	w.overlap = o
	for {
		if w.short(a.Count) && o.Overlapped > 0 {
			w.note(false, "limit: %d of %d planned rounds; limits.records leaves no room for more", o.Overlapped, o.Planned)
			o.Planned, o.Overlapping = o.Overlapped, true
			return nil
		}
		if err := w.approve(ctx, approveArgs{}); err != nil {
			return err
		}
		if err := w.round(ctx, a); err != nil {
			return err
		}
		broken := len(w.evidence.Findings) > 0
		o.Overlapping = o.Overlapped >= o.Planned || o.Overlapped > 0 && broken
		if o.Overlapping || broken || o.Rounds == 2*o.Planned {
			return nil
		}
		w.nextRound(o.Rounds)
	}
}

// round sends once together and judges what came of it.
func (w *world) round(ctx context.Context, a togetherArgs) error {
	b, err := w.burst(ctx, a)
	if err != nil {
		return err
	}
	o := w.overlap
	o.Rounds++
	if b.Overlapped() {
		o.Overlapped++
	}
	o.Technique = b.Technique
	o.SpreadUS = max(o.SpreadUS, float64(b.Spread)/float64(time.Microsecond))
	o.InProgress += w.inProgress()
	for _, s := range w.history {
		if err := w.judgeAttempt(s, nil, a.situation()); err != nil {
			return err
		}
	}
	if a.Key == "same" {
		if err := w.expectOneRecord(ctx, oneRecordArgs{}); err != nil {
			return err
		}
	}
	w.expect[scope{mainOperation(w.target).Name, ""}] = a.records()
	w.judgeCounts(ctx, fmt.Sprintf("after round %d", o.Rounds))
	w.giveBack(a.Count - w.foundRecords())
	return nil
}

// foundRecords is how many records of the main operation the last count found; what could not be counted may be there.
func (w *world) foundRecords() int {
	n := 0
	for _, t := range w.tallies {
		switch {
		case t.SideEffect:
		case t.Found == nil:
			return len(w.history)
		default:
			n += *t.Found
		}
	}
	return n
}

// nextRound leaves a round behind: the case goes on with a fresh history, marker and key.
func (w *world) nextRound(round int) {
	w.past = append(w.past, pastRound{w.marker, w.expect})
	w.freshMarker(round + 1)
	w.firstKey, w.expect = "", map[scope]judge.Expectation{}
	w.history, w.artifact = nil, nil
	clear(w.approved)
}

func (w *world) inProgress() int {
	n := 0
	for _, s := range w.history {
		if s.disposition == reports.InProgress {
			n++
		}
	}
	return n
}

// burst prepares all attempts, lets them go together and classifies them in the order of their answers.
func (w *world) burst(ctx context.Context, a togetherArgs) (burst.Burst, error) {
	all := make([]*sent, a.Count)
	attempts := make([]targets.Attempt, a.Count)
	for i := range all {
		args := sendArgs{As: fmt.Sprintf("worker %d", i+1), Key: "own"}
		if a.Key == "same" && i > 0 {
			args.Key = "same"
		}
		s, err := w.prepare(args)
		if err != nil {
			return burst.Burst{}, err
		}
		if err := w.spend(s); err != nil {
			return burst.Burst{}, err
		}
		if a.Key == "same" {
			s.keyWords = "one key for all"
		}
		all[i], attempts[i] = s, s.Attempt
	}
	b := burst.Send(ctx, w.Endpoint.Sender, attempts)
	for i, x := range b.Exchanges {
		w.enter(all[i], x)
	}
	w.classify(w.byCreation(all))
	return b, nil
}

// classify settles the dispositions of attempts that ran at the same time, in the given order: the first success is the
// creation and later ones are its replays.
func (w *world) classify(ordered []*sent) {
	for _, s := range ordered {
		w.settleDisposition(s)
	}
	for _, s := range ordered {
		w.show(s, reports.PurposeAttempt)
	}
}
