package steps

import (
	"context"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// pushArgs are the arguments of the verb push.
type pushArgs struct {
	Batches int `arg:"batches" doc:"how many batches, 1 to 200"`
	Rows    int `arg:"rows" doc:"how many rows each has, 1 to 1000"`
	Lost    int `arg:"lost" doc:"the batch that times out"`
	Row     int `arg:"row" doc:"the row after which its client gives up, where the target's crash points can tell; else somewhere on the way"`
}

func (a pushArgs) check() error {
	switch {
	case a.Batches < 1 || a.Batches > 200 || a.Rows < 1 || a.Rows > 1000:
		return fmt.Errorf("%d batches of %d rows: it goes from 1 to 200 batches of 1 to 1000 rows", a.Batches, a.Rows)
	case a.Lost > a.Batches || a.Row > a.Rows:
		return fmt.Errorf("there is no row %d of batch %d in %d batches of %d rows", a.Row, a.Lost, a.Batches, a.Rows)
	}
	return nil
}

func pushCost(args map[string]string) cost {
	a, err := decode[pushArgs](args)
	if err != nil {
		return cost{}
	}
	return cost{requests: 2*a.Batches + 20, records: a.Rows*(a.Batches+1) + smallBatch + largerBatch + 2}
}

// pushBatches sends the batches. Each is a bundle of its own, with an event of its own.
func (w *world) pushBatches(ctx context.Context, a pushArgs) error {
	if w.target.Batch == nil {
		return unclear("the target file does not say how many rows are written in one request (batch)")
	}
	before := w.bundle
	defer func() { w.bundle = before }()
	for n := 1; n <= a.Batches; n++ {
		w.bundle.Event = fmt.Sprintf("%s-%d", before.Event, n)
		if err := w.approve(ctx, approveArgs{}); err != nil {
			return err
		}
		if err := w.spendRecords(a.Rows); err != nil {
			return err
		}
		name := fmt.Sprintf("batch %d", n)
		send := w.pushOne
		if n == a.Lost {
			send = w.pushLost
		}
		if err := send(ctx, name, a); err != nil {
			return err
		}
		w.progress("batches", n, a.Batches)
	}
	return nil
}

func (w *world) pushOne(ctx context.Context, name string, a pushArgs) error {
	s, err := buildBatch(a.Rows)(w, name, "own")
	if err != nil {
		return err
	}
	if err := w.sendBuilt(ctx, s); err != nil {
		return err
	}
	if !s.Succeeded() {
		return unclear("%s did not work: %s", name, outcome(s.Exchange))
	}
	return nil
}

// pushLost sends a batch whose client gives up on the way, and sends it again under the same key until it settles.
func (w *world) pushLost(ctx context.Context, name string, a pushArgs) error {
	f := &faulty{world: w, name: string(targets.Disconnect), expect: a.Rows, patience: w.settlePatience()}
	f.build = func(w *world, as, _ string) (*sent, error) {
		if f.first == nil {
			return w.prepareBatch(a.Rows, sendArgs{As: name})
		}
		return w.prepareBatch(a.Rows, sendArgs{As: as, KeyOf: name})
	}
	if err := w.giveUpOn(ctx, f, name, a); err != nil {
		return err
	}
	if err := f.again(ctx, w.Now()); err != nil {
		return err
	}
	if !f.settled {
		f.stuck()
	}
	return nil
}

// giveUpOn sends the batch and hangs up: at the row where the crash points can tell when that is written, else when the
// request is on its way.
func (w *world) giveUpOn(ctx context.Context, f *faulty, name string, a pushArgs) error {
	if a.Row > 0 && w.Endpoint.Points != nil && w.Endpoint.Points.Can(targets.Disconnect) {
		pt, r, err := w.pointOfRow(ctx, a.Row)
		if err != nil {
			return err
		}
		if pt.Label != "" {
			fired, err := f.strike(ctx, &sweep{world: w, fault: targets.Disconnect, route: r}, pt)
			if err == nil && !fired {
				err = unclear("%s was answered before its row %d was seen", name, a.Row)
			}
			return err
		}
	}
	if a.Row > 0 {
		w.note(false, "how far %s was when its client gave up is not known (see run.crash_points)", name)
	}
	s, err := f.build(w, name, "own")
	if err != nil {
		return err
	}
	s.Fault = targets.HangUpAfterWrite
	f.first = s
	return w.sendBuilt(ctx, s)
}

// pointOfRow finds the point right after a row of a batch was written; its label is empty where the rows are not written
// one by one.
func (w *world) pointOfRow(ctx context.Context, row int) (targets.Point, *route, error) {
	small, err := w.routeOf(ctx, "a small batch", 1, sendDryBatch(smallBatch))
	if err != nil {
		return targets.Point{}, nil, err
	}
	larger, err := w.routeOf(ctx, "a larger batch", 1, sendDryBatch(largerBatch))
	if err != nil {
		return targets.Point{}, nil, err
	}
	label, per := stepOfRow(small.runs[0], larger.runs[0], larger.idle)
	if per == 0 {
		return targets.Point{}, nil, nil
	}
	w.note(false, "a row of the batch is written by %s", label)
	return targets.Point{Label: label, Occurrence: (row-1)*per + 1, Side: targets.After}, larger, nil
}
