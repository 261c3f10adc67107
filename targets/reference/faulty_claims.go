package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// This file holds the wrong ways to claim, complete and release a key. Only
// the defects lead here.

// wrongClaim is the way of a defect that claims wrongly after the key was
// looked up; nil is the right way.
func (s *Server) wrongClaim() func(context.Context, *attempt) (answer, error) {
	switch {
	case s.broken(storedAfterWork):
		return s.performUnclaimed
	case s.broken(lockShorterThanHandler):
		return s.performUnguarded
	case s.broken(lockDeletedByFormerOwner):
		return s.performUntilDeleted
	case s.broken(unrelatedKeysSerialised):
		return s.performInTurn
	}
	return nil
}

// checkEarly checks state before the key was looked up (check-before-lookup).
func (s *Server) checkEarly(ctx context.Context, a *attempt) error {
	if err := a.op.prepare(a); err != nil {
		return err
	}
	return a.gate(ctx, s.store.reads)
}

// workUnclaimed does the work without a claim, and stores the answer in the
// same transaction. By itself it is stored-after-work: until then nobody can
// know of it.
func (s *Server) workUnclaimed(ctx context.Context, a *attempt) (reply answer, err error) {
	if err := a.begin(ctx); err != nil {
		return answer{}, err
	}
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if reply, err = s.run(ctx, tx, a, now); err != nil {
			return err
		}
		return s.remember(ctx, tx, a, reply, now)
	})
	return reply, err
}

// performUnclaimed works without a claim, some time after the key was looked
// up (stored-after-work).
func (s *Server) performUnclaimed(ctx context.Context, a *attempt) (answer, error) {
	if err := hesitate(ctx, s.faults.window[storedAfterWork]); err != nil {
		return answer{}, err
	}
	reply, err := s.workUnclaimed(ctx, a)
	if err != nil {
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// remember stores a completed row over whatever is there.
func (s *Server) remember(ctx context.Context, tx *sql.Tx, a *attempt, reply answer, now time.Time) error {
	id := s.identity(a)
	headers, err := json.Marshal(reply.Header)
	if err != nil {
		return fmt.Errorf("write the headers down: %w", err)
	}
	return s.step(stepAnswer, func() error {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO ledger (scope, key, operation, event, account, fingerprint, state, owner, lease_until,
				created_at, completed_at, status, headers, body, reference)
			VALUES (?, ?, ?, ?, ?, ?, 'completed', ?, 0, ?, ?, ?, ?, ?, ?)`,
			id.scope, id.key, a.op.name, a.source.event, a.source.account, a.fingerprint, s.instance,
			now.UnixNano(), now.UnixNano(), reply.Status, string(headers), reply.Body, reply.Reference)
		return err
	})
}

// performUnguarded works under a claim that lapses while the work runs, and
// does not look whether it still holds it (lock-shorter-than-handler).
func (s *Server) performUnguarded(ctx context.Context, a *attempt) (reply answer, err error) {
	hasty := *s
	hasty.ledger.lease = s.faults.window[lockShorterThanHandler]
	held, standing, err := hasty.claim(ctx, a, s.identity(a))
	if err != nil {
		return answer{}, err
	}
	if standing != nil {
		return s.settle(ctx, a, *standing)
	}
	reply, err = s.workUnclaimed(ctx, a)
	if err != nil {
		s.giveBack(ctx, held, err)
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// performUntilDeleted works under a claim that lapses while the work runs. If
// somebody has taken it over by the end, the work counts all the same, and
// what is under the key by then is deleted: the claim of the new owner or, if
// that one was quicker, its answer (lock-deleted-by-former-owner).
func (s *Server) performUntilDeleted(ctx context.Context, a *attempt) (reply answer, err error) {
	hasty := *s
	hasty.ledger.lease = s.faults.window[lockDeletedByFormerOwner]
	held, standing, err := hasty.claim(ctx, a, s.identity(a))
	if err != nil {
		return answer{}, err
	}
	if standing != nil {
		return s.settle(ctx, a, *standing)
	}
	if err = a.begin(ctx); err == nil {
		err = s.transaction(ctx, func(tx *sql.Tx) error {
			now, err := s.now(ctx, tx)
			if err != nil {
				return err
			}
			if reply, err = s.run(ctx, tx, a, now); err != nil {
				return err
			}
			err = s.complete(ctx, tx, a, held, reply, now)
			if errors.Is(err, errClaimLost) {
				_, err = tx.ExecContext(ctx, `DELETE FROM ledger WHERE scope = ? AND key = ?`, held.scope, held.key)
			}
			return err
		})
	}
	if err != nil {
		s.giveBack(ctx, held, err)
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// holdForEver keeps the claim of a failed attempt (never-released).
func (s *Server) holdForEver(ctx context.Context, tx *sql.Tx, held claim) error {
	_, err := tx.ExecContext(ctx, `UPDATE ledger SET lease_until = ? WHERE scope = ? AND key = ? AND owner = ? AND state = 'running'`,
		int64(math.MaxInt64), held.scope, held.key, held.owner)
	return err
}

// claimEarly claims the key of a new task before its body is read, and lets go
// when the body has arrived whole (half-request-claims-key). The claim is made
// in memory, so that it waits for nobody else's transaction. It knows no
// payload: who comes later is told 409 whatever they send.
func (s *Server) claimEarly(r *request) error {
	a := &attempt{request: r, op: operation{name: createTaskOperation, keyRequired: true}}
	if r.Pattern != "POST /v1/tasks" || s.readKey(a, r.Header) != nil || !a.keyed {
		return nil
	}
	id := s.identity(a)
	if _, taken := s.races.early.LoadOrStore(id, true); taken {
		return inFlight()
	}
	_, found, err := s.ledger.find(context.WithoutCancel(r.Context()), s.store.reads, id)
	if err != nil || found { // known keys are answered as ever
		s.races.early.Delete(id)
		return err
	}
	r.Body = &claimedBody{r.Body, func() { s.races.early.Delete(id) }}
	return nil
}

// claimedBody is a request body whose end lets a claim go.
type claimedBody struct {
	io.ReadCloser
	letGo func()
}

func (b *claimedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF { // and not io.ErrUnexpectedEOF
		b.letGo()
	}
	return n, err
}

// storeFailure completes the claim of a failed attempt with its failure
// (failure-stored).
func (s *Server) storeFailure(cause error) func(context.Context, *sql.Tx, claim) error {
	return func(ctx context.Context, tx *sql.Tx, held claim) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.ledger.complete(ctx, tx, held, problemOf(cause).answer(), now)
	}
}

// burn uses a key up although its request was refused (key-burned-by-failure).
func (s *Server) burn(ctx context.Context, a *attempt) error {
	return s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.remember(ctx, tx, a, keyUsed().answer(), now)
	})
}

// forgetOthers removes the other completed keys of a scope (bounded-store).
func (s *Server) forgetOthers(ctx context.Context, tx *sql.Tx, held claim) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE scope = ? AND key <> ? AND state = 'completed'`, held.scope, held.key)
	return err
}

// forgetMaker removes the key that a record was created under
// (delete-forgets-key).
func (s *Server) forgetMaker(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE reference = ? AND status = ?`, id, http.StatusCreated)
	if err != nil {
		return fmt.Errorf("forget the key: %w", err)
	}
	return nil
}

// keyUsed refuses the repeat of a key without telling what became of it.
func keyUsed() problem {
	return problem{Status: http.StatusConflict, Code: "idempotency_key_used", Detail: "This key was used before."}
}
