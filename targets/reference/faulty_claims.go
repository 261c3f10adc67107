package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"time"
)

// This file holds the wrong ways to claim, complete and release a key. Only
// the defects lead here.

// checkEarly checks state before the key was looked up (check-before-lookup).
func (s *Server) checkEarly(ctx context.Context, a *attempt) error {
	if err := a.op.prepare(a); err != nil {
		return err
	}
	return a.gate(ctx, s.store.reads)
}

// performUnclaimed works without a claim, after the key was looked up
// (check-then-insert).
func (s *Server) performUnclaimed(ctx context.Context, a *attempt) (reply answer, err error) {
	if err := hesitate(ctx, s.faults.window[checkThenInsert]); err != nil {
		return answer{}, err
	}
	if err := a.begin(ctx); err != nil {
		return answer{}, err
	}
	err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if reply, err = s.run(ctx, tx, a, now); err != nil {
			return err
		}
		return s.remember(ctx, tx, a, reply, now)
	})
	if err != nil {
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// hesitate waits like pause. Below two milliseconds a timer may come late by
// more than the window itself, so that it spins.
func hesitate(ctx context.Context, window time.Duration) error {
	if window >= 2*time.Millisecond {
		return pause(ctx, window)
	}
	for begun := time.Now(); time.Since(begun) < window; {
		runtime.Gosched()
	}
	return nil
}

// remember stores a completed row over whatever is there.
func (s *Server) remember(ctx context.Context, tx *sql.Tx, a *attempt, reply answer, now time.Time) error {
	id := s.identity(a)
	headers, err := json.Marshal(reply.Header)
	if err != nil {
		return fmt.Errorf("write the headers down: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT OR REPLACE INTO ledger (scope, key, operation, event, account, fingerprint, state, owner, lease_until,
			created_at, completed_at, status, headers, body, reference)
		VALUES (?, ?, ?, ?, ?, ?, 'completed', '', 0, ?, ?, ?, ?, ?, ?)`,
		id.scope, id.key, a.op.name, a.source.event, a.source.account, a.fingerprint,
		now.UnixNano(), now.UnixNano(), reply.Status, string(headers), reply.Body, reply.Reference)
	return err
}

// performUnguarded works under a claim that lapses while the work runs, and
// does not look whether it still holds it (lock-shorter-than-handler).
func (s *Server) performUnguarded(ctx context.Context, a *attempt) (reply answer, err error) {
	hasty := *s
	hasty.ledger.lease = s.faults.window[lockShorterThanHandler]
	held, standing, err := hasty.claim(ctx, a)
	if err != nil {
		return answer{}, err
	}
	if standing != nil {
		return s.settle(ctx, a, *standing)
	}
	if err = a.begin(ctx); err == nil {
		err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
			now, err := s.now(ctx, tx)
			if err != nil {
				return err
			}
			if reply, err = s.run(ctx, tx, a, now); err != nil {
				return err
			}
			return s.remember(ctx, tx, a, reply, now)
		})
	}
	if err != nil {
		s.giveBack(ctx, held, err)
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// hangsUp waits, up to the window, for the client to hang up, and reports
// whether it has. net/http notices that once the body is read.
func hangsUp(client context.Context, window time.Duration) bool {
	_ = pause(client, window) // either way, the context tells
	return client.Err() != nil
}

// transactInVain is like transact, but undoes the work of a client that has
// hung up, and keeps its success under the key (work-lost-on-hang-up).
func (s *Server) transactInVain(ctx context.Context, a *attempt, held claim) (answer, error) {
	if hangsUp(a.Context(), s.faults.window[workLostOnHangUp]) {
		work := a.work
		a.work = func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
			reply, err := work(ctx, tx, now)
			if err != nil {
				return answer{}, err
			}
			return reply, s.undo(ctx, tx, reply)
		}
	}
	return s.transact(ctx, a, held)
}

// transactTwice commits the record first and completes the claim in a second
// transaction, unless the client hangs up in between (record-before-key).
func (s *Server) transactTwice(ctx context.Context, a *attempt, held claim) (reply answer, err error) {
	var now time.Time
	err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		if now, err = s.now(ctx, tx); err != nil {
			return err
		}
		if err := s.ledger.hold(ctx, tx, held, now); err != nil {
			return err
		}
		reply, err = s.run(ctx, tx, a, now)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if hangsUp(a.Context(), s.faults.window[recordBeforeKey]) {
		return answer{}, fmt.Errorf("store the key: %w", context.Cause(a.Context()))
	}
	err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		return s.complete(ctx, tx, a, held, reply, now)
	})
	return reply, err
}

// holdForEver keeps the claim of a failed attempt (never-released and
// half-request-claims-key).
func (s *Server) holdForEver(ctx context.Context, tx *sql.Tx, held claim) error {
	_, err := tx.ExecContext(ctx, `UPDATE ledger SET lease_until = ? WHERE scope = ? AND key = ? AND owner = ? AND state = 'running'`,
		int64(math.MaxInt64), held.scope, held.key, held.owner)
	return err
}

// claimHalf claims the key of a new task whose body did not arrive whole, and
// never lets go (half-request-claims-key). Such a claim knows no payload: it
// has no fingerprint, and a later attempt is told 409 whatever it carries. It
// looks under the write lock, where it waits for a claim that is being made.
func (s *Server) claimHalf(r *request, whole bool) error {
	a := &attempt{request: r, op: operation{name: createTaskOperation, keyRequired: true}}
	if r.Pattern != "POST /v1/tasks" || s.readKey(a, r.Header) != nil || !a.keyed {
		return nil
	}
	ctx := context.WithoutCancel(r.Context())
	if whole {
		return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error {
			e, found, err := s.ledger.find(ctx, tx, s.identity(a))
			if found && e.fingerprint == "" {
				return inFlight()
			}
			return err
		})
	}
	held, standing, err := s.claim(ctx, a)
	if err != nil || standing != nil {
		return err
	}
	return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error { return s.holdForEver(ctx, tx, held) })
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
