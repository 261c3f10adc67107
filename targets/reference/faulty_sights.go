package reference

import (
	"context"
	"time"
)

// This file holds the claims that are made in memory, in two steps: a look
// and, after a while, a note. Only check-then-insert and acts-after-body lead
// here.

// sighting is what memory knows about a key: nothing, that a request works
// under it, or that one is done, whose answer is then in the ledger.
type sighting struct {
	known, done bool
	fingerprint string
	by          *attempt
}

// look is the check: what memory knows about a key.
func (r *races) look(id identity) sighting {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sightings[id]
}

// put is the claim. It does not ask what has happened since the look.
func (r *races) put(id identity, a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sightings[id] = sighting{known: true, fingerprint: a.fingerprint, by: a}
}

// settle notes that an attempt is done, or forgets one that has failed.
func (r *races) settle(id identity, a *attempt, done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.sightings[id]
	switch {
	case done:
		seen.done = true
		r.sightings[id] = seen
	case seen.by == a && !seen.done:
		delete(r.sightings, id)
	}
}

// performAfterLook looks the key up in memory, lets the window pass, and
// claims it there without another look (check-then-insert). All that is slow
// comes before the look or after the claim: between the two there is nothing
// but the window, so that two requests both run if and only if the second one
// looks before the first one's window is over.
func (s *Server) performAfterLook(ctx context.Context, a *attempt) (answer, error) {
	seen := s.races.look(s.identity(a))
	if !seen.known {
		if err := hesitate(ctx, s.faults.window[checkThenInsert]); err != nil {
			return answer{}, err
		}
	}
	return s.performOnSight(ctx, a, seen)
}

// hesitate waits like pause. Below two milliseconds it is busy instead, and
// does not even yield: a timer, and the turn of another goroutine, may take
// longer than the window itself.
func hesitate(ctx context.Context, window time.Duration) error {
	if window >= 2*time.Millisecond {
		return pause(ctx, window)
	}
	for begun := time.Now(); time.Since(begun) < window; {
	}
	return nil
}

// glance looks the key of a new task up in memory as soon as the headers are
// there (acts-after-body). It returns nil for other requests.
func (s *Server) glance(r *request) *sighting {
	a := &attempt{request: r, op: operation{name: createTaskOperation, keyRequired: true}}
	if r.Pattern != "POST /v1/tasks" || s.readKey(a, r.Header) != nil || !a.keyed {
		return nil
	}
	seen := s.races.look(s.identity(a))
	return &seen
}

// performAfterGlance believes what was seen before the body came.
func (s *Server) performAfterGlance(ctx context.Context, a *attempt) (answer, error) {
	return s.performOnSight(ctx, a, *a.glance)
}

// performOnSight answers a key that was seen from the ledger. For one that was
// not it does the work, whatever was claimed since.
func (s *Server) performOnSight(ctx context.Context, a *attempt, seen sighting) (reply answer, err error) {
	id, done := s.identity(a), false
	if !seen.known {
		s.races.put(id, a)
		defer func() { s.races.settle(id, a, done) }()
	}
	if reply, done, err = s.recallSighted(ctx, a, seen); done || err != nil {
		return reply, err
	}
	if seen.known { // and its retention is over
		s.races.put(id, a)
		defer func() { s.races.settle(id, a, done) }()
	}
	if err := a.op.prepare(a); err != nil {
		return answer{}, err
	}
	if reply, err = s.workUnclaimed(ctx, a); err != nil {
		return answer{}, err
	}
	done = true
	return reply, a.switches.strike(afterCommit)
}

// recallSighted answers a key that was seen. One that was not may still be
// known from another process, or from before this one was started: it is
// looked up as well, but what this process has stored by now is passed over.
func (s *Server) recallSighted(ctx context.Context, a *attempt, seen sighting) (reply answer, known bool, err error) {
	if !seen.known {
		e, found, err := s.ledger.find(ctx, s.store.reads, s.identity(a))
		if err != nil || !found || e.owner == s.instance {
			return answer{}, false, err
		}
	}
	reply, known, err = s.recall(ctx, a)
	if known || err != nil || !seen.known || seen.done {
		return reply, known, err
	}
	reply, err = s.settle(ctx, a, entry{fingerprint: seen.fingerprint, state: running})
	return reply, true, err
}
