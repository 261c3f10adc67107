package steps

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// approveRound has what the workers ask for approved, also in the other tenant.
func (w *world) approveRound(ctx context.Context, a togetherArgs) error {
	if a.Of == event {
		return nil // nobody asks for anything
	}
	if err := w.approve(ctx, approveArgs{}); err != nil || a.Mix != "tenants" {
		return err
	}
	return w.approve(ctx, approveArgs{Namespace: "other_tenant"})
}

// judgeRound judges every send of a round and says how many records are right after it.
func (w *world) judgeRound(ctx context.Context, a togetherArgs) error {
	if a.Of == event {
		return w.judgeDeliveries(ctx)
	}
	for _, s := range w.history {
		if s.limited() {
			continue // obeyed, and no verdict
		}
		if err := w.judgeAttempt(s, nil, w.togetherSituation(a, s)); err != nil {
			return err
		}
	}
	for _, sc := range w.scopes {
		w.expect[sc] = w.rightTogether(a, sc)
	}
	if a.Mix == "tenants" {
		w.judgeCrossing()
	}
	own := slices.ContainsFunc(w.scopes, func(sc scope) bool { return w.ownOfPayloads(sc) > 0 })
	if a.Key == "distinct" || a.Mix == "tenants" || a.Mix == "operations" || own {
		return nil
	}
	return w.expectOneRecord(ctx, oneRecordArgs{})
}

// togetherSituation is what one send of a round amounts to: it depends on which send the target took as the first.
func (w *world) togetherSituation(a togetherArgs, s *sent) judge.Situation {
	if a.Key == "distinct" {
		return judge.OwnRequest
	}
	creator := w.creatorIn(s.scope())
	switch {
	case a.Mix == "operations" && creator == nil:
		return judge.TogetherOperation
	case a.Mix == "tenants" && creator == nil:
		return judge.OwnNamespace // one of them should have been taken as the first
	case a.Mix == "payloads" && creator != nil && creator.payload != s.payload && !w.hasOwnRecord(s):
		return judge.TogetherOther
	}
	return judge.Together
}

// limited reports whether the target refused a send for its rate.
func (s *sent) limited() bool { return s.Status == http.StatusTooManyRequests }

func (w *world) limitedSends() int {
	n := 0
	for _, s := range w.history {
		if s.limited() {
			n++
		}
	}
	return n
}

// met reports whether at least two sends that the target took were with it at the same time.
func (w *world) met() bool {
	var taken []targets.Exchange
	for _, s := range w.history {
		if !s.limited() {
			taken = append(taken, s.Exchange)
		}
	}
	return burst.Burst{Exchanges: taken}.Overlapped()
}

// obeyRate waits as long as a rate limit asks for before the next round.
func (w *world) obeyRate(ctx context.Context) error {
	for _, s := range w.history {
		if s.limited() {
			return w.Wait(ctx, retryAfter(s.Exchange, time.Second, 30*time.Second))
		}
	}
	return nil
}

// creatorIn gives the send that created the record of a scope in this round; nil when none did.
func (w *world) creatorIn(sc scope) *sent {
	for _, s := range w.history {
		if s.scope() == sc && s.disposition == reports.Created {
			return s
		}
	}
	return nil
}

// rightTogether is how many records of a scope are right after a round.
func (w *world) rightTogether(a togetherArgs, sc scope) judge.Expectation {
	switch {
	case a.Key == "distinct":
		return w.exactly(sc, a.Count-w.limitedSends())
	case a.Mix == "operations" && !w.target.Profile.Scope.Operation.Has(targets.ModeIsolated) && w.creatorIn(sc) == nil:
		return judge.Exactly(0) // the key may belong to the other operation
	}
	if w.limitedSends() == len(w.history) {
		return judge.Expectation{Max: 1} // none was taken, so that there need be no record
	}
	return judge.Exactly(1 + w.ownOfPayloads(sc))
}

// judgeCrossing looks in the answers to one tenant for the record of the other.
func (w *world) judgeCrossing() {
	for _, s := range w.history {
		for _, old := range w.history {
			if s.namespace != old.namespace && old.disposition == reports.Created {
				w.judgeLeak(s, old)
			}
		}
	}
}
