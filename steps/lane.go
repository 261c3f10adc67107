package steps

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// child gives a world for one part of the case: its own marker, keys, history and evidence, on one instance of the
// target.
func (w *world) child(endpoint *targets.Endpoint, part string) *world {
	w.mu.Lock()
	w.children++
	round := w.children + 1
	c := &world{engine: w.engine, Endpoint: endpoint, c: w.c, part: part, sights: w.sights}
	w.parts = append(w.parts, c)
	w.mu.Unlock()
	c.blank(round)
	c.enlist()
	return c
}

// adopt takes over what a part came to. Its findings are in the stream already.
func (w *world) adopt(c *world) {
	w.evidence.Findings = append(w.evidence.Findings, c.evidence.Findings...)
	for _, why := range c.evidence.Unclear {
		w.evidence.Unclear = append(w.evidence.Unclear, c.part+": "+why)
	}
	for _, why := range c.evidence.Errors {
		w.evidence.Errors = append(w.evidence.Errors, c.part+": "+why)
	}
	w.evidence.Judged = w.evidence.Judged || c.evidence.Judged
	w.inferred = w.inferred || c.inferred
	verdict, _, _ := judge.Verdict(c.evidence)
	if w.tallies == nil || verdict > w.worst {
		w.tallies, w.worst = c.tallies, verdict // the counts that are shown are those of the worst part
	}
}

// lanes gives the instances of the target on which points can be swept at the same time: the run's own, and as many more
// as the target file allows. They are started once in a run and live as long as the endpoint.
func (w *world) lanes(ctx context.Context, wanted int) []*targets.Endpoint {
	e := w.engine
	if e.instances == nil {
		e.instances = []*targets.Endpoint{e.Endpoint}
	}
	if c := crashPoints(e.target); c != nil {
		wanted = min(wanted, max(c.Parallel, 1))
	} else {
		wanted = 1
	}
	for len(e.instances) < wanted && e.Endpoint.Another != nil {
		another, err := e.Endpoint.Another(ctx)
		if err != nil {
			w.note(true, "a further instance of the target could not be started, so that fewer points are swept at once: %v", err)
			break
		}
		e.instances = append(e.instances, another)
	}
	return slices.Clone(e.instances[:min(wanted, len(e.instances))])
}

// sweepAll carries out one history per part, on all lanes, and gives the rows in the order of the parts. What comes in
// early is held back until its turn, so that the table does not depend on who was faster. It ends early with the context.
func sweepAll[T any](ctx context.Context, lanes []*targets.Endpoint, parts []T, one func(context.Context, *targets.Endpoint, T) (reports.CrashPoint, error),
	row func(done int, p reports.CrashPoint)) error {
	var (
		mu      sync.Mutex
		next    int
		written int
		ready   = map[int]reports.CrashPoint{}
		failed  error
		wg      sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(parts) || failed != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	give := func(i int, p reports.CrashPoint, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			if failed == nil {
				failed = err
			}
			return
		}
		ready[i] = p
		for {
			p, ok := ready[written]
			if !ok {
				return
			}
			written++
			row(written, p)
		}
	}
	for _, lane := range lanes {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				p, err := one(ctx, lane, parts[i])
				give(i, p, err)
			}
		})
	}
	wg.Wait()
	for _, i := range slices.Sorted(maps.Keys(ready)) { // a run that was cut off keeps what it has
		if i >= written {
			row(i+1, ready[i])
		}
	}
	if failed == nil && ctx.Err() != nil {
		failed = ctx.Err()
	}
	return failed
}
