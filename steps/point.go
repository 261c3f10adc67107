package steps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// restartStore is the fault in which the database itself is restarted while a request is at a point.
const restartStore targets.PointFault = "database-restart"

// pointTries is how often a point is tried that does not fire where it is meant to.
const pointTries = 3

// sweep is one sweep: the same request, stopped at one point after the other.
type sweep struct {
	*world
	fault  targets.PointFault
	route  *route
	build  func(w *world, as, key string) (*sent, error)
	expect int
	stuck  atomic.Bool // a point was stuck already
}

// point is the history of one point: it is tried until the fault strikes where it is meant to.
func (s *sweep) point(ctx context.Context, lane *targets.Endpoint, pt targets.Point) (reports.CrashPoint, error) {
	ctx, cancel := context.WithTimeout(ctx, s.CaseTimeout)
	defer cancel()
	defer s.raise(ctx, lane)
	var f *faulty
	for try := 1; ; try++ {
		f = s.begin(lane, pt)
		fired, err := f.strike(ctx, s, pt)
		if err != nil {
			return s.end(ctx, f, pt, false, err)
		}
		if fired {
			break
		}
		if try == pointTries {
			return s.end(ctx, f, pt, false, unclear("the request was answered %d times and never got to this point", try))
		}
	}
	err := f.revive(ctx, s)
	if err == nil {
		f.judge(ctx)
	}
	return s.end(ctx, f, pt, true, err)
}

func (s *sweep) begin(lane *targets.Endpoint, pt targets.Point) *faulty {
	f := s.newFaulty(lane, pt.String(), s.fault)
	f.build, f.expect, f.host = s.build, s.expect, s.fault == targets.HostCrash
	if s.stuck.Load() {
		f.patience = s.shortPatience()
	}
	return f
}

// end closes the history. An error that comes with the end of the run ends the sweep; any other one belongs to the point.
func (s *sweep) end(ctx context.Context, f *faulty, pt targets.Point, fired bool, err error) (reports.CrashPoint, error) {
	var st *stop
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		f.evidence.Unclear = append(f.evidence.Unclear, fmt.Sprintf("it took longer than %s", s.CaseTimeout))
	case errors.As(err, &st):
		f.evidence.Unclear = append(f.evidence.Unclear, st.reason)
	case ctx.Err() != nil:
		return reports.CrashPoint{}, err
	default:
		f.evidence.Errors = append(f.evidence.Errors, err.Error())
	}
	p := f.row()
	p.Label, p.Occurrence, p.Side, p.Fired = pt.Label, pt.Occurrence, string(pt.Side), fired
	if p.Finding == reports.Stuck {
		s.stuck.Store(true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adopt(f.world)
	return p, nil
}

// warn notes something once for the whole sweep.
func (s *sweep) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(true, "%s", text)
}

// strike sends the operation and has the fault done at the point. It reports whether the point was reached.
func (f *faulty) strike(ctx context.Context, s *sweep, pt targets.Point) (fired bool, err error) {
	if err := f.approve(ctx, approveArgs{}); err != nil {
		return false, err
	}
	if err := f.calm(ctx, s.route.idle); err != nil {
		return false, err
	}
	if f.first, err = f.build(f.world, faultWords(s.fault)+" at "+f.part, ""); err != nil {
		return false, err
	}
	if err := f.spendRecords(f.expect); err != nil {
		return false, err
	}
	sending, hangUp := context.WithCancel(ctx)
	defer hangUp()
	answered := make(chan struct{})
	blow := &blow{faulty: f, fault: s.fault, hangUp: hangUp, answered: answered}
	armed, err := f.Endpoint.Points.Arm(ctx, pt, pointFault(s.fault), func() { blow.fall(ctx) })
	if err != nil {
		return false, unclear("%v", err)
	}
	var x targets.Exchange
	go func() {
		x = f.Endpoint.Sender.Send(sending, f.first.Attempt)
		close(answered)
	}()
	f.awaitPoint(ctx, armed, answered)
	fired = armed.Disarm()
	<-answered
	f.enterFirst(x, fired, s.fault)
	f.world.fault(fmt.Sprintf("%s at %s", faultWords(s.fault), pt), blow.err)
	if blow.err != nil {
		return fired, unclear("%s could not be done: %v", faultWords(s.fault), blow.err)
	}
	if fired && (s.fault == targets.Kill || s.fault == targets.HostCrash) {
		return fired, f.survived(x, blow.killed)
	}
	return fired, nil
}

