package reference

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// This file holds what goes wrong only while several requests run at once.
// Only the defects lead here.

// races is what these defects keep in the memory of one process.
type races struct {
	mu         sync.Mutex
	sightings  map[identity]sighting
	running    map[identity]int
	locks      map[identity]tenantLock
	gatherings map[string]*gathering
	early      sync.Map      // identities that half-request-claims-key has claimed
	turn       chan struct{} // holds one token, which whoever works has taken
	answered   sync.Mutex    // held from an answer to the commit after it, by answers-before-commit
}

func newRaces() *races {
	r := &races{sightings: map[identity]sighting{}, running: map[identity]int{}, locks: map[identity]tenantLock{},
		gatherings: map[string]*gathering{}, turn: make(chan struct{}, 1)}
	r.turn <- struct{}{}
	return r
}

// detour is the way of a defect that begins before the key is looked up; nil
// is the right way.
func (s *Server) detour(a *attempt) func(context.Context, *attempt) (answer, error) {
	switch {
	case s.broken(checkThenInsert):
		return s.performAfterLook
	case a.glance != nil: // acts-after-body
		return s.performAfterGlance
	case s.broken(claimReadBack):
		return s.performReadBack
	case s.broken(twoPayloadsBothRun):
		return s.performPerPayload
	case s.broken(unrelatedKeysRefused):
		return s.performAlone
	case s.broken(tenantsShareLock):
		return s.performLocked
	case s.broken(mergesDistinctBursts):
		return s.performGathered
	case s.strikesExpired():
		return s.performExpired
	}
	return nil
}

// performReadBack looks for a claim, inserts its own where nothing makes it
// unique, and reads back whether there is a claim (claim-read-back).
func (s *Server) performReadBack(ctx context.Context, a *attempt) (answer, error) {
	return s.performSalted(ctx, a, s.options.NewID(), s.faults.window[claimReadBack])
}

// performPerPayload looks for a claim under the key, and inserts one that is
// unique only for key and payload (two-payloads-both-run).
func (s *Server) performPerPayload(ctx context.Context, a *attempt) (answer, error) {
	return s.performSalted(ctx, a, a.fingerprint, s.faults.window[twoPayloadsBothRun])
}

// performSalted claims a key with a salt in its scope, if there is no claim
// with any salt. The race is open from that look to the commit of the claim,
// that is for the window and two steps in the database. In the end it reads
// back that there is a claim, and any one will do.
func (s *Server) performSalted(ctx context.Context, a *attempt, salt string, window time.Duration) (answer, error) {
	id := s.identity(a)
	e, found, err := s.findSalted(ctx, a)
	if err != nil {
		return answer{}, err
	}
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	if found && !s.ledger.free(e, now) {
		return s.settle(ctx, a, e)
	}
	if err := a.op.prepare(a); err != nil {
		return answer{}, err
	}
	if err := hesitate(ctx, window); err != nil {
		return answer{}, err
	}
	held, standing, err := s.claim(ctx, a, identity{id.scope + "\n" + salt, id.key})
	if err != nil {
		return answer{}, err
	}
	if standing != nil {
		return s.settle(ctx, a, *standing)
	}
	if _, found, err := s.findSalted(ctx, a); err != nil || !found {
		s.giveBack(ctx, held, err)
		return answer{}, errors.Join(err, inFlight())
	}
	return s.performClaimed(ctx, a, held)
}

// findSalted finds a row of the key, if possible one for the same payload.
func (s *Server) findSalted(ctx context.Context, a *attempt) (entry, bool, error) {
	id := s.identity(a)
	return scanEntry(s.store.reads.QueryRowContext(ctx, selectEntry+`
		WHERE key = ?1 AND scope > ?2 AND scope < ?3 ORDER BY fingerprint = ?4 DESC, created_at DESC`,
		id.key, id.scope+"\n", id.scope+"\v", a.fingerprint))
}

// performAlone refuses a key while a request with another one runs
// (unrelated-keys-refused).
func (s *Server) performAlone(ctx context.Context, a *attempt) (answer, error) {
	id := s.identity(a)
	if !s.races.enter(id) {
		return answer{}, busy()
	}
	defer s.races.leave(id)
	return s.performOnce(ctx, a)
}

