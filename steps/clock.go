package steps

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// passage is how far a case has moved the target's time, beside the time that really passes.
type passage struct {
	moved time.Duration
	over  map[string]bool // keys whose retention is over, if the clock did what it was told
	shown bool            // a key has shown that time has moved
	// until is when, by the run's clock, the time may end that a case is just inside of; zero: it is not inside of one.
	until  time.Time
	moment string // the last one to which the case moved
	// read says that the last move was read off the target's clock, and not off the age of a key.
	read bool
	// remark is what the one line about a case that passed must not leave out.
	remark string
}

// arrival is when an attempt had ended, and by how much the target's time had been moved until then.
type arrival struct {
	entered     time.Time
	movedBefore time.Duration
}

// unreadClock is why a move says nothing.
const unreadClock = "nothing shows that the clock moved: say how the target's time is read (clock.now)"

// readable reports whether a reading proves each move: of the target's time, or of our own where time really passes.
func (w *world) readable() bool { return w.target.Clock.Wait || w.target.Clock.Now != nil }

// advance moves the target's time forward, and proves by a reading that it moved just as far, give or take a tolerance.
// Where the target's time cannot be read, it is for the key to show it.
func (w *world) advance(ctx context.Context, by, tolerance time.Duration, of *sent) error {
	if w.target.Clock.Wait {
		return w.waitOut(ctx, by)
	}
	before, err := w.readTime(ctx, of)
	if err != nil {
		return err
	}
	if err := w.push(ctx, by, of); err != nil {
		return err
	}
	w.passage.moved += by
	after, err := w.readTime(ctx, of)
	if err != nil || before == nil {
		return err
	}
	shift := after.at.Sub(before.at)
	clock := shift - after.when.Sub(before.when) // a clock also runs by itself
	age := -shift                                // the time at which a key was stored lies further back
	if w.passage.read = off(clock, by) <= tolerance; w.passage.read {
		w.shift(by)
		return nil
	}
	if off(age, by) <= tolerance {
		return nil
	}
	return unclear("the clock was to move by %s, and reading it shows %s (%s, then %s)", spell(by), spell(clock.Round(time.Millisecond)),
		before.at.UTC().Format(time.RFC3339), after.at.UTC().Format(time.RFC3339))
}

// shift notes that the target's clock, and not the age of what it keeps, was moved for everybody.
func (w *world) shift(by time.Duration) {
	if w.target.Clock.Header != nil {
		return // told with each request
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead += by
}

// targetTime is the time by which the target goes, as far as the run has moved it: what is signed must not be of the past.
func (w *world) targetTime() time.Time {
	if c := w.target.Clock; c != nil && c.Header != nil {
		return w.Now().Add(w.passage.moved)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Now().Add(w.ahead)
}

func off(is, want time.Duration) time.Duration { return (is - want).Abs() }

// push does what the target file says moves the time.
func (w *world) push(ctx context.Context, by time.Duration, of *sent) (err error) {
	c := w.target.Clock
	vars := w.clockVars(by, of)
	switch {
	case c.HTTP != nil:
		x, failed := w.askClock(ctx, *c.HTTP, "clock", vars)
		if err = failed; err == nil && !x.Succeeded() {
			err = fmt.Errorf("%s", outcome(x))
		}
	case c.SQL != nil:
		var changed int64
		if changed, err = observe.Execute(ctx, c.SQL.DSN, c.SQL.All(), vars); err == nil && changed == 0 {
			err = fmt.Errorf("the statements changed no row")
		}
	case c.Command != nil:
		err = observe.Run(ctx, *c.Command, vars, observe.Deps{Redact: w.target.Secrets.Redact, Environ: w.Environ})
	}
	if err != nil {
		err = fmt.Errorf("%s", w.target.Secrets.Redact(err.Error()))
	}
	w.fault("clock moved by "+spell(by), err)
	if err != nil {
		return unclear("the clock could not be moved by %s: %v", spell(by), err)
	}
	return nil
}

// clockVars are what the section clock may name.
func (w *world) clockVars(by time.Duration, of *sent) targets.Vars {
	return w.vars(of).With(targets.Vars{"duration": by.String(), "seconds": strconv.FormatFloat(by.Seconds(), 'f', -1, 64), "key": of.Key})
}

// askClock sends a request of the section clock.
func (w *world) askClock(ctx context.Context, r targets.Request, name string, vars targets.Vars) (targets.Exchange, error) {
	base, headers := w.place("")
	a, err := r.Build(base, headers, vars)
	if err != nil {
		return targets.Exchange{}, err
	}
	a.Name, a.Timeout = name, w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, a)
	w.showExchange(x, reports.PurposeSetup, "", "", "")
	return x, nil
}

// moment is a reading of the target's time, and when it was taken.
type moment struct{ at, when time.Time }

// readTime reads the target's time; nil where its file does not say how.
func (w *world) readTime(ctx context.Context, of *sent) (*moment, error) {
	n := w.target.Clock.Now
	if n == nil {
		return nil, nil
	}
	m := &moment{}
	vars := w.clockVars(0, of)
	var text string
	var err error
	if n.SQL != nil {
		if text, err = observe.Value(ctx, *n.SQL, vars); err == nil {
			m.at, err = targets.ParseTime(text)
		}
	} else {
		var x targets.Exchange
		if x, err = w.askClock(ctx, n.Request, "time", vars); err == nil && !x.Succeeded() {
			err = fmt.Errorf("%s", outcome(x))
		} else if err == nil {
			m.at, err = n.Read(x)
		}
	}
	if m.when = w.Now(); err != nil {
		return nil, unclear("the target's time could not be read: %s", w.target.Secrets.Redact(err.Error()))
	}
	return m, nil
}

// timed adds the header with the time that the target is told, where that is how its time is moved. It goes with every
// request of a case about time, from the first on, so that the clocks of both machines need not agree.
func (w *world) timed(headers map[string]string) map[string]string {
	c := w.target.Clock
	if c == nil || c.Header == nil || w.c == nil || !w.c.needs(targets.NeedClock) {
		return headers
	}
	return over(headers, map[string]string{c.Header.Name: c.Header.Text(w.Now().Add(w.passage.moved))})
}

// spell writes a duration for people: 24h, 6m, 1h30m.
func spell(d time.Duration) string { return judge.Spell(d) }
