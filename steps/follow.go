package steps

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// jobPause is how long to wait between two questions for a job, where the target does not say.
const jobPause = 200 * time.Millisecond

// follow learns what became of a write that was only accepted, or of the earlier one that an error points at: it asks
// for the job that the answer names until that has ended, but no longer than the target may take to settle. An answer
// that names no job, a job on another host and a job that stays without an answer are left as they are.
func (w *world) follow(ctx context.Context, s *sent) {
	a := w.target.Profile.Async
	if a == nil || !s.Answered() || s.Failure != targets.NoFailure {
		return
	}
	if !s.Succeeded() && !w.pointsAtJob(s.Exchange) {
		return
	}
	address := a.JobOf(s.Exchange)
	if address == "" {
		return
	}
	x, ended := w.awaitJob(ctx, s, address)
	switch {
	case !x.Answered():
		return
	case !ended:
		s.job = judge.JobRunning
		return
	}
	w.readJob(s)
	w.readResult(ctx, s, x)
}

// readResult learns from an ended job, or from the result that it names, whether anything was written.
func (w *world) readResult(ctx context.Context, s *sent, x targets.Exchange) {
	a := w.target.Profile.Async
	broke := a.Broke(x)
	if result := a.ResultOf(x); !broke && result != "" {
		if x = w.ask(ctx, s, x.URL, result); !x.Answered() {
			return
		}
		broke = !x.Succeeded() // the result of a write that failed is the answer that says so
	}
	s.job, s.result = judge.JobDone, &x
	if broke {
		s.job = judge.JobBroke
	}
}

// Succeeded reports whether a write was answered with a success, and its job, if it has one, did not come to nothing.
func (s *sent) Succeeded() bool { return s.Exchange.Succeeded() && s.job != judge.JobBroke }

// told is the answer that says how a write went: that of its job, where it has one that has ended.
func (s *sent) told() targets.Exchange {
	if s.result != nil {
		return *s.result
	}
	return s.Exchange
}

// pointsAtJob reports whether an error is one that the profile documents to name the earlier job.
func (w *world) pointsAtJob(x targets.Exchange) bool {
	p := w.target.Profile
	return p.Replay.Has(targets.ModePointerError) && p.Replay.HasStatus(x.Status) ||
		p.InFlight.Has(targets.ModePointer) && p.InFlight.HasStatus(x.Status)
}

// awaitJob asks for a job until it has ended. One that cannot be told of is asked for rateTries times in a row, and no more:
// it may be that nobody works on it, and that only a repeat of the write gets it going.
func (w *world) awaitJob(ctx context.Context, s *sent, address string) (x targets.Exchange, ended bool) {
	bound := w.Now().Add(w.settleBound())
	for untold := 0; ; {
		x = w.ask(ctx, s, s.URL, address)
		switch {
		case !x.Answered():
			return x, false
		case unavailable(x):
			untold++
		case w.target.Profile.Async.Ended(x):
			return x, true
		default:
			untold = 0
		}
		pause := retryAfter(x, jobPause, 2*time.Second)
		if untold == rateTries || w.Now().Add(pause).After(bound) || w.Wait(ctx, pause) != nil {
			return x, false
		}
	}
}

// unavailable reports whether an error says that a question cannot be answered now, and nothing of what was asked.
func unavailable(x targets.Exchange) bool {
	return x.Status == http.StatusTooManyRequests || x.Status == http.StatusServiceUnavailable || byGateway(x.Status)
}

// ask sends a GET to an address that the target has named in an answer from the address at, with the credentials of the
// attempt that led there. An address on another host is not followed.
func (w *world) ask(ctx context.Context, s *sent, at, address string) targets.Exchange {
	base, headers := w.place(s.namespace)
	absolute, err := resolve(at, address)
	if err != nil {
		w.note(true, "%q: the job was not asked for: %v", s.Name, err)
		return targets.Exchange{}
	}
	a, err := targets.Request{Line: "GET " + absolute}.Build(base, headers, w.vars(s))
	if err != nil {
		w.note(true, "%q: the job was not asked for: %v", s.Name, err)
		return targets.Exchange{}
	}
	a.Name, a.Timeout = "job of "+s.Name, w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, a)
	w.showExchange(x, reports.PurposeJob, s.namespace, "", "")
	return x
}

// resolve gives an address that stands in an answer as an absolute one (RFC 3986 section 5).
func resolve(at, address string) (string, error) {
	base, err := url.Parse(at)
	if err != nil {
		return "", fmt.Errorf("resolve the address of a job: %w", err)
	}
	to, err := base.Parse(address)
	if err != nil {
		return "", fmt.Errorf("resolve the address of a job: %w", err)
	}
	return to.String(), nil
}

// recordNamed gives the id of the record that an answer names: in itself, in the result of its job, or, where an error
// points at the first result, in that error.
func (w *world) recordNamed(op targets.Operation, s *sent) string {
	p := w.target.Profile
	switch {
	case s.job == judge.JobDone:
		return p.Async.RecordID(op, *s.result)
	case s.Succeeded():
		return op.RecordID(s.Exchange)
	case p.Async == nil && p.Replay.Has(targets.ModePointerError) && p.Replay.HasStatus(s.Status):
		return targets.IDAt(p.Replay.ID, s.Exchange)
	}
	return ""
}