// enter lets a request in unless others run and none of them has its key.
func (r *races) enter(id identity) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.running) > 0 && r.running[id] == 0 {
		return false
	}
	r.running[id]++
	return true
}

func (r *races) leave(id identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[id]--; r.running[id] == 0 {
		delete(r.running, id)
	}
}

// performInTurn works under one lock for all keys, and holds it for as long as
// others wait for it before they give up (unrelated-keys-serialised). The lock
// is taken after the look-up, so that known keys are answered at once.
func (s *Server) performInTurn(ctx context.Context, a *attempt) (answer, error) {
	patience := s.faults.window[unrelatedKeysSerialised]
	select {
	case <-s.races.turn:
	case <-time.After(patience):
		return answer{}, busy()
	}
	defer func() { s.races.turn <- struct{}{} }()
	held, standing, err := s.claim(ctx, a, s.identity(a))
	if err != nil {
		return answer{}, err
	}
	if standing != nil {
		return s.settle(ctx, a, *standing)
	}
	if err := pause(ctx, patience); err != nil {
		return answer{}, err
	}
	return s.performClaimed(ctx, a, held)
}

// performLocked works under a lock whose name lacks the tenant, though what
// the ledger keeps has it (tenants-share-lock). All requests of one tenant
// share the lock; what they owe each other, the ledger sees to.
func (s *Server) performLocked(ctx context.Context, a *attempt) (answer, error) {
	name := identity{a.environment + "/" + a.op.name, a.key}
	if !s.races.lock(name, a.caller.tenant) {
		return answer{}, inFlight()
	}
	defer s.races.unlock(name)
	return s.performOnce(ctx, a)
}

// tenantLock is a lock that one tenant holds, as often as it has requests.
type tenantLock struct {
	tenant string
	held   int
}

func (r *races) lock(name identity, tenant string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.locks[name]
	if l.held > 0 && l.tenant != tenant {
		return false
	}
	r.locks[name] = tenantLock{tenant, l.held + 1}
	return true
}

func (r *races) unlock(name identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.locks[name]
	if l.held--; l.held == 0 {
		delete(r.locks, name)
		return
	}
	r.locks[name] = l
}

// gathering is a group of requests that are answered as one.
type gathering struct {
	key   string
	done  chan struct{}
	reply answer
	err   error
}

// performGathered answers requests that come within the window after another
// one with its answer, whatever their keys (merges-distinct-bursts). The first
// one waits until the window is over, and then does the work for all.
func (s *Server) performGathered(ctx context.Context, a *attempt) (answer, error) {
	if reply, known, err := s.recall(ctx, a); known || err != nil {
		return reply, err
	}
	if err := a.op.prepare(a); err != nil {
		return answer{}, err
	}
	scope := s.identity(a).scope
	g, first := s.races.join(scope, a.key)
	if first {
		return s.performFor(ctx, a, scope, g)
	}
	if g.key == a.key { // a repeat, and as such it is handled rightly
		return s.performOnce(ctx, a)
	}
	<-g.done
	if g.err != nil {
		return s.performOnce(ctx, a)
	}
	return g.reply, s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.remember(ctx, tx, a, g.reply, now)
	})
}

// performFor lets others join until the window is over, and then works.
func (s *Server) performFor(ctx context.Context, a *attempt, scope string, g *gathering) (answer, error) {
	defer close(g.done)
	g.err = errDrop // should the work panic
	_ = pause(ctx, s.faults.window[mergesDistinctBursts])
	s.races.part(scope)
	g.reply, g.err = s.performOnce(ctx, a)
	return g.reply, g.err
}

// join finds the gathering of a scope, or begins one.
func (r *races) join(scope, key string) (g *gathering, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g, ok := r.gatherings[scope]; ok {
		return g, false
	}
	g = &gathering{key: key, done: make(chan struct{})}
	r.gatherings[scope] = g
	return g, true
}

// part ends the gathering of a scope: who comes now begins another one.
func (r *races) part(scope string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.gatherings, scope)
}
