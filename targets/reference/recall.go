package reference

import (
	"context"
	"net/http"
)

// recall looks an attempt up in the ledger. known means that the ledger has
// the answer or the refusal. It decides nothing that claim does not decide
// again; it is here so that known keys come before all checks.
func (s *Server) recall(ctx context.Context, a *attempt) (reply answer, known bool, err error) {
	e, found, err := s.ledger.find(ctx, s.store.reads, s.identity(a))
	if err != nil || !found {
		return answer{}, false, err
	}
	now, err := s.now(ctx, s.store.reads)
	if err != nil || s.ledger.free(e, now) {
		return answer{}, false, err
	}
	reply, err = s.settle(ctx, a, e)
	return reply, true, err
}

// settle answers an attempt whose key is taken. Another payload is refused at
// once, also while the first one runs: to wait would not help.
func (s *Server) settle(ctx context.Context, a *attempt, e entry) (answer, error) {
	if s.manners != nil {
		return s.settleAs(ctx, a, e)
	}
	switch {
	case a.fingerprint != e.fingerprint && !s.broken(payloadNotCompared):
		return s.conflict(ctx, a, e)
	case e.state == running:
		if s.broken(lostRace500) {
			return answer{}, problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "UNIQUE constraint failed: ledger.key"}
		}
		return answer{}, inFlight()
	default:
		return s.replay(ctx, e)
	}
}

// conflict refuses another payload under a key. The refusal shows nothing of
// the first request: whoever holds the key may not be who sent it.
func (s *Server) conflict(ctx context.Context, a *attempt, e entry) (answer, error) {
	if s.broken(overwriteOnMismatch) && e.state == completed && a.op.name == createTaskOperation {
		return s.overwrite(ctx, a, e)
	}
	if s.broken(conflictAsInProgress) {
		return answer{}, inFlight()
	}
	if s.broken(conflictWhileRunningAsInProgress) && e.state == running {
		return answer{}, inFlight()
	}
	p := reused()
	if s.broken(conflictLeaksOriginal) {
		p.Detail += " It was: " + string(e.reply.Body)
	}
	return answer{}, p
}

// replay answers with what the first attempt was answered, byte for byte, and
// marks it as a replay.
func (s *Server) replay(ctx context.Context, e entry) (answer, error) {
	reply := e.reply
	reply.replayed = true
	if s.broken(retentionFromLastUse) {
		if err := s.prolong(ctx, e.identity); err != nil {
			return answer{}, err
		}
	}
	if s.broken(replay500) {
		return answer{}, problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "The key exists."}
	}
	if s.broken(refusalNeverSettles) && reply.Status >= http.StatusBadRequest {
		return answer{}, problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "The operation is initializing."}
	}
	if s.broken(replayRefused) {
		return answer{}, keyUsed()
	}
	if s.broken(replayOnlyOnce) {
		return reply, s.forgetAtOnce(ctx, e.identity)
	}
	if s.broken(replayStatus200) {
		reply.Status = http.StatusOK
	}
	if s.broken(replayHeadersLost) {
		reply.Header = nil
	}
	if s.broken(replayBodyTruncated) {
		reply.Body = reply.Body[:len(reply.Body)/2]
	}
	if s.broken(replayTimeRecomputed) {
		return s.retime(ctx, reply)
	}
	if s.broken(replayRecomputed) {
		return s.recompute(ctx, reply)
	}
	if s.broken(mailPerAttempt) {
		return reply, s.mailAgain(ctx, reply.Reference)
	}
	return reply, nil
}
