package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// operation is one kind of write that runs at most once per key.
type operation struct {
	name       string
	permission string
	// keyRequired is whether a request without a key is refused.
	keyRequired bool
	// prepare decodes and checks the request without looking at any state,
	// and fills in the source, the gate and the work of the attempt.
	prepare func(*attempt) error
}

// attempt is one request for an operation.
type attempt struct {
	*request
	op          operation
	key         string
	keyed       bool
	fingerprint string
	source      source
	gate        func(ctx context.Context, q querier) error
	work        work
	rows        []json.RawMessage // of a batch
	again       bool              // its key was taken: what a stand-in answers is no first answer
	asks        bool              // for a job: a stand-in answers where that is
}

// work does what an attempt asks for, in a transaction.
type work func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error)

// keyed makes the handler of an operation. What can be refused without
// looking at the ledger is refused here; a caller without permission is, so
// that nobody is given a replay of what they may not do.
func (s *Server) keyed(op operation) handler {
	return func(ctx context.Context, r *request) (answer, error) {
		a := &attempt{request: r, op: op}
		if err := s.authorize(r.caller, op); err != nil {
			if s.broken(authorizationAfterLookup) {
				return s.recallAnyway(ctx, a, err)
			}
			return answer{}, err
		}
		if r.caller.revoked {
			return s.recallAnyway(ctx, a, unknownToken())
		}
		if err := s.keyOf(a); err != nil {
			return answer{}, err
		}
		s.askForJob(a)
		var err error
		if a.fingerprint, err = s.fingerprintOf(r.Request, r.body); err != nil {
			return answer{}, err
		}
		// A client that hangs up must not stop the work half way.
		ctx = context.WithoutCancel(ctx)
		if err := pause(ctx, r.switches.slowBefore); err != nil {
			return answer{}, err
		}
		if !a.keyed && !a.asks {
			return s.performKeyless(ctx, a)
		}
		reply, err := s.perform(ctx, a)
		reply, err = s.accept(ctx, a, reply, err)
		return s.manners.dress(a, reply, err)
	}
}

// performKeyless runs an attempt that has no key.
func (s *Server) performKeyless(ctx context.Context, a *attempt) (reply answer, err error) {
	if err := a.op.prepare(a); err != nil {
		return answer{}, err
	}
	if err := a.begin(ctx); err != nil {
		return answer{}, err
	}
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		reply, err = s.run(ctx, tx, a, now)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return reply, a.switches.strike(afterCommit)
}

// perform runs an attempt at most once per key, or takes the way of a defect.
func (s *Server) perform(ctx context.Context, a *attempt) (answer, error) {
	if s.broken(batchKeyIgnored) && a.op.name == createBatchOperation {
		return s.performKeyless(ctx, a)
	}
	if way := s.detour(a); way != nil {
		return way(ctx, a)
	}
	return s.performOnce(ctx, a)
}

// performOnce runs an attempt at most once per key. The order matters:
//
//   - The ledger is asked before anything that depends on state, so that a
//     success is still replayed after its precondition is gone.
//   - What is wrong with the request in itself is refused before the claim,
//     so that it leaves no trace and does not use the key up.
//   - The claim is made before the work; see ledger.
func (s *Server) performOnce(ctx context.Context, a *attempt) (answer, error) {
	if s.broken(checkBeforeLookup) {
		if err := s.checkEarly(ctx, a); err != nil {
			return answer{}, err
		}
	}
	if reply, known, err := s.recall(ctx, a); known || err != nil {
		return reply, err
	}
	if refused := a.switches.refuse(); (s.broken(refusalsStored) || s.manners.keeps(refused)) && refused != nil {
		return answer{}, errors.Join(refused, s.storeRefusal(ctx, a, refused))
	}
	if err := a.op.prepare(a); err != nil {
		if s.broken(keyBurnedByFailure) {
			err = errors.Join(err, s.burn(ctx, a))
		}
		if s.manners.keeps(err) {
			err = errors.Join(err, s.storeRefusal(ctx, a, err))
		}
		return answer{}, err
	}
	if way := s.wrongClaim(); way != nil {
		return way(ctx, a)
	}
	held, standing, err := s.claim(ctx, a, s.identity(a))
	switch {
	case err != nil:
		return answer{}, err
	case standing != nil: // another attempt was faster
		return s.settle(ctx, a, *standing)
	}
	return s.performClaimed(ctx, a, held)
}

// identity is where the ledger keeps the key of an attempt.
func (s *Server) identity(a *attempt) identity {
	if s.manners != nil {
		return s.manners.identity(a)
	}
	tenant, environment := a.caller.tenant, a.environment
	if s.broken(tenantNotInScope) {
		tenant = "*"
	}
	if s.broken(callerInScope) {
		tenant += "~" + a.caller.user
	}
	if s.broken(environmentNotInScope) {
		environment = "*"
	}
	id := identity{scope: tenant + "/" + environment + "/" + a.op.name, key: a.key}
	if s.broken(newRecordOnMismatch) {
		id.key += " " + a.fingerprint
	}
	if s.broken(perProcessStore) {
		id.scope += "/" + s.instance
	}
	return id
}

// claim makes the claim of an attempt, under the identity that is its own
// unless a defect is on, or returns the row that stands in the way.
func (s *Server) claim(ctx context.Context, a *attempt, id identity) (held claim, standing *entry, err error) {
	wanted := entry{identity: id, operation: a.op.name, source: a.source,
		fingerprint: a.fingerprint, owner: s.options.NewID()}
	err = s.step(stepClaim, func() error {
		return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error {
			now, err := s.now(ctx, tx)
			if err != nil {
				return err
			}
			found, made, err := s.ledger.claim(ctx, tx, wanted, now)
			if !made {
				standing = &found
			}
			return err
		})
	})
	return claim{wanted.identity, wanted.owner}, standing, err
}

// performClaimed does the work under a claim. Whatever goes wrong, also a
// panic, the claim is given back.
func (s *Server) performClaimed(ctx context.Context, a *attempt, held claim) (reply answer, err error) {
	done := false
	stop := s.heartbeat(ctx, held)
	defer func() {
		stop()
		if !done {
			s.giveBack(ctx, held, err)
		}
	}()
	if err := a.begin(ctx); err != nil {
		return answer{}, err
	}
	transact := s.transact
	if way := s.wrongTransact(); way != nil {
		transact = way
	}
	if reply, err = transact(ctx, a, held); err != nil {
		return answer{}, err
	}
	done = true
	return reply, a.switches.strike(afterCommit)
}

// begin is where the work begins: what Test-Slow delays and Test-Fail stops.
// No transaction is open here, so a slow attempt holds up nobody else.
func (a *attempt) begin(ctx context.Context) error {
	if err := a.switches.strike(beforeWork); err != nil {
		return err
	}
	return pause(ctx, a.switches.slow)
}
