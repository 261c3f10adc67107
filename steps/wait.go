package steps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// waitOut really waits, where that is how a target's time moves. It says how far it is, and until when it lasts.
func (w *world) waitOut(ctx context.Context, by time.Duration) error {
	// The wall clock counts: that of the processor stands still while a machine sleeps.
	now := func() time.Time { return w.Now().Round(0) }
	began := now()
	until := began.Add(by)
	w.fault(fmt.Sprintf("waiting for %s, until %s", spell(by.Round(time.Second)), until.Format("2006-01-02 15:04:05 MST")), nil)
	slice := min(max(by/100, 100*time.Millisecond), 30*time.Second)
	most := 10 * int(by/slice+1) // rounds; more than that, and time does not pass
	for range most {
		left := until.Sub(now())
		w.waited(by-max(left, 0), by, until)
		if left <= 0 {
			return nil
		}
		if err := w.Wait(ctx, min(left, slice)); err != nil {
			return fmt.Errorf("wait for time to pass: %w", err)
		}
	}
	return unclear("of %s only %s passed while waiting", spell(by), now().Sub(began))
}

// waited shows how far the wait is.
func (w *world) waited(done, of time.Duration, until time.Time) {
	w.emit(w.c.ID, reports.Event{Kind: reports.KindProgress, Progress: &reports.Progress{
		What: "s, waiting until " + until.Format("15:04:05"), Done: int(done.Seconds()), Of: int(of.Seconds()),
	}})
}

// waiting is how long a case really waits at most, where that is how the target's time moves; else 0.
func waiting(c Case, t *targets.Target) time.Duration {
	if t.Clock == nil || !t.Clock.Wait || !c.needs(targets.NeedClock) {
		return 0
	}
	if c.needs(targets.NeedContentWindow) {
		within := t.Profile.ContentFilter.Within.Std()
		return within + justBeside(within)
	}
	if c.needs(targets.NeedRetentionMax) {
		end := endOfRetention(t.Profile)
		return end + justBeside(end)
	}
	if c.needs(targets.NeedHorizon) {
		return horizon(t.Profile)
	}
	if c.needs(targets.NeedMemory) {
		return memory(t.Profile)
	}
	return t.Profile.Retention.Min.Std()
}

// needs reports whether a case has a need.
func (c Case) needs(n targets.Need) bool { return slices.Contains(c.Needs, n) }

// clockLanes is how many cases about time run at once. A clock that is moved is everybody's; a header is that of a
// request; and those who really wait do so together.
func (e *engine) clockLanes() int {
	switch c := e.target.Clock; {
	case c != nil && c.Wait:
		return len(e.Cases)
	case c != nil && c.Header != nil:
		return e.Concurrency
	}
	return 1
}
