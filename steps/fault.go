package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// What a history with a fault takes beyond the requests themselves.
const (
	quiet        = 10 * time.Millisecond  // without a step: what the request before has left running must not meet the fault
	quietWithin  = 10 * time.Second       // or it never becomes quiet
	noticed      = 20 * time.Millisecond  // a target learns within 0.3 ms that its client has hung up (measured)
	trailing     = 100 * time.Millisecond // a point may lie behind the answer
	firstRetry   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
	hostPatience = time.Second // with a lock whose owner's death nobody has told the database
)

// faulty is one history with a fault: the operation is sent, the fault strikes, the target comes back, the operation is
// sent again under the same key until it settles, and records are counted.
type faulty struct {
	*world
	name     string // of the fault in reports: kill, disconnect, …
	build    func(w *world, as, key string) (*sent, error)
	expect   int           // records that are right
	patience time.Duration // how long it is asked again until it settles
	longest  time.Duration // how long a single answer is waited for; where patience is cut short, slow answers still count
	host     bool          // the database was not told

	first    *sent
	retry    *sent
	retries  int
	settled  bool
	recovery time.Duration
	warned   string
}

// newFaulty begins a history on one instance of the target.
func (w *world) newFaulty(lane *targets.Endpoint, part string, fault targets.PointFault) *faulty {
	patience := w.settlePatience()
	return &faulty{world: w.child(lane, part), name: string(fault), build: buildOperation, expect: 1, patience: patience, longest: patience}
}

// buildOperation builds the main operation.
func buildOperation(w *world, as, key string) (*sent, error) {
	return w.prepare(sendArgs{As: as, Key: key})
}

// outcomeOf counts and judges the history once it has settled, or has not, and gives its row of the table.
func (f *faulty) judge(ctx context.Context) {
	sc := f.first.scope()
	f.world.expect[sc] = judge.Exactly(f.expect)
	switch {
	case f.retry == nil:
	case !f.settled:
		f.stuck()
		f.judgeCounts(ctx, "after the retry")
	default:
		f.judgeCounts(ctx, "after the retry") // the records come first, whatever the answer was
		if f.expect == 1 {                    // what a batch came to is told by its records alone
			f.judgeRetry(ctx)
		}
	}
}

// judgeRetry holds the retry against what it may have come to: a replay where the first attempt was answered.
func (f *faulty) judgeRetry(ctx context.Context) {
	situation := judge.AfterLostAnswer
	if f.first.Succeeded() {
		situation = judge.Replay
	}
	if err := f.judgeAttempt(f.retry, f.first, situation); err != nil {
		f.evidence.Errors = append(f.evidence.Errors, err.Error())
	}
	if err := f.expectOneRecord(ctx, oneRecordArgs{}); err != nil {
		f.evidence.Errors = append(f.evidence.Errors, err.Error())
	}
}

// stuck says that the retry never settled.
func (f *faulty) stuck() {
	last := string(f.retry.disposition)
	if f.retry.Answered() {
		last += " (" + statusText(f.retry.Status) + ")"
	}
	f.take(judge.Opinion{Findings: []reports.Finding{{
		Kind: reports.Stuck, Question: reports.QuestionRecords, Level: f.c.Level, Provenance: targets.Documented,
		Message: fmt.Sprintf("sent again %s within %s, and it never settled: the last was %s", times(f.retries),
			f.patience.Round(time.Millisecond), last),
		Expected: "created or replayed", Found: last, Exchanges: []string{f.retry.Name},
	}}})
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// comeBack reads what the fault has left, and sends again until the target settles. A success that was answered before
// the fault must be there.
func (f *faulty) comeBack(ctx context.Context) error {
	if f.first.job == judge.NoJob { // it could not be asked for while the target was down
		if f.follow(ctx, f.first); f.first.job != judge.NoJob {
			f.settleDisposition(f.first)
		}
	}
	if f.first.Succeeded() && f.expect == 1 {
		f.world.expect[f.first.scope()] = judge.Exactly(1)
		f.judgeCounts(ctx, "after the fault")
	} else {
		f.readAll(ctx, "after the fault")
	}
	began := f.Now()
	err := f.again(ctx, began)
	f.recovery = f.Now().Sub(began)
	return err
}

// again sends under the same key until the answer is one that stays: not in-progress, no failure, not none.
func (f *faulty) again(ctx context.Context, began time.Time) error {
	settled, err := f.untilSettled(ctx, began.Add(f.patience), func() (*sent, error) {
		s, err := f.build(f.world, "retry, "+f.first.Name, "same")
		if err != nil {
			return nil, err
		}
		s.Timeout = min(s.Timeout, f.longest)
		if err := f.sendBuilt(ctx, s); err != nil {
			return nil, err
		}
		f.retry, f.retries = s, f.retries+1
		return s, nil
	})
	f.settled = settled
	if err == nil && !settled {
		err = ctx.Err()
	}
	return err
}

// untilSettled sends again, less and less often, until the answer is one that stays, or the next attempt would come too
// late.
func (w *world) untilSettled(ctx context.Context, until time.Time, send func() (*sent, error)) (settled bool, err error) {
	for pause := firstRetry; ; pause = min(2*pause, longestPause) {
		s, err := send()
		if err != nil {
			return false, err
		}
		switch s.disposition {
		case reports.InProgress, reports.Failed, reports.NoAnswer:
		default:
			return true, nil
		}
		wait := w.retryPause(s, pause)
		if w.Now().Add(wait).After(until) {
			return false, nil
		}
		if err := w.Wait(ctx, wait); err != nil {
			return false, err
		}
	}
}

// row is what the history came to, as one row of the table.
func (f *faulty) row() reports.CrashPoint {
	verdict, reason, _ := judge.Verdict(f.evidence)
	reason = strings.Replace(reason, f.part+": ", "", 1) // the row says which
	p := reports.CrashPoint{Part: f.part, Fault: f.name, Retries: f.retries, Expected: judge.Exactly(f.expect).String(),
		Verdict: verdict, Reason: reason}
	if len(f.evidence.Findings) > 0 {
		p.Finding, p.Known = f.evidence.Findings[0].Kind, knownReason(f.evidence.Findings)
	}
	if p.Reason == "" {
		p.Reason = f.warned
	}
	if f.first != nil {
		p.Saw = saw(f.first.Exchange)
	}
	if f.retry != nil {
		p.Retry, p.Status = f.retry.disposition, f.retry.Status
	}
	if f.settled {
		ms := float64(f.recovery.Microseconds()) / 1000
		p.RecoveryMS = &ms
	}
	for _, t := range f.tallies {
		if !t.SideEffect {
			p.Records = t.Found
			break
		}
	}
	return p
}

// saw says what the client saw of an attempt.
func saw(x targets.Exchange) string {
	if x.Answered() && x.Failure == targets.NoFailure {
		return statusText(x.Status)
	}
	return "no answer (" + string(x.Failure) + ")"
}

// settlePatience is how long a target may take to settle after a fault: what its file says; else, where it says how long
// its locks live, long enough for two of them.
func (w *world) settlePatience() time.Duration {
	if w.target.Settles == 0 && w.target.Lock > 0 {
		return 2*w.target.Lock.Std() + 2*time.Second
	}
	return w.settleBound()
}

// shortPatience is how long the points that come after one that was stuck are given: that this target gets stuck is
// known, and waiting for each would take long. A lock that is declared still has its time.
func (w *world) shortPatience() time.Duration {
	return min(w.settlePatience(), w.target.Lock.Std()*3/2+500*time.Millisecond)
}
