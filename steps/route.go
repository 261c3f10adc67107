package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// dryRuns is how often a request is watched before its points are planned: what only some runs show is no point of it.
// Five are enough for a pool of eight connections with background queries (20 of 20 plans were the same).
const dryRuns = 5

// idleTime is for how long a target is watched that has nothing to do.
const idleTime = 300 * time.Millisecond

// route is what is known of the steps that a request takes.
type route struct {
	runs [][]string
	idle map[string]bool
	list []string // the idle labels
}

// routeOf watches the target while it is idle and while it carries out the operation, each time under a key of its own.
// It is done once in a run for each request.
func (w *world) routeOf(ctx context.Context, name string, runs int, send func(context.Context, *world) error) (*route, error) {
	if r := w.routes[name]; r != nil {
		return r, nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.CaseTimeout)
	defer cancel()
	if err := send(ctx, w.child(w.Endpoint, "warm-up")); err != nil {
		return nil, err
	}
	r := &route{idle: map[string]bool{}}
	stop, err := w.Endpoint.Points.Record(ctx)
	if err == nil {
		err = w.Wait(ctx, idleTime)
	}
	if err != nil {
		return nil, unclear("watching the idle target: %v", err)
	}
	if r.list, err = stop(ctx); err != nil {
		return nil, unclear("watching the idle target: %v", err)
	}
	for _, label := range r.list {
		r.idle[label] = true
	}
	for run := range runs {
		steps, err := w.dryRun(ctx, r, run+1, send)
		if err != nil {
			return nil, err
		}
		r.runs = append(r.runs, steps)
	}
	if w.routes == nil {
		w.engine.routes = map[string]*route{}
	}
	w.routes[name] = r
	return r, nil
}

// dryRun carries out the operation undisturbed and gives the labels of its steps.
func (w *world) dryRun(ctx context.Context, r *route, run int, send func(context.Context, *world) error) ([]string, error) {
	points := w.Endpoint.Points
	c := w.child(w.Endpoint, fmt.Sprintf("dry run %d", run))
	if err := c.approve(ctx, approveArgs{}); err != nil {
		return nil, err
	}
	if err := points.Quiesce(ctx, quiet, r.idle); err != nil {
		return nil, unclear("the target did not become quiet: %v", err)
	}
	stop, err := points.Record(ctx)
	if err != nil {
		return nil, unclear("%v", err)
	}
	if err := send(ctx, c); err != nil {
		return nil, err
	}
	if err := points.Quiesce(ctx, quiet, r.idle); err != nil {
		return nil, unclear("the target did not become quiet: %v", err)
	}
	steps, err := stop(ctx)
	if err != nil {
		return nil, unclear("%v", err)
	}
	return steps, nil
}

// sendDry sends the operation once for a dry run. It must work, or there is nothing to be planned.
func sendDry(ctx context.Context, w *world) error {
	if len(w.approved) == 0 {
		if err := w.approve(ctx, approveArgs{}); err != nil {
			return err
		}
	}
	s, err := w.sendOne(ctx, sendArgs{As: w.part})
	if err != nil {
		return err
	}
	w.expect[s.scope()] = judge.Exactly(1)
	if !s.Succeeded() {
		return unclear("the %s did not work: %s", w.part, outcome(s.Exchange))
	}
	return nil
}

// plan gives the points of a sweep that are selected.
func (w *world) plan(r *route) ([]targets.Point, error) {
	c := crashPoints(w.target)
	all := targets.PlanPoints(r.runs, r.list, c.Mode != "full")
	if len(all) == 0 {
		return nil, unclear("no step of the request was seen (%s); does the target take another way to its database?", w.Endpoint.Points.About())
	}
	if len(w.c.Parts) > 0 { // a point may be asked for that quick mode leaves out
		all = slices.DeleteFunc(targets.PlanPoints(r.runs, r.list, false), func(p targets.Point) bool { return !anyMatches(w.c.Parts, p.String()) })
	}
	points := slices.DeleteFunc(all, func(p targets.Point) bool { return anyMatches(w.c.NotParts, p.String()) })
	if len(points) == 0 {
		return nil, unclear("there is no point called %s; there are: %s", strings.Join(w.c.Parts, ", "),
			strings.Join(addresses(targets.PlanPoints(r.runs, r.list, false)), ", "))
	}
	return points, nil
}

func addresses(points []targets.Point) []string {
	out := make([]string, len(points))
	for i, p := range points {
		out[i] = p.String()
	}
	return out
}

// crashPoints gives the section of the target file; nil where it has none.
func crashPoints(t *targets.Target) *targets.CrashPoints {
	if t.Run == nil {
		return nil
	}
	return t.Run.CrashPoints
}
