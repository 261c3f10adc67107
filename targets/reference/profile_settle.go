package reference

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// way is what a stand-in does with an attempt whose key is taken by e, as a clause documents it.
type way func(s *Server, ctx context.Context, a *attempt, e entry, c targets.Clause) (answer, error)

// ways lists the documented behaviours of a used key, by clause and mode. What is not here is the reference's own. It is a
// function because the ways lead to each other.
func ways() map[string]map[string]way {
	return map[string]map[string]way{
		"mismatch": {
			targets.ModeReject:      refuseReuse,
			targets.ModeReplayFirst: giveFirst,
			targets.ModeOverwrite:   overwriteFirst,
		},
		"mismatch_in_flight": {targets.ModeReject: refuseReuse},
		"in_flight": {
			targets.ModeReject:  refuseRunning,
			targets.ModeWait:    awaitFirst,
			targets.ModePointer: refuseRunning,
			// No owner documents that a second request runs beside the first; it is for tests.
			targets.ModeExecutes: runBeside,
		},
		"scope.operation": {
			targets.ModeReject: refuseReuse,
			targets.ModeShared: giveFirst,
		},
		"replay": {
			targets.ModeIdentical:    replayIdentical,
			targets.ModeSameRecord:   replayRecord,
			targets.ModePointerError: replayPointer,
			targets.ModeUpsert:       replayUpsert,
			targets.ModeAck:          replayAck,
		},
	}
}

// wayOf finds the way of a clause, or the reference's own.
func wayOf(name string, c targets.Clause, own way) way {
	if w, ok := ways()[name][spoken(c)]; ok {
		return w
	}
	return own
}

// settleAs answers an attempt whose key is taken, in the manners of the profile.
func (s *Server) settleAs(ctx context.Context, a *attempt, e entry) (answer, error) {
	m := s.manners
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	a.again = true
	switch other := a.fingerprint != e.fingerprint; {
	case m.over(e, now, s.options.Retention):
		return answer{}, m.refusal(m.Expired, expiredKey(), m.about(e))
	case e.operation != a.op.name:
		return wayOf("scope.operation", m.Scope.Operation, refuseReuse)(s, ctx, a, e, m.clauseOfOperation())
	case other && e.state == running && spoken(m.MismatchInFlight) != "":
		return wayOf("mismatch_in_flight", m.MismatchInFlight, refuseReuse)(s, ctx, a, e, m.MismatchInFlight)
	case other && e.state == running && m.Mismatch.ID != "":
		return awaitFirst(s, ctx, a, e, m.Mismatch) // before, there is no record to name
	case other:
		return wayOf("mismatch", m.Mismatch, refuseReuse)(s, ctx, a, e, m.Mismatch)
	}
	return giveFirst(s, ctx, a, e, m.Replay)
}

// clauseOfOperation is what a refusal of a key from another operation looks like: where its clause gives neither status
// nor code, it is a mismatch like any other.
func (m *manners) clauseOfOperation() targets.Clause {
	if c := m.Scope.Operation; len(c.Status) > 0 || c.Code != nil {
		return c
	}
	return m.Mismatch
}

// giveFirst answers with the first result, or says that it is not there yet.
func giveFirst(s *Server, ctx context.Context, a *attempt, e entry, _ targets.Clause) (answer, error) {
	m := s.manners
	if e.state == running && a.fingerprint != e.fingerprint && spoken(m.InFlight) == "" {
		return awaitFirst(s, ctx, a, e, m.InFlight)
	}
	if e.state == running {
		return wayOf("in_flight", m.InFlight, refuseRunning)(s, ctx, a, e, m.InFlight)
	}
	failed := e.reply.Status >= http.StatusBadRequest
	switch one := spoken(m.Replay) == targets.ModePointerError; {
	case a.asks && !one:
		return m.accepted(e)
	case failed && !a.asks && !(one && m.pointsAtFailure(e.reply)):
		return e.reply, nil // a stored failure
	}
	return wayOf("replay", m.Replay, replayOwn)(s, ctx, a, e, m.Replay)
}

// pointsAtFailure reports whether a repeat after a stored failure is refused like any other, where that is the answer to
// repeats. A refusal for a business reason is stored anyhow; where nothing is said of it, it is given again.
func (m *manners) pointsAtFailure(reply answer) bool {
	return reply.Status != http.StatusPaymentRequired || spoken(m.Failures.Refusal) == targets.ModeStored
}

func refuseReuse(s *Server, _ context.Context, _ *attempt, e entry, c targets.Clause) (answer, error) {
	return answer{}, s.manners.refusal(c, reused(), s.manners.about(e))
}

