package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// transact does the work and completes the claim, in one transaction that
// first makes sure that the claim is still held.
func (s *Server) transact(ctx context.Context, a *attempt, held claim) (answer, error) {
	return s.transactWith(ctx, a, held, s.complete)
}

// completing is the last thing that a transaction of the work does.
type completing func(ctx context.Context, tx *sql.Tx, a *attempt, held claim, reply answer, now time.Time) error

// transactWith is transact with another last thing than to complete the claim.
func (s *Server) transactWith(ctx context.Context, a *attempt, held claim, complete completing) (reply answer, err error) {
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.ledger.hold(ctx, tx, held, now); err != nil {
			return err
		}
		if reply, err = s.run(ctx, tx, a, now); err != nil {
			return err
		}
		return complete(ctx, tx, a, held, reply, now)
	})
	if errors.Is(err, errClaimLost) {
		return answer{}, inFlight()
	}
	return reply, err
}

// transaction is a transaction of the work, whose commit is a step.
func (s *Server) transaction(ctx context.Context, do func(*sql.Tx) error) error {
	return s.store.writeWith(ctx, s.store.work, do, func(tx *sql.Tx) error { return s.step(stepCommit, tx.Commit) })
}

// run does the work of an attempt. A refusal that is the true outcome becomes
// an answer to be stored, and what was written until then is undone.
func (s *Server) run(ctx context.Context, tx *sql.Tx, a *attempt, now time.Time) (answer, error) {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT work`); err != nil {
		return answer{}, fmt.Errorf("begin the work: %w", err)
	}
	work := a.work
	if s.broken(operationNotInScope) {
		work = s.workOfOtherOperation(a)
	}
	reply, err := work(ctx, tx, now)
	if p, ok := errors.AsType[problem](err); ok && p.final && !s.broken(refusalNotKept) && !s.manners.forgets(p) {
		_, err = tx.ExecContext(ctx, `ROLLBACK TO work`)
		reply = s.manners.refused(p)
	}
	if err != nil {
		return answer{}, err
	}
	return reply, a.switches.strike(inWork)
}

// complete stores the answer under the key.
func (s *Server) complete(ctx context.Context, tx *sql.Tx, a *attempt, held claim, reply answer, now time.Time) error {
	if s.broken(boundedStore) {
		if err := s.forgetOthers(ctx, tx, held); err != nil {
			return err
		}
	}
	if s.broken(largeAnswerNotStored) && len(reply.Body) > largestStored {
		return s.ledger.release(ctx, tx, held)
	}
	return s.step(stepAnswer, func() error { return s.ledger.complete(ctx, tx, held, reply, now) })
}

// giveBack releases a claim after a refusal or a failure. If even that fails,
// the lease runs out by itself.
func (s *Server) giveBack(ctx context.Context, held claim, cause error) {
	release := s.ledger.release
	if !refusal(cause) {
		if s.broken(neverReleased) {
			release = s.holdForEver
		}
		if s.manners.keeps(cause) || s.broken(failureStored) || s.broken(batchFailureStored) && strings.HasSuffix(held.scope, "/"+createBatchOperation) {
			release = s.storeFailure(cause)
		}
	}
	err := s.step(stepRelease, func() error {
		return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error { return release(ctx, tx, held) })
	})
	if err != nil {
		s.options.Logger.Error("claim not released", "error", err)
	}
}

// heartbeat renews a claim until the returned function is called, which waits
// for the heartbeat to end.
func (s *Server) heartbeat(ctx context.Context, held claim) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(max(s.options.Lease/3, time.Millisecond))
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				if err := s.renew(ctx, held); err != nil && ctx.Err() == nil {
					s.options.Logger.Warn("claim not renewed", "error", err)
				}
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// renew prolongs a claim.
func (s *Server) renew(ctx context.Context, held claim) error {
	return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.ledger.hold(ctx, tx, held, now)
	})
}
