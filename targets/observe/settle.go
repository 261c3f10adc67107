package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// How a settle time becomes polls.
const (
	settleParts = 4                     // polls per settle time
	minPoll     = 20 * time.Millisecond // however short the settle time
	settleTimes = 10                    // a reading takes at most this many settle times
	settleGrace = 5 * time.Second       // and this much more, so that short ones can ride out an outage
)

// transient marks an error that may be gone at the next poll: no answer, 5xx, 429, a database that is starting. Only a
// reading with a settle time asks again; one without has exactly one try.
type transient struct{ error }

func (t transient) Unwrap() error { return t.error }

// settled reads until count, ids and refs have been the same for the settle time, and says how often it read. A
// transient error starts the time anew; any other ends the reading at once, as does the bound of ten settle times and
// five seconds.
func (o *observer) settled(ctx context.Context, q Query) (tally, int, error) {
	settle := o.spec.Settle.Std()
	if settle <= 0 {
		t, err := o.counter.count(ctx, q)
		return t, 1, err
	}
	every, bound := max(settle/settleParts, minPoll), settle*settleTimes+settleGrace
	var s steady
	end, polls := o.deps.Now().Add(bound), 0
	// The number of polls is bounded as well, so that a clock that stands still cannot hold a run up.
	for most := int(bound/every) + 1; ; {
		t, err := o.counter.count(ctx, q)
		polls++
		now := o.deps.Now()
		switch s.see(t, err, now); {
		case err != nil && !errors.As(err, new(transient)):
			return tally{}, polls, err
		case err == nil && now.Sub(s.since) >= settle:
			return t, polls, nil
		case polls >= most || !now.Before(end):
			return tally{}, polls, s.unsettled(settle, bound)
		}
		if err := o.deps.Wait(ctx, every); err != nil {
			return tally{}, polls, fmt.Errorf("wait for a stable count: %w", err)
		}
	}
}

// steady remembers since when readings have been the same.
type steady struct {
	since   time.Time // end of the first of the equal readings; zero: none yet
	last    tally
	changes int
	err     error // of the last reading
}

func (s *steady) see(t tally, err error, now time.Time) {
	s.err = err
	switch {
	case err != nil:
		s.since = time.Time{}
	case s.since.IsZero() || !sameTally(s.last, t):
		s.since, s.last = now, t
		s.changes++
	}
}

func (s *steady) unsettled(settle, bound time.Duration) error {
	if s.err != nil {
		return fmt.Errorf("%w (tried for %s)", s.err, bound)
	}
	return fmt.Errorf("the count was not stable for %s within %s: it changed %d times and was %d in the end",
		settle, bound, s.changes-1, s.last.count)
}

// sameTally compares without regard to order: lists are free to sort as they like.
func sameTally(a, b tally) bool {
	return a.count == b.count && sameSet(a.ids, b.ids) && sameSet(a.refs, b.refs)
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
