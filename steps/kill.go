package steps

import (
	"context"
	"fmt"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// killArgs are the arguments of the verb kill.
type killArgs struct {
	As string `arg:"as" doc:"a name for the attempt in whose work the target is killed"`
}

// killSlow has the target killed while it provably works on an attempt: it was told to be slow.
func (w *world) killSlow(ctx context.Context, a killArgs) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	s, err := w.prepare(sendArgs{As: a.As, Switch: "slow"})
	if err != nil {
		return err
	}
	if err := w.spend(s); err != nil {
		return err
	}
	fired, err := w.killDuring(ctx, s, slowness/2)
	if err != nil {
		return err
	}
	if !fired {
		return unclear("%q was answered before the target was killed: the slow switch had no effect", a.As)
	}
	return nil
}

// killDuring sends an attempt, kills the target after a delay, and starts it again on the same data. It reports whether
// the kill came before the answer.
func (w *world) killDuring(ctx context.Context, s *sent, delay time.Duration) (fired bool, err error) {
	done := w.sendAside(ctx, s.Attempt)
	waited := w.Wait(ctx, delay)
	killed := w.Endpoint.Kill(ctx)
	x := <-done
	w.enter(s, x)
	w.settleDisposition(s)
	w.show(s, reports.PurposeAttempt)
	w.fault(fmt.Sprintf("killed %s after %q was sent", delay.Round(10*time.Microsecond), s.Name), killed)
	if waited != nil {
		return false, waited
	}
	if killed != nil {
		return false, unclear("the target could not be killed: %v", killed)
	}
	if err := w.restart(ctx, restartArgs{}); err != nil {
		return false, err
	}
	return !x.Answered(), nil
}

// fault writes what was done to the target into the stream.
func (w *world) fault(text string, err error) {
	f := reports.Fault{Text: text}
	if err != nil {
		f.Err = err.Error()
	}
	w.emit(w.c.ID, reports.Event{Kind: reports.KindFault, Fault: &f})
}

// killTrials is in how many moments of a request the target is killed. Killing at a moment is a weak search: a window is
// met only if a moment falls into it.
const killTrials = 4

// sweepArgs are the arguments of the verb kill_swept.
type sweepArgs struct{}

// killSwept kills the target at moments spread over the time that a request takes, each in a round of its own: restart,
// send again under the same key until it settles, count.
func (w *world) killSwept(ctx context.Context, _ sweepArgs) error {
	took, err := w.duration(ctx)
	if err != nil {
		return err
	}
	fired := 0
	for trial := range killTrials {
		w.nextRound(trial + 1)
		hit, err := w.killTrial(ctx, took*time.Duration(trial)/killTrials)
		if err != nil {
			return err
		}
		if hit {
			fired++
		}
		if len(w.evidence.Findings) > 0 {
			break
		}
	}
	w.note(false, "killed at %d moments of a request that takes %s, %d of them before its answer; a window shorter than %s between two of them is not seen",
		killTrials, took.Round(10*time.Microsecond), fired, (took / killTrials).Round(10*time.Microsecond))
	if fired == 0 && len(w.evidence.Findings) == 0 {
		return unclear("the target answered before each kill, so that no kill struck a request")
	}
	return nil
}

// duration measures how long the operation takes, by one send in a round of its own.
func (w *world) duration(ctx context.Context) (time.Duration, error) {
	if err := w.complete(ctx, completeArgs{As: "measured"}); err != nil {
		return 0, err
	}
	s, err := w.find("measured")
	if err != nil {
		return 0, err
	}
	return s.FirstByte.Sub(s.Began), nil
}

// killTrial is one moment: the kill, the restart, the retry and the count.
func (w *world) killTrial(ctx context.Context, delay time.Duration) (fired bool, err error) {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return false, err
	}
	s, err := w.prepare(sendArgs{As: "killed"})
	if err != nil {
		return false, err
	}
	if err := w.spend(s); err != nil {
		return false, err
	}
	if fired, err = w.killDuring(ctx, s, delay); err != nil {
		return fired, err
	}
	w.readAll(ctx, "after the restart")
	began := w.Now()
	if err := w.settle(ctx, settleArgs{As: "retry"}); err != nil {
		return fired, err
	}
	situation := judge.AfterLostAnswer
	if s.Answered() {
		situation = judge.Replay
	}
	if err := w.expectHandled(ctx, handledArgs{As: "retry", Situation: string(situation), First: "killed"}); err != nil {
		return fired, err
	}
	w.expect[s.scope()] = judge.Exactly(1)
	w.judgeCounts(ctx, "after the retry")
	w.note(false, "killed at %s: settled %s after the restart", delay.Round(10*time.Microsecond), w.Now().Sub(began).Round(time.Millisecond))
	return fired, nil
}

// killAfterArgs are the arguments of the verb kill_after.
type killAfterArgs struct{}

// killNow kills the target between two requests.
func (w *world) killNow(ctx context.Context, _ killAfterArgs) error {
	err := w.Endpoint.Kill(ctx)
	w.fault("killed", err)
	if err != nil {
		return unclear("the target could not be killed: %v", err)
	}
	return w.restart(ctx, restartArgs{})
}
