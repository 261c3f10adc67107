package steps

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// This file holds what a case sees of the values of the profile, for the comparison in the reports. The judge tells what
// it consulted; what only the steps consult is read here. None of it is a finding.

// sightsAtMost bounds the different sights of one value that a case tells: ids make each of them another one.
const sightsAtMost = 8

// sights keeps what a case has told already, its parts included: a hundred rounds tell one thing.
type sights struct {
	mu   sync.Mutex
	told map[reports.ClaimRead]bool
	n    map[string]int
}

func newSights() *sights {
	return &sights{told: map[reports.ClaimRead]bool{}, n: map[string]int{}}
}

// fresh reports whether a sight is to be told. That a value was broken is told however much else was seen.
func (s *sights) fresh(r reports.ClaimRead) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := reports.ClaimRead{Claim: r.Claim, State: r.State, Seen: r.Seen}
	kind := r.Claim + " " + string(r.State)
	if s.told[key] || s.n[kind] == sightsAtMost {
		return false
	}
	s.told[key] = true
	s.n[kind]++
	return true
}

// claim tells once what was seen of a value of the profile. What happens before a case begins, be it in the preflight, and
// in its clean-up, shows nothing of it.
func (w *world) claim(r reports.ClaimRead) {
	if w.sights == nil || w.setup || w.cleaning || !w.sights.fresh(r) {
		return
	}
	r.Part = w.part
	w.emit(w.c.ID, reports.Event{Kind: reports.KindClaim, Claim: &r})
}

// readKey tells that the key was understood where and as it was placed: a repeat under it was taken for one. That one was
// not may have any other reason.
func (w *world) readKey(s judge.Situation, a judge.Attempted) {
	k := w.target.Profile.Key
	if length := len(a.Exchange.Key); s == judge.OddKey && length == k.MaxLength {
		read := judge.Read("key.max_length", k.Claim, true, fmt.Sprintf("one of %d characters: %s", length, judge.CameTo(a)), a.Exchange.Name)
		if a.Disposition != reports.Created { // it may have been refused for another reason
			read.State = reports.NotTold
		}
		w.claim(read)
	}
	if s != judge.Replay || a.Disposition != reports.Replayed || k.In == targets.InNone {
		return
	}
	if slices.Contains(k.Methods, a.Exchange.Method) {
		w.claim(judge.Read("key.methods", k.Claim, true, "a repeated "+a.Exchange.Method+" was "+judge.CameTo(a), a.Exchange.Name))
	}
	for _, name := range []struct{ name, value string }{{"in", string(k.In)}, {"name", k.Name}, {"quoting", string(k.Quoting)}} {
		if name.value != "" {
			w.claim(judge.Read("key."+name.name, k.Claim, true, "a repeat under it was "+judge.CameTo(a), a.Exchange.Name))
		}
	}
}

// readScope tells whether a key that was used in another namespace is one key with this one, or a key of its own.
func (w *world) readScope(s judge.Situation, a judge.Attempted, namespace string) {
	p := w.target.Profile.Scope
	clause, known := map[string]targets.Clause{
		"tenant": p.Tenant, "environment": p.Environment, "region": p.Region, "partition": p.Partition,
	}[dimensions[namespace]]
	if s != judge.OwnNamespace || !known {
		return
	}
	mode := map[reports.Disposition]string{reports.Created: targets.ModeIsolated, reports.Replayed: targets.ModeShared,
		reports.Conflict: targets.ModeReject}[a.Disposition]
	read := judge.Read("scope."+dimensions[namespace]+".mode", clause.Claim, clause.Has(mode), judge.CameTo(a), a.Exchange.Name)
	if mode == "" && read.State != reports.Undocumented {
		read.State = reports.NotTold
	}
	w.claim(read)
}

// dimensions says in which dimension of the profile's scope each namespace of the target file differs.
var dimensions = map[string]string{
	"other_tenant": "tenant", "test_environment": "environment", "other_region": "region", "other_partition": "partition",
}

// readRetention tells what an attempt just inside or just outside of the retention shows of it.
func (w *world) readRetention(s judge.Situation, a judge.Attempted) {
	p := w.target.Profile
	r := p.Retention
	tell := func(path string, c targets.Claim, agrees, told bool) {
		read := judge.Read(path, c, agrees, judge.CameTo(a), a.Exchange.Name)
		if !told && read.State != reports.Undocumented {
			read.State = reports.NotTold
		}
		w.claim(read)
	}
	replayed, created := a.Disposition == reports.Replayed, a.Disposition == reports.Created
	switch {
	case s == judge.Replay && !w.passage.until.IsZero():
		tell("retention.min", r.Claim, replayed, replayed || created)
	case !expired(s):
	case p.Expired.Has(targets.ModeNever):
		tell("expired.mode", p.Expired.Claim, replayed, replayed || created)
	case r.Max > 0: // a key that is kept longer, or refused, is a matter of what is documented of expired ones
		tell("retention.max", r.Claim, true, created)
	}
}

// readJob tells that a write was accepted as documented, and that its job was found where the answer was to name it.
func (w *world) readJob(s *sent) {
	a := w.target.Profile.Async
	if s.Succeeded() {
		w.claim(judge.Read("async.status", a.Claim, true, strconv.Itoa(s.Status), s.Name))
	}
	w.claim(judge.Read("async.job", a.Claim, true, "the job that it named has ended", s.Name))
	if a.Done != nil {
		w.claim(judge.Read("async.done", a.Claim, true, "the job said so", s.Name))
	}
}
