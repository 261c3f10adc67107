package steps

import (
	"context"
	"errors"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
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
	// The target must have claimed the key before the second arrives; half of the slowness is ample for that and leaves
	// the other half for the second to be answered.
	waited := w.Wait(ctx, slowness/2)
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