func refuseRunning(s *Server, _ context.Context, _ *attempt, e entry, c targets.Clause) (answer, error) {
	return answer{}, s.manners.refusal(c, inFlight(), s.manners.about(e))
}

func runBeside(s *Server, ctx context.Context, a *attempt, _ entry, _ targets.Clause) (answer, error) {
	a.again = false
	if a.asks {
		a.key = s.options.NewID() // which is a job of its own
		return s.performOnce(ctx, a)
	}
	return s.performKeyless(ctx, a)
}

func overwriteFirst(s *Server, ctx context.Context, a *attempt, e entry, c targets.Clause) (answer, error) {
	if e.state == running || a.op.name != createTaskOperation {
		return giveFirst(s, ctx, a, e, c)
	}
	reply, err := s.overwrite(ctx, a, e)
	return s.manners.flagged(reply), err
}

// How often and how long a second attempt looks whether the first has ended, where it is held until then.
const (
	lookAgain   = 10 * time.Millisecond
	longestHold = 10 * time.Second
)

// awaitFirst holds an attempt until the first one has ended.
func awaitFirst(s *Server, ctx context.Context, a *attempt, first entry, c targets.Clause) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, longestHold)
	defer cancel()
	for pause(ctx, lookAgain) == nil {
		e, found, err := s.ledger.find(ctx, s.store.reads, s.identity(a))
		if err != nil {
			break // the time is over, or the store is gone
		}
		if found && e.state == completed {
			return s.settleAs(ctx, a, e)
		}
		if !found {
			a.again = false
			return s.performOnce(ctx, a)
		}
	}
	return answer{}, s.manners.refusal(c, inFlight(), s.manners.about(first))
}

func replayOwn(s *Server, ctx context.Context, _ *attempt, e entry, _ targets.Clause) (answer, error) {
	return s.replay(ctx, e)
}

func replayIdentical(_ *Server, _ context.Context, _ *attempt, e entry, _ targets.Clause) (answer, error) {
	return e.reply, nil
}

// replayRecord shows the record as it is now.
func replayRecord(s *Server, ctx context.Context, a *attempt, e entry, c targets.Clause) (answer, error) {
	reply, err := s.present(ctx, a, e)
	if err == nil && len(c.Status) > 0 {
		reply.Status = c.Status[0]
	}
	return reply, err
}

// present reads the record that an entry is about; what is none is answered as it was. Where name spaces share
// their keys, a record of another one is shown as it was first answered.
func (s *Server) present(ctx context.Context, a *attempt, e entry) (answer, error) {
	scope := s.manners.Scope
	shared := func(c targets.Clause) bool { return spoken(c) == targets.ModeShared }
	switch {
	case slices.ContainsFunc([]targets.Clause{scope.Tenant, scope.Environment, scope.Region, scope.Partition}, shared):
		return e.reply, nil
	case e.operation == createTaskOperation:
		return read(ctx, s, a.request, "task", selectTask, sequence("D", e.reply.Reference), scanTask)
	case e.operation == updateNoteOperation:
		return read(ctx, s, a.request, "note", selectNote, sequence("N", e.reply.Reference), scanNote)
	}
	return e.reply, nil
}

func replayPointer(s *Server, _ context.Context, _ *attempt, e entry, c targets.Clause) (answer, error) {
	return answer{}, s.manners.refusal(c, reused(), s.manners.about(e))
}

func replayUpsert(s *Server, ctx context.Context, a *attempt, e entry, c targets.Clause) (answer, error) {
	reply, err := replayRecord(s, ctx, a, e, c)
	return s.manners.flagged(reply), err
}

// flagged says that nothing is new, where the profile documents how.
func (m *manners) flagged(reply answer) answer {
	if flag := m.Replay.Flag; flag != nil {
		return plant(reply, flag.At, codeOf(flag, "true"))
	}
	return reply
}

func replayAck(_ *Server, _ context.Context, _ *attempt, _ entry, c targets.Clause) (answer, error) {
	reply, err := jsonAnswer(http.StatusOK, map[string]string{"status": "ok"})
	if err == nil && len(c.Status) > 0 {
		reply.Status = c.Status[0]
	}
	return reply, err
}

// expiredKey refuses a key whose retention is over.
func expiredKey() problem {
	return problem{Status: http.StatusPreconditionFailed, Code: "idempotency_key_expired", Detail: "This key is no longer kept."}
}

// keyBeyond refuses a key that is not as the profile documents it.
func keyBeyond(format string, args ...any) error {
	return keyProblem("idempotency_key_invalid", fmt.Errorf(format, args...))
}