// awaitPoint waits until the point was dealt with or cannot be reached any more; a point may lie behind the answer.
func (f *faulty) awaitPoint(ctx context.Context, armed targets.ArmedPoint, answered <-chan struct{}) {
	select {
	case <-armed.Done():
		return
	case <-answered:
	}
	late, stop := context.WithTimeout(ctx, trailing)
	defer stop()
	select {
	case <-armed.Done():
	case <-late.Done():
	}
}

// enterFirst enters the first attempt into the history.
func (f *faulty) enterFirst(x targets.Exchange, fired bool, fault targets.PointFault) {
	if fired && fault == targets.Disconnect && x.Failure == targets.FailureCancelled {
		x.Failure, x.Err = targets.FailureFault, "hung up at the point"
	}
	f.enter(f.first, x)
	f.settleDisposition(f.first)
	f.show(f.first, reports.PurposeAttempt)
}

// calm waits until the target has finished with whatever came before.
func (f *faulty) calm(ctx context.Context, idle map[string]bool) error {
	within, cancel := context.WithTimeout(ctx, quietWithin)
	defer cancel()
	if err := f.Endpoint.Points.Quiesce(within, quiet, idle); err != nil {
		return unclear("the target did not become quiet: %v", err)
	}
	return nil
}

// blow is the fault as it is done at the point, while the target stands still.
type blow struct {
	*faulty
	fault    targets.PointFault
	hangUp   func()
	answered <-chan struct{}
	killed   time.Time // when that was done
	err      error
}

func (b *blow) fall(ctx context.Context) {
	switch b.fault {
	case targets.Kill, targets.HostCrash:
		b.err = b.strikeDown(ctx)
		b.killed = b.Now()
	case targets.Disconnect:
		b.hangUp()
		<-b.answered
		b.err = b.Wait(ctx, noticed)
	case restartStore:
		b.err = b.Endpoint.RestartStore(ctx)
	}
}

// survived is an error where the owner's command says that the target was crashed, and an answer that it gave later says
// otherwise. What a gateway answers in its place (RFC 9110 sections 15.6.3 and 15.6.5) is no sign of life.
func (f *faulty) survived(x targets.Exchange, killed time.Time) error {
	if !f.Endpoint.Hearsay || !x.Answered() || byGateway(x.Status) || !x.FirstByte.After(killed) {
		return nil
	}
	return unclear("the crash had no effect: the target lived on and answered %s", statusText(x.Status))
}

// byGateway names the statuses with which only a gateway answers, for a server that does not. 503 is not among them: a
// server that has lost its database gives it, too.
func byGateway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// pointFault is what the points must do for a fault.
func pointFault(f targets.PointFault) targets.PointFault {
	if f == restartStore {
		return targets.CutStore
	}
	return f
}

func faultWords(f targets.PointFault) string {
	switch f {
	case targets.Kill:
		return "killed"
	case targets.HostCrash:
		return "host died"
	case targets.Disconnect:
		return "hung up"
	case targets.CutStore:
		return "database connections cut"
	}
	return "database restarted"
}

// revive brings the target back, if the fault has killed it, and sends again until it settles.
func (f *faulty) revive(ctx context.Context, s *sweep) error {
	if s.fault == targets.Kill || s.fault == targets.HostCrash {
		if err := f.restart(ctx, restartArgs{}); err != nil {
			return err
		}
	}
	if !f.host {
		return f.comeBack(ctx)
	}
	return f.comeBackUntold(ctx, s)
}

// comeBackUntold is the retry after a crash of the host, of which the database does not know. A retry that waits for the
// lock of a transaction whose owner is dead is not the API's fault, but its operator's: a warning. Once the database
// knows, everything must be as after any other crash.
func (f *faulty) comeBackUntold(ctx context.Context, s *sweep) error {
	defer f.Endpoint.Points.Settle()
	patience := f.patience
	f.patience = min(hostPatience, patience)
	f.longest = f.patience
	if err := f.comeBack(ctx); err != nil || f.settled {
		return err
	}
	f.warned = fmt.Sprintf("the retry waited longer than %s for a transaction whose owner is dead", f.patience)
	s.warn("where the database does not hear of a dead host, a retry waits for the dead owner's transaction; " +
		"let the database end such transactions (PostgreSQL: idle_in_transaction_session_timeout, tcp_keepalives_idle)")
	f.Endpoint.Points.Settle()
	f.patience, f.longest = patience, f.settlePatience()
	return f.comeBack(ctx)
}
