package steps

import (
	"context"
	"errors"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// duringArgs are the arguments of the verbs during and held_open.
type duringArgs struct {
	First    string `arg:"first" doc:"a name for the attempt that takes long"`
	Second   string `arg:"second" doc:"a name for the one sent meanwhile"`
	Revision string `arg:"payload_revision" doc:"the payload revision of the second"`
}

// pair builds the two attempts of one key.
func (w *world) pair(ctx context.Context, a duringArgs, first sendArgs) (one, two *sent, err error) {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return nil, nil, err
	}
	first.As = a.First
	if one, err = w.prepare(first); err != nil {
		return nil, nil, err
	}
	if two, err = w.prepare(sendArgs{As: a.Second, Key: "same", Revision: a.Revision}); err != nil {
		return nil, nil, err
	}
	return one, two, errors.Join(w.spend(one), w.spend(two))
}

// during sends a slow attempt and, while that runs, a second one.
func (w *world) during(ctx context.Context, a duringArgs) error {
	first, second, err := w.pair(ctx, a, sendArgs{Switch: "slow"})
	if err != nil {
		return err
	}
	done := w.sendAside(ctx, first.Attempt)
	// The target must have claimed the key before the second arrives; half of the slowness is ample for that and leaves
	// the other half for the second to be answered.
	waited := w.Wait(ctx, slowness/2)
	x := w.Endpoint.Sender.Send(ctx, second.Attempt)
	w.enter(first, <-done)
	w.enter(second, x)
	ran := w.ran(ctx, first, second)
	// In the order of sending: a target that lets the second wait answers both at nearly the same instant.
	w.classify(w.followed(ctx, first, second))
	return errors.Join(waited, ran)
}

// followed learns what became of attempts that ran at the same time, once all of them were answered.
func (w *world) followed(ctx context.Context, all ...*sent) []*sent {
	for _, s := range all {
		w.follow(ctx, s)
	}
	return all
}

// ran says whether the first attempt was still running when the second was sent: it was not answered yet, or its job has
// still not ended. It is asked before anybody waits for the job.
func (w *world) ran(ctx context.Context, first, second *sent) error {
	err := w.provenRunning(first, second)
	if err != nil && second.Began.After(first.Wrote) && w.jobRuns(ctx, first) {
		w.note(false, "%q was sent and answered while the job of %q was running", second.Name, first.Name)
		return nil
	}
	return err
}

// jobRuns reports whether an attempt was accepted and its job says that it has not ended.
func (w *world) jobRuns(ctx context.Context, s *sent) bool {
	a := w.target.Profile.Async
	if a == nil || !s.Succeeded() || a.JobOf(s.Exchange) == "" {
		return false
	}
	x := w.ask(ctx, s, s.URL, a.JobOf(s.Exchange))
	return x.Answered() && !a.Ended(x)
}

// provenRunning says whether the second attempt was wholly sent while the first had been sent and not answered. Nothing
// is proven otherwise.
func (w *world) provenRunning(first, second *sent) error {
	if first.Wrote.IsZero() || !second.Began.After(first.Wrote) || !first.FirstByte.IsZero() && !second.Wrote.Before(first.FirstByte) {
		return unclear("it is not proven that %q was still running when %q was sent", first.Name, second.Name)
	}
	w.note(false, "%q was sent %s after %q was wholly sent and %s before that was answered", second.Name,
		second.Began.Sub(first.Wrote).Round(time.Millisecond), first.Name, first.FirstByte.Sub(second.Wrote).Round(time.Millisecond))
	return nil
}

// sendAside sends an attempt on a goroutine of its own.
func (w *world) sendAside(ctx context.Context, a targets.Attempt) <-chan targets.Exchange {
	done := make(chan targets.Exchange, 1)
	go func() { done <- w.Endpoint.Sender.Send(ctx, a) }()
	return done
}

// heldOpen sends the first attempt up to its last byte, then the second whole, and only when that was answered (or
// waits itself) the last byte of the first. It needs nothing of the target: the first is open as long as we hold it.
func (w *world) heldOpen(ctx context.Context, a duringArgs) error {
	first, second, err := w.pair(ctx, a, sendArgs{})
	if err != nil {
		return err
	}
	held := w.Endpoint.Sender.Prepare(ctx, first.Attempt)
	done := w.sendAside(ctx, second.Attempt)
	// A target that lets the second wait for the first would wait for ever, so the first is let go after a while.
	var x targets.Exchange
	answered := false
	patience, stop := context.WithTimeout(ctx, slowness)
	select {
	case x = <-done:
		answered = true
	case <-patience.Done():
	}
	stop()
	released := w.Now()
	held.Release()
	one := held.Finish(ctx)
	if one.Wrote.IsZero() && one.Answered() {
		one.Wrote = released // it was answered before its last byte came, so that this could not be sent any more
	}
	if !answered {
		x = <-done
	}
	w.enter(first, one)
	w.enter(second, x)
	w.classify(w.byCreation(w.followed(ctx, first, second), nil))
	if second.Wrote.IsZero() || !second.Wrote.Before(first.Wrote) {
		return unclear("it is not proven that %q was still open when %q was sent", a.First, a.Second)
	}
	w.note(false, "%q was sent while the body of %q was held open for %s", a.Second, a.First, first.Wrote.Sub(first.Connected).Round(time.Millisecond))
	return nil
}

// outliveArgs are the arguments of the verb outlive.
type outliveArgs struct {
	First  string `arg:"first" doc:"a name for the attempt that takes longer than the lock lives"`
	Second string `arg:"second" doc:"a name for the one sent after the lock would have ended, while the first still runs"`
}

// outlive sends an attempt that takes longer than the target's lock lives, and a second one when the lock would have
// ended.
func (w *world) outlive(ctx context.Context, a outliveArgs) error {
	lock := w.target.Lock.Std()
	took := lock + lock/2
	first, second, err := w.pair(ctx, duringArgs{First: a.First, Second: a.Second}, sendArgs{Switch: "slow", Duration: took.String()})
	if err != nil {
		return err
	}
	done := w.sendAside(ctx, first.Attempt)
	waited := w.Wait(ctx, lock+lock/4)
	x := w.Endpoint.Sender.Send(ctx, second.Attempt)
	w.enter(first, <-done)
	w.enter(second, x)
	long := first.FirstByte.Sub(first.Wrote) >= lock || w.jobRuns(ctx, first)
	ran := w.ran(ctx, first, second)
	w.classify(w.followed(ctx, first, second))
	if !long {
		return errors.Join(waited, unclear("%q was answered after %s; the slow switch should have made it last longer than the lock (%s)",
			a.First, first.FirstByte.Sub(first.Wrote).Round(time.Millisecond), lock))
	}
	return errors.Join(waited, ran)
}
