package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// settleArgs are the arguments of the verb settle.
type settleArgs struct {
	As    string `arg:"as" doc:"a name for the attempt that settles"`
	KeyOf string `arg:"key_of" doc:"an attempt whose key is sent again; default: the first one's"`
}

// settle sends again until the target no longer says that it is busy with the first attempt. An answer that is still
// in-progress at the end of the bound stays in the history as what it is; the judge calls it stuck.
func (w *world) settle(ctx context.Context, a settleArgs) error {
	bound := w.Now().Add(w.settleBound())
	for {
		args := sendArgs{As: a.As, Key: "same", KeyOf: a.KeyOf}
		s, err := w.sendOne(ctx, args)
		if err != nil {
			return err
		}
		if s.disposition != reports.InProgress {
			return nil
		}
		pause := retryAfter(s.Exchange, 200*time.Millisecond, 2*time.Second)
		if w.Now().Add(pause).After(bound) {
			return nil
		}
		if err := w.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

func (w *world) settleBound() time.Duration {
	if d := w.target.Settles.Std(); d > 0 {
		return d
	}
	return 15 * time.Second
}

// changedArgs are the arguments of the verb changed.
type changedArgs struct{}

// eachMember sends the operation once for each material member, with that member changed, under the first key.
func (w *world) eachMember(ctx context.Context, _ changedArgs) error {
	for _, member := range mainOperation(w.target).Material {
		name := "changed " + member
		if _, err := w.sendOne(ctx, sendArgs{As: name, Key: "same", Body: "changed:" + member}); err != nil {
			return err
		}
		if err := w.expectHandled(ctx, handledArgs{As: name, Situation: string(judge.Mismatch)}); err != nil {
			return err
		}
	}
	return nil
}

// maxRounds bounds how often a double send is repeated to see its sends overlap.
const maxRounds = 5

// togetherArgs are the arguments of the verb together.
type togetherArgs struct {
	Count int    `arg:"count" doc:"how many workers, 2 or more"`
	Key   string `arg:"key" doc:"same: one key for all; distinct: a key each"`
}

// together sends at the same moment. A round whose sends did not overlap proves nothing, so that a fresh round follows,
// with its own key and marker, after the old one was counted; a duplicate in any round ends it.
func (w *world) together(ctx context.Context, a togetherArgs) error {
	if a.Count < 2 {
		return fmt.Errorf("%d workers cannot send at the same moment; it takes 2", a.Count)
	}
	for round := 1; ; round++ {
		if err := w.approve(ctx, approveArgs{}); err != nil {
			return err
		}
		b, err := w.burst(ctx, a)
		if err != nil {
			return err
		}
		w.overlap = &reports.Overlap{
			Sends: a.Count, Overlapping: b.Overlapped(), Rounds: round, Technique: b.Technique,
			SpreadUS: float64(b.Spread) / float64(time.Microsecond), InProgress: w.inProgress(),
		}
		if w.overlap.Overlapping || round == maxRounds || len(w.evidence.Findings) > 0 {
			return nil
		}
		want := judge.Exactly(1)
		if a.Key == "distinct" {
			want = judge.Exactly(a.Count)
		}
		w.expect[scope{mainOperation(w.target).Name, ""}] = want
		w.judgeCounts(ctx, fmt.Sprintf("after round %d", round))
		w.nextRound(round)
	}
}

// nextRound leaves a round behind: the history goes on, with a fresh marker and a fresh key.
func (w *world) nextRound(round int) {
	w.past = append(w.past, pastRound{w.marker, w.expect})
	w.freshMarker(round + 1)
	w.firstKey, w.expect = "", map[scope]judge.Expectation{}
	w.history = nil
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
	w.classify(byEnd(all))
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

// duringArgs are the arguments of the verb during.
type duringArgs struct {
	First  string `arg:"first" doc:"a name for the attempt that takes long"`
	Second string `arg:"second" doc:"a name for the one sent meanwhile"`
}

// during sends a slow attempt and, once that is wholly written, a second one. The second proves something only if it
// was answered before the first: then the first was still running.
func (w *world) during(ctx context.Context, a duringArgs) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	first, err := w.prepare(sendArgs{As: a.First, Switch: "slow"})
	if err != nil {
		return err
	}
	second, err := w.prepare(sendArgs{As: a.Second, Key: "same"})
	if err != nil {
		return err
	}
	if err := errors.Join(w.spend(first), w.spend(second)); err != nil {
		return err
	}
	done := make(chan targets.Exchange, 1)
	go func() { done <- w.Endpoint.Sender.Send(ctx, first.Attempt) }()
	// The target must have claimed the key before the second arrives; a quarter of the slowness is ample for that and
	// leaves three quarters for the second to be answered.
	waited := w.Wait(ctx, slowness/4)
	x := w.Endpoint.Sender.Send(ctx, second.Attempt)
	w.enter(first, <-done)
	w.enter(second, x)
	// In the order of sending: a target that lets the second wait answers both at nearly the same instant.
	w.classify([]*sent{first, second})
	if waited != nil {
		return waited
	}
	if first.Wrote.IsZero() || !second.Began.After(first.Wrote) || !second.Wrote.Before(first.FirstByte) {
		return unclear("it is not proven that %q was still running when %q was sent", a.First, a.Second)
	}
	return nil
}

// readArgs are the arguments of the verb read.
type readArgs struct {
	Label string `arg:"label" doc:"a name for this reading"`
}

func (w *world) read(ctx context.Context, a readArgs) error {
	w.readAll(ctx, a.Label)
	return nil
}
