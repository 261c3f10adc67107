package steps

import (
	"context"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// In a small batch of which one row is bad, rows come before it and after it.
const badRow = 3

// rowsArgs are the arguments of the verb rows.
type rowsArgs struct {
	As     string `arg:"as" doc:"a name for this attempt within the case"`
	Key    string `arg:"key" doc:"same: that of the first batch; default: its own"`
	With   string `arg:"with" of:"with" doc:"what is special about its rows: bad, or twice"`
	Switch string `arg:"switch" of:"switch" doc:"a test switch of the target: slow, fail, refuse"`
}

// sendRows sends a small batch once.
func (w *world) sendRows(ctx context.Context, a rowsArgs) error {
	rows := targets.RowsTo(smallBatch)
	switch a.With {
	case "bad":
		rows[badRow-1].Bad = true
	case "twice":
		rows[smallBatch-1] = rows[0]
	}
	return w.sendList(ctx, a, rows)
}

// sendList sends some rows as one batch.
func (w *world) sendList(ctx context.Context, a rowsArgs, rows []targets.Row) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	if err := w.spendRecords(len(rows)); err != nil {
		return err
	}
	s := &sent{bundle: w.bundle, revision: w.revision}
	base, headers := w.address(sendArgs{Switch: a.Switch})
	attempt, err := w.target.Batch.Build(base, headers, w.vars(s).With(switchVars(a.Switch, "", "")), rows)
	if err != nil {
		return err
	}
	if a.Switch == "fail" || a.Switch == "refuse" {
		s.situation = judge.Refused
	}
	attempt.Name, attempt.Operation, attempt.Timeout = a.As, mainOperation(w.target).Name, w.target.Timeout.Std()
	s.payload, s.Attempt = meaning(attempt), attempt
	if err := w.placeKey(s, sendArgs{As: a.As, Key: a.Key}); err != nil {
		return err
	}
	return w.sendBuilt(ctx, s)
}

// badRowArgs are the arguments of the verb bad_row.
type badRowArgs struct {
	As string `arg:"as" doc:"the batch with the bad row"`
}

// afterBadRow is the label of the reading that shows what a batch with a bad row has left.
const afterBadRow = "after the bad row"

// expectBadRow expects of a batch with a bad row what the target file declares: nothing, or all good rows. Where it
// declares nothing either is right, and what lies between is neither.
func (w *world) expectBadRow(ctx context.Context, a badRowArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	good, atomic := smallBatch-1, w.target.Batch.Atomic
	sc, want := s.scope(), judge.Expectation{Min: 0, Max: good}
	if atomic != nil {
		want = judge.Exactly(good)
		if *atomic {
			want = judge.Exactly(0)
		}
	}
	w.expect[sc] = want
	w.judgeCounts(ctx, afterBadRow)
	left := w.foundIn(sc, afterBadRow)
	w.note(false, "a batch of %d rows, one of them bad, was answered %s and left %d records", smallBatch, saw(s.Exchange), left)
	if atomic == nil && left > 0 && left < good {
		w.take(judge.Opinion{Findings: []reports.Finding{{
			Kind: reports.Phantom, Question: reports.QuestionRecords, Level: w.c.Level, Provenance: targets.Documented,
			Message:  fmt.Sprintf("of a batch with one bad row %d records exist: neither none nor one for each good row", left),
			Expected: fmt.Sprintf("0 or %d", good), Found: fmt.Sprint(left), Exchanges: []string{s.Name},
		}}})
	}
	w.expect[sc] = judge.Exactly(left) // from now on
	return nil
}

// noMoreArgs are the arguments of the verb no_more.
type noMoreArgs struct{}

// expectNoMore expects as many records as there were before.
func (w *world) expectNoMore(ctx context.Context, _ noMoreArgs) error {
	w.judgeCounts(ctx, "afterwards")
	return nil
}

// mendArgs are the arguments of the verb mend.
type mendArgs struct {
	As string `arg:"as" doc:"a name for the attempt"`
}

// mend sends what a batch with a bad row has not written, corrected and under a new key: all rows where nothing of it
// exists, and the corrected row alone where the good ones do. A new key says that a new write is meant, so that rows
// which exist must not come with it.
func (w *world) mend(ctx context.Context, a mendArgs) error {
	rows := targets.RowsTo(smallBatch)
	sc := scope{mainOperation(w.target).Name, ""}
	switch left := w.foundIn(sc, afterBadRow); left {
	case 0:
	case smallBatch - 1:
		rows = rows[badRow-1 : badRow]
	default:
		return unclear("%d of the good rows exist, and it cannot be told which", left)
	}
	if err := w.sendList(ctx, rowsArgs{As: a.As}, rows); err != nil {
		return err
	}
	s, err := w.find(a.As)
	if err == nil && !s.Succeeded() {
		return unclear("the corrected batch did not work: %s", outcome(s.Exchange))
	}
	return err
}

// rowRecordsArgs are the arguments of the verb row_records.
type rowRecordsArgs struct {
	If string `arg:"if" doc:"an attempt that was to write them: where it rightly did not, none are right"`
}

// expectRowRecords expects one record for each row of a small batch.
func (w *world) expectRowRecords(ctx context.Context, a rowRecordsArgs) error {
	count := smallBatch
	if a.If != "" {
		created, err := w.rightlyCreated(a.If)
		if err != nil {
			return err
		}
		count *= created
	}
	return w.expectRecords(ctx, recordsArgs{Count: count})
}

// rowTwiceArgs are the arguments of the verb row_twice.
type rowTwiceArgs struct {
	As string `arg:"as" doc:"the batch that holds one row twice"`
}

// observeRowTwice notes what a batch made of a row that it held twice: one record, two, or a refusal. Whether rows are
// told apart by what is in them is the target's own business; that the others are written is not.
func (w *world) observeRowTwice(ctx context.Context, a rowTwiceArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	const label = "after a row that was there twice"
	sc, want := s.scope(), judge.Exactly(0)
	if s.Succeeded() {
		want = judge.Expectation{Min: smallBatch - 1, Max: smallBatch}
	}
	w.expect[sc] = want
	w.judgeCounts(ctx, label)
	left := w.foundIn(sc, label)
	w.note(false, "a batch of %d rows, one of them twice, was answered %s and left %d records", smallBatch, saw(s.Exchange), left)
	w.expect[sc] = judge.Exactly(left)
	return nil
}
