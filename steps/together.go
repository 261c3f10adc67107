package steps

import (
	"context"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// togetherArgs are the arguments of the verb together.
type togetherArgs struct {
	Count int    `arg:"count" doc:"how many workers, 2 to 200"`
	Key   string `arg:"key" doc:"same: one key for all; distinct: a key each"`
	Mix   string `arg:"mix" of:"mix" doc:"what every second worker does otherwise"`
	Of    string `arg:"of" doc:"what is sent: the operation (the default), or event for deliveries to the receiver"`
	Way   string `arg:"technique" of:"technique" doc:"how the sends are made to arrive together; default: the best that the target speaks"`
}

// rounds says how many overlapping rounds a double send is repeated for: a race that is open for microseconds is not met
// every time. It ends early at the first finding, and gives up after twice as many rounds.
func (a togetherArgs) rounds() int {
	switch {
	case a.Key == "distinct", a.Mix != "", a.Way != "":
		return 5
	case a.Count > 20:
		return 3
	case a.Count == 2, a.Of == event:
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
	right := a.most()
	return cost{requests: (a.Count + 1) * most, records: right*(most-1) + a.Count, readings: most}
}

// most is how many records a round leaves at most on a target that is right.
func (a togetherArgs) most() int {
	switch {
	case a.Key == "distinct":
		return a.Count
	case a.Mix == "tenants", a.Mix == "operations":
		return 2
	}
	return 1
}

// together sends at the same moment, round after round, each with its own key and marker. Every round is judged and
// counted by itself; the steps that follow look at the last one.
func (w *world) together(ctx context.Context, a togetherArgs) error {
	if a.Count < 2 || a.Count > 200 {
		return fmt.Errorf("%d workers at the same moment: it goes from 2 to 200", a.Count)
	}
	if err := w.fit(&a); err != nil {
		return err
	}
	o := &reports.Overlap{Sends: a.Count, Planned: a.rounds()}
	w.overlap = o
	for {
		if w.short(a.Count) && o.Overlapped > 0 {
			w.note(false, "limit: %d of %d planned rounds; limits.records leaves no room for more", o.Overlapped, o.Planned)
			o.Planned, o.Overlapping = o.Overlapped, true
			return nil
		}
		if err := w.approveRound(ctx, a); err != nil {
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
		if err := w.obeyRate(ctx); err != nil {
			return err
		}
		w.nextRound(o.Rounds)
	}
}

// fit takes fewer workers where the run may not create as many records, but never fewer than two.
func (w *world) fit(a *togetherArgs) error {
	w.mu.Lock()
	left := w.budget
	w.mu.Unlock()
	switch {
	case left < 2:
		return unclear("limit: the run may create %d more records, and two sends need room for 2 (limits.records)", left)
	case left < a.Count:
		w.note(false, "limit: %d of %d workers; limits.records leaves no room for more", left, a.Count)
		a.Count = left
	}
	return nil
}

// round sends once together and judges what came of it.
func (w *world) round(ctx context.Context, a togetherArgs) error {
	b, err := w.burst(ctx, a)
	if err != nil {
		return err
	}
	w.measured(a, b)
	if err := w.judgeRound(ctx, a); err != nil {
		return err
	}
	o := w.overlap
	w.judgeCounts(ctx, fmt.Sprintf("after round %d", o.Rounds))
	if w.raced() {
		o.Raced++
	}
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
	w.past = append(w.past, pastRound{w.marker, w.expect, w.tallies})
	w.freshMarker(round + 1)
	w.firstKey, w.expect = "", map[scope]judge.Expectation{}
	w.history, w.artifact = nil, nil
	clear(w.approved)
	clear(w.readings) // what was counted of another marker says nothing of this one
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

// burst prepares all attempts, lets them go together and classifies them.
func (w *world) burst(ctx context.Context, a togetherArgs) (burst.Burst, error) {
	all := make([]*sent, a.Count)
	attempts := make([]targets.Attempt, a.Count)
	for i := range all {
		s, err := w.prepare(a.worker(i))
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
	b := burst.Send(ctx, w.Endpoint.Sender, attempts, w.technique(a))
	for i, x := range b.Exchanges {
		w.enter(all[i], x)
	}
	w.followed(ctx, all...)
	var counted map[scope][]targets.Reading
	if a.Mix == "tenants" || a.Mix == "operations" {
		// Who created a record, where one key is sent to several places, is seen by where the record is.
		w.readAll(ctx, attribution)
		counted = w.readings[attribution]
		for _, s := range all {
			delete(w.seen, w.recordNamed(*w.target.Operations.Named(s.Operation), s))
		}
	}
	w.classify(w.byCreation(all, counted))
	return b, nil
}

// attribution is the label of the readings that show where a record was made.
const attribution = "to tell where"

// worker gives what the i-th worker sends.
func (a togetherArgs) worker(i int) sendArgs {
	args := sendArgs{As: fmt.Sprintf("worker %d", i+1), Operation: a.Of, Key: "own"}
	if a.Key == "same" && i > 0 {
		args.Key = "same"
	}
	if i%2 == 0 {
		return args
	}
	switch a.Mix {
	case "payloads":
		args.Revision = "P4"
	case "tenants":
		args.Namespace = "other_tenant"
	case "operations":
		args.Operation = "other"
	case "replicas":
		args.To = "replica"
	}
	return args
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
