package steps

import (
	"context"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// sweepArgs are the arguments of the verb sweep.
type sweepArgs struct {
	Fault string `arg:"fault" doc:"what is done at each point: kill, disconnect, host-crash, database-cut"`
}

// sweepCost is what a sweep costs at most where a request takes twelve steps: how many it takes is known only then.
var sweepCost = cost{requests: dryRuns + 1 + 5*13, records: dryRuns + 1 + 2*13, readings: 3 * 13}

// sweepPoints stops the operation at one point after the other.
func (w *world) sweepPoints(ctx context.Context, a sweepArgs) error {
	fault := targets.PointFault(a.Fault)
	r, err := w.routeOf(ctx, "operation", dryRuns, sendDry)
	if err != nil {
		return err
	}
	points, err := w.plan(r)
	if err != nil {
		return err
	}
	return w.sweep(ctx, &sweep{world: w, fault: fault, route: r, build: buildOperation, expect: 1}, points)
}

// sweep carries out the histories and shows how far it is.
func (w *world) sweep(ctx context.Context, s *sweep, points []targets.Point) error {
	w.right = s.expect
	lanes := w.lanes(ctx, len(points))
	if s.fault == restartStore {
		lanes = lanes[:1] // all instances have one database
	}
	if !w.Endpoint.Points.Can(pointFault(s.fault)) {
		return unclear("%s is not possible with %s", faultWords(s.fault), w.Endpoint.Points.About())
	}
	w.note(false, "%d points: %s", len(points), w.Endpoint.Points.About())
	w.progress("crash points", 0, len(points))
	return sweepAll(ctx, lanes, points, s.point, func(done int, p reports.CrashPoint) {
		w.enterPoint(p)
		w.progress("crash points", done, len(points))
	})
}

// enterPoint keeps what a history of the sweep came to, and shows it.
func (w *world) enterPoint(p reports.CrashPoint) {
	w.swept = append(w.swept, p)
	w.emit(w.c.ID, reports.Event{Kind: reports.KindCrashPoint, CrashPoint: &p})
}

func (w *world) progress(what string, done, of int) {
	w.emit(w.c.ID, reports.Event{Kind: reports.KindProgress, Progress: &reports.Progress{What: what, Done: done, Of: of}})
}

// storeRestartArgs are the arguments of the verb restart_store.
type storeRestartArgs struct{}

// storeRestarted restarts the target's database while the operation is half way through it.
func (w *world) storeRestarted(ctx context.Context, _ storeRestartArgs) error {
	r, err := w.routeOf(ctx, "operation", dryRuns, sendDry)
	if err != nil {
		return err
	}
	points, err := w.plan(r)
	if err != nil {
		return err
	}
	middle := points[len(points)/2 : len(points)/2+1]
	return w.sweep(ctx, &sweep{world: w, fault: restartStore, route: r, build: buildOperation, expect: 1}, middle)
}

// eachPointArgs are the arguments of the verb each_point.
type eachPointArgs struct {
	Count int `arg:"count" doc:"how many records are right; default: one for each row of the batch"`
}

// eachPoint is the expectation that every history of a sweep was judged by. It makes sure that there was one.
func (w *world) eachPoint(_ context.Context, a eachPointArgs) error {
	switch {
	case w.right == 0:
		return fmt.Errorf("no sweep came before this step, so that nothing was counted")
	case a.Count == 0 && w.target.Batch != nil: // one for each row
		if w.right != w.target.Batch.Size() {
			return fmt.Errorf("the histories of the sweep were held against %d records, and the batch has %d rows", w.right, w.target.Batch.Size())
		}
	case w.right != a.Count:
		return fmt.Errorf("the histories of the sweep were held against %d records, not %d", w.right, a.Count)
	}
	return nil
}
