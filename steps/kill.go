package steps

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
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
	killed := w.strikeDown(ctx)
	x := <-done
	w.enter(s, x)
	w.follow(ctx, s)
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

// killMoments is in how many moments of a request the target is killed where its file does not say.
const killMoments = 4

// momentsArgs are the arguments of the verb kill_swept.
type momentsArgs struct{}

// killSwept kills the target at moments spread over the time that a request takes, each in a history of its own.
func (w *world) killSwept(ctx context.Context, _ momentsArgs) error {
	took, err := w.duration(ctx)
	if err != nil {
		return err
	}
	moments := make([]time.Duration, w.moments())
	for i := range moments {
		moments[i] = took * time.Duration(i) / time.Duration(len(moments))
	}
	w.right = 1
	struck := 0
	w.progress("moments", 0, len(moments))
	err = sweepAll(ctx, w.lanes(ctx, len(moments)), moments, w.killAt, func(done int, p reports.CrashPoint) {
		if p.Fired {
			struck++
		}
		w.enterPoint(p)
		w.progress("moments", done, len(moments))
	})
	w.note(false, "killed at %d moments of a request that takes %s, %d of them before its answer; this is a weak search: it would have met a "+
		"window of %s with 95 %%, and a shorter one perhaps not", len(moments), took.Round(10*time.Microsecond), struck,
		min(took, 3*took/time.Duration(len(moments))).Round(10*time.Microsecond))
	if err == nil && struck == 0 && len(w.evidence.Findings) == 0 {
		return w.noneStruck(ctx)
	}
	return err
}

// noneStruck: killing took longer than answering, as it may with containers. Where the target is also stopped at its crash
// points this search adds nothing to them; where it is all there is, nothing can be told.
func (w *world) noneStruck(ctx context.Context) error {
	if p := w.Endpoint.Points; p != nil && p.Can(targets.Kill) {
		w.note(true, "killing this target takes longer than its answer, so that no kill struck a request: what is known of crashes before an answer "+
			"is what the sweep over its crash points tells")
		return w.killNow(ctx, killAfterArgs{}) // which shows that it can be killed at all
	}
	return unclear("the target answered before each kill, so that no kill struck a request")
}

func (w *world) moments() int {
	if c := crashPoints(w.target); c != nil && c.Moments > 0 {
		return c.Moments
	}
	return killMoments
}

// duration measures how long the operation takes, by one send in a history of its own.
func (w *world) duration(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, w.CaseTimeout)
	defer cancel()
	c := w.child(w.Endpoint, "measured")
	if err := sendDry(ctx, c); err != nil {
		return 0, err
	}
	s := c.history[0]
	return s.FirstByte.Sub(s.Began), nil
}

// firstByte is the part of a kill at the first byte of the answer.
const firstByte = "at the first byte"

// killAt is the history of one moment. Where the answer was faster than the kill it is that of a crash after an answer.
func (w *world) killAt(ctx context.Context, lane *targets.Endpoint, delay time.Duration) (reports.CrashPoint, error) {
	part := "after " + delay.Round(10*time.Microsecond).String()
	return w.killOnce(ctx, lane, part, func(ctx context.Context, f *faulty, kill func()) (targets.Exchange, error) {
		done := f.sendAside(ctx, f.first.Attempt)
		err := f.Wait(ctx, delay)
		kill()
		return <-done, err
	})
}

// firstByteArgs are the arguments of the verb kill_first_byte.
type firstByteArgs struct{}

// killAtFirstByte kills the target when the first byte of its answer arrives: what it promises must be there then.
func (w *world) killAtFirstByte(ctx context.Context, _ firstByteArgs) error {
	w.right = 1
	p, err := w.killOnce(ctx, w.Endpoint, firstByte, func(ctx context.Context, f *faulty, kill func()) (targets.Exchange, error) {
		open, err := f.holdOpen(ctx)
		if err != nil {
			return targets.Exchange{}, err
		}
		attempt := f.first.Attempt
		attempt.OnFirstByte = kill
		x := f.Endpoint.Sender.Send(ctx, attempt)
		kill() // where no answer came, nobody has been told of its first byte
		return x, open(ctx)
	})
	if err != nil {
		return err
	}
	w.enterPoint(p)
	return nil
}

// killedSend sends the first attempt and has the target killed meanwhile.
type killedSend func(ctx context.Context, f *faulty, kill func()) (targets.Exchange, error)

// killOnce is one history: sent, killed, restarted, sent again until it settles, counted.
func (w *world) killOnce(ctx context.Context, lane *targets.Endpoint, part string, send killedSend) (reports.CrashPoint, error) {
	ctx, cancel := context.WithTimeout(ctx, w.CaseTimeout)
	defer cancel()
	defer w.raise(ctx, lane)
	s := &sweep{world: w, fault: targets.Kill}
	f := w.newFaulty(lane, part, targets.Kill)
	struck, err := f.killWhile(ctx, send)
	if err == nil {
		err = f.revive(ctx, s)
	}
	if err == nil {
		f.judge(ctx)
	}
	return s.end(ctx, f, targets.Point{}, struck, err)
}

// killWhile reports whether the kill came before the answer, or at its first byte.
func (f *faulty) killWhile(ctx context.Context, send killedSend) (struck bool, err error) {
	if err := f.approve(ctx, approveArgs{}); err != nil {
		return false, err
	}
	if f.first, err = f.build(f.world, "killed "+f.part, ""); err != nil {
		return false, err
	}
	if err := f.spend(f.first); err != nil {
		return false, err
	}
	var once sync.Once
	var killed error
	var ended time.Time
	kill := func() { once.Do(func() { killed, ended = f.strikeDown(ctx), f.Now() }) }
	x, err := send(ctx, f, kill)
	kill()
	f.enterFirst(x, false, targets.Kill)
	f.world.fault("killed "+f.part, killed)
	switch {
	case killed != nil:
		err = unclear("the target could not be killed: %v", killed)
	case err == nil && f.part != firstByte:
		err = f.survived(x, ended)
	}
	return !x.Answered() || f.part == firstByte && !x.FirstByte.IsZero(), err
}

// killAfterArgs are the arguments of the verb kill_after.
type killAfterArgs struct{}

// killNow kills the target between two requests.
func (w *world) killNow(ctx context.Context, _ killAfterArgs) error {
	open, err := w.holdOpen(ctx)
	if err != nil {
		return err
	}
	err = w.strikeDown(ctx)
	w.fault("killed", err)
	died := open(ctx)
	switch {
	case err != nil:
		return unclear("the target could not be killed: %v", err)
	case died != nil:
		return died
	}
	return w.restart(ctx, restartArgs{})
}
