package steps

import (
	"context"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// batchArgs are the arguments of the verb batch.
type batchArgs struct {
	As  string `arg:"as" doc:"a name for this attempt within the case"`
	Key string `arg:"key" doc:"same: that of the first batch; default: its own"`
}

// sendBatch sends the whole batch once.
func (w *world) sendBatch(ctx context.Context, a batchArgs) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	if a.Key != "same" {
		if err := w.spendRecords(w.target.Batch.Size()); err != nil {
			return err
		}
	}
	s, err := buildBatch(w.target.Batch.Size())(w, a.As, a.Key)
	if err != nil {
		return err
	}
	return w.sendBuilt(ctx, s)
}

// sendBuilt sends an attempt that is ready.
func (w *world) sendBuilt(ctx context.Context, s *sent) error {
	if err := w.deliver(ctx, s); err != nil {
		return err
	}
	w.follow(ctx, s)
	w.settleDisposition(s)
	w.show(s, reports.PurposeAttempt)
	return nil
}

// batchRecordsArgs are the arguments of the verb batch_records.
type batchRecordsArgs struct{}

func (w *world) batchRecords(ctx context.Context, _ batchRecordsArgs) error {
	return w.expectRecords(ctx, recordsArgs{Count: w.target.Batch.Size()})
}

// buildBatch builds a batch of some rows. Its records are those of the main operation.
func buildBatch(rows int) func(w *world, as, key string) (*sent, error) {
	return func(w *world, as, key string) (*sent, error) {
		return w.prepareBatch(rows, sendArgs{As: as, Key: key})
	}
}

func (w *world) prepareBatch(rows int, a sendArgs) (*sent, error) {
	s := &sent{bundle: w.bundle, revision: w.revision}
	base, headers := w.place("")
	attempt, err := w.target.Batch.Build(base, headers, w.vars(s), targets.RowsTo(rows))
	if err != nil {
		return nil, err
	}
	attempt.Name, attempt.Operation, attempt.Timeout = a.As, mainOperation(w.target).Name, w.target.Timeout.Std()
	s.payload, s.Attempt = meaning(attempt), attempt
	return s, w.placeKey(s, a)
}

// killInBatchArgs are the arguments of the verb kill_in_batch.
type killInBatchArgs struct {
	Row int `arg:"row" doc:"the row, of 200; in a smaller batch the one that is as far in it"`
}

// The sizes of two small batches: the steps of which there are two more in the larger one are those of a row.
const (
	smallBatch  = 5
	largerBatch = 7
)

// killInBatch kills the target while it writes a row. Where the rows are not written one by one it is killed at every
// point of the batch.
func (w *world) killInBatch(ctx context.Context, a killInBatchArgs) error {
	size := w.target.Batch.Size()
	small, err := w.routeOf(ctx, "a small batch", 1, sendDryBatch(smallBatch))
	if err != nil {
		return err
	}
	larger, err := w.routeOf(ctx, "a larger batch", 1, sendDryBatch(largerBatch))
	if err != nil {
		return err
	}
	s := &sweep{world: w, fault: targets.Kill, route: larger, build: buildBatch(size), expect: size}
	row := min(a.Row, size)
	if size < targets.DefaultRows {
		row = max(1, size*a.Row/targets.DefaultRows)
	}
	if label, per := stepOfRow(small.runs[0], larger.runs[0], larger.idle); per > 0 {
		w.note(false, "row %d of %d is written by %s", row, size, label)
		return w.sweep(ctx, s, []targets.Point{{Label: label, Occurrence: (row-1)*per + 1, Side: targets.After}})
	}
	w.note(false, "the rows of the batch are not written one by one, so that it is stopped at each of its points")
	points, err := w.plan(larger)
	if err != nil {
		return err
	}
	return w.sweep(ctx, s, points)
}

// stepOfRow finds the first step that is taken for each row, and how often.
func stepOfRow(small, larger []string, idle map[string]bool) (label string, per int) {
	count := map[string]int{}
	for _, l := range larger {
		count[l]++
	}
	for _, l := range small {
		count[l]--
	}
	for _, l := range larger {
		if n := count[l] / (largerBatch - smallBatch); n > 0 && !idle[l] && count[l]%(largerBatch-smallBatch) == 0 {
			return l, n
		}
	}
	return "", 0
}

// sendDryBatch sends a batch of some rows for a dry run.
func sendDryBatch(rows int) func(context.Context, *world) error {
	return func(ctx context.Context, w *world) error {
		if len(w.approved) == 0 {
			if err := w.approve(ctx, approveArgs{}); err != nil {
				return err
			}
		}
		if err := w.spendRecords(rows); err != nil {
			return err
		}
		s, err := buildBatch(rows)(w, fmt.Sprintf("%s of %d rows", w.part, rows), "")
		if err != nil {
			return err
		}
		if err := w.sendBuilt(ctx, s); err != nil {
			return err
		}
		w.expect[s.scope()] = judge.Exactly(rows)
		if !s.Succeeded() {
			return unclear("the batch did not work: %s", outcome(s.told()))
		}
		return nil
	}
}
