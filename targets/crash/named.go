package crash

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// askWithin bounds one request about points. A target may hold back its answer to whether the point is reached, as a
// long poll, but not for as long as this.
const askWithin = 15 * time.Second

// NewNamed gives the points that a target offers itself over HTTP, by the four requests of the section. They are sent by
// send to base, with headers.
//
// A target that stands still at a point still answers these requests, and goes on only when it is told to: that the
// client of the request that stands there hangs up is no reason.
func NewNamed(section *targets.NamedPoints, send func(context.Context, targets.Attempt) targets.Exchange, base string, headers map[string]string) targets.Points {
	return &namedSteps{section: section, send: send, base: base, headers: headers}
}

type namedSteps struct {
	section *targets.NamedPoints
	send    func(context.Context, targets.Attempt) targets.Exchange
	base    string
	headers map[string]string

	mu    sync.Mutex
	armed *namedPoint // the last one
}

func (n *namedSteps) About() string { return "steps named by the target" }

// Can reports whether a fault can be had: of the target's connections to its database nothing is known.
func (n *namedSteps) Can(f targets.PointFault) bool {
	return f == targets.Kill || f == targets.Disconnect
}

func (n *namedSteps) Record(ctx context.Context) (func(context.Context) ([]string, error), error) {
	if err := n.release(ctx); err != nil {
		return nil, fmt.Errorf("begin a record of the steps: %w", err)
	}
	return n.passed, nil
}

// Quiesce compares the steps of two moments. It empties no record, because it is also called while one is made.
func (n *namedSteps) Quiesce(ctx context.Context, quiet time.Duration, ignore map[string]bool) error {
	last, err := n.counted(ctx, ignore)
	for err == nil {
		if err := rest(ctx, quiet); err != nil {
			return fmt.Errorf("wait until the target takes no step: %w", err)
		}
		var now int
		if now, err = n.counted(ctx, ignore); err == nil && now == last {
			return nil
		}
		last = now
	}
	return fmt.Errorf("wait until the target takes no step: %w", err)
}

// counted is the number of steps recorded, without those to be ignored.
func (n *namedSteps) counted(ctx context.Context, ignore map[string]bool) (count int, err error) {
	labels, err := n.passed(ctx)
	for _, label := range labels {
		if !ignore[label] {
			count++
		}
	}
	return count, err
}

// passed asks for the steps taken since the last release.
func (n *namedSteps) passed(ctx context.Context) ([]string, error) {
	x, err := n.ask(ctx, n.section.Passed.Request, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the steps taken: %w", err)
	}
	if x.Cut {
		return nil, fmt.Errorf("ask for the steps taken: the list is longer than %d bytes", len(x.Content))
	}
	hits, err := targets.Query(n.section.Passed.Labels, x.Content)
	if err != nil {
		return nil, fmt.Errorf("ask for the steps taken: %w", err)
	}
	if len(hits) == 1 { // a path to the list, and not to its members
		switch list := hits[0].(type) {
		case []any:
			hits = list
		case nil:
			hits = nil
		}
	}
	return texts(hits)
}

// texts takes labels for what they are.
func texts(hits []any) ([]string, error) {
	labels := make([]string, len(hits))
	for i, hit := range hits {
		label, ok := hit.(string)
		if !ok {
			return nil, fmt.Errorf("ask for the steps taken: label %d is no text", i+1)
		}
		labels[i] = label
	}
	return labels, nil
}

// Arm gives up the point before, since the target would take it for the new one.
func (n *namedSteps) Arm(ctx context.Context, p targets.Point, f targets.PointFault, atPoint func()) (targets.ArmedPoint, error) {
	if !n.Can(f) {
		return nil, fmt.Errorf("arm the crash point %s: %s cannot be had at steps that the target names", p, f)
	}
	watched, cancel := context.WithCancel(ctx)
	a := &namedPoint{named: n, point: p, fault: f, atPoint: atPoint, cancel: cancel, done: make(chan struct{})}
	n.mu.Lock()
	earlier := n.armed
	n.armed = a
	n.mu.Unlock()
	if earlier != nil {
		earlier.Disarm()
	}
	if _, err := n.ask(ctx, n.section.Arm, a.vars()); err != nil {
		cancel()
		a.settle(false)
		return nil, fmt.Errorf("arm the crash point %s: %w", p, err)
	}
	go a.watch(watched)
	return a, nil
}

// Settle has nothing to undo: the host does not crash at these points.
func (n *namedSteps) Settle() {}

// release lets the target go on, has it forget the point, and empties its record of steps.
func (n *namedSteps) release(ctx context.Context) error {
	_, err := n.ask(ctx, n.section.Release, nil)
	return err
}

// ask sends one of the four requests, and fails where it is not answered with a success.
func (n *namedSteps) ask(ctx context.Context, r targets.Request, vars targets.Vars) (targets.Exchange, error) {
	attempt, err := r.Build(n.base, n.headers, vars)
	if err != nil {
		return targets.Exchange{}, err
	}
	attempt.Name, attempt.Timeout = "crash point", askWithin
	x := n.send(ctx, attempt)
	switch {
	case x.Failure != targets.NoFailure:
		return x, fmt.Errorf("the target did not answer: %s", why(x))
	case !x.Succeeded():
		return x, fmt.Errorf("the target answered %d to %s", x.Status, r.Line)
	}
	return x, nil
}

func why(x targets.Exchange) string {
	if x.Err != "" {
		return x.Err
	}
	return string(x.Failure)
}

// rest waits, unless the context ends before.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
