package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// statesOf gives the claims of a run in one state, with what was seen of each.
func statesOf(r reports.Report, state reports.Agreement) map[string]string {
	out := map[string]string{}
	for _, row := range r.Claims {
		if row.State != state {
			continue
		}
		out[row.Claim] = ""
		if len(row.Seen) > 0 {
			out[row.Claim] = row.Seen[0].Text
		}
	}
	return out
}

// claimCases read most of what a profile can say without a process to kill.
var claimCases = []string{"replay-once", "different-key", "K3", "K4", "K6", "conflict-material", "missing-key", "key-length", "invalid-then-corrected",
	"error-then-retry", "refusal-outlived", "turned-away", "second-while-running", "conflict-while-running", "another-caller", "expiry-*"}

// A target that keeps to its profile: everything that cases read held, and what no case read says so.
func TestClaimsHeld(t *testing.T) {
	t.Parallel()
	r := check(t, startService(t).endpoint(t, nil), claimCases...)
	assert.Empty(t, statesOf(r, reports.Departed))
	held := statesOf(r, reports.Held)
	for claim, seen := range map[string]string{
		"mismatch.mode": "conflict (422)", "mismatch.status": "422", "mismatch.code": "idempotency_key_reused", "in_flight.mode": "in progress (409)",
		"in_flight.retry_hint.name": "Retry-After: 1", "mismatch_in_flight.status": "422", "missing.status": "400", "replay.mode": "replayed (201)",
		"replay.marker.value": "true", "retention.min": "replayed (201)", "expired.mode": "created (201)", "scope.tenant.mode": "created (201)",
		"failures.validation.mode": "created (201)", "failures.refusal.mode": "rejected (409)", "key.max_length": "one of 255 characters: created (201)",
	} {
		assert.Equal(t, seen, held[claim], claim)
	}
	assert.Equal(t, map[string]string{"key.methods": "a repeated POST was replayed (201)"}, only(held, "key.methods"))

	r = check(t, startService(t).endpoint(t, nil), "replay-once")
	assert.Contains(t, statesOf(r, reports.NotTried), "mismatch.status", "no case sent another payload")
	assert.Contains(t, statesOf(r, reports.Held), "replay.mode")
}

func only(m map[string]string, key string) map[string]string { return map[string]string{key: m[key]} }

// A defect breaks the values that it is about, and no other; the row shows what was seen in their place, and by which case.
func TestClaimsBroken(t *testing.T) {
	t.Parallel()
	for defect, broken := range map[string]map[string]string{
		"conflict-as-in-progress": {"mismatch.status": "409", "mismatch.code": "idempotency_in_flight", "mismatch_in_flight.mode": "in progress (409)"},
		"payload-not-compared":    {"mismatch.mode": "replayed (201)", "mismatch_in_flight.mode": "in progress (409)"},
		"replay-status-200":       {"replay.mode": "the first answer's status: 200, not 201"},
		"missing-key-accepted":    {"missing.mode": "created (201)"},
		"caller-in-scope":         {"scope.credential.mode": "created (201)"},
		"expires-early":           {"retention.min": "created (201)", "replay.mode": "created (201)", "expired.mode": "replayed (201)"},
		"never-expires":           {"expired.mode": "replayed (201)"},
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			r := check(t, startService(t, defect).endpoint(t, nil), claimCases...)
			require.Equal(t, broken, statesOf(r, reports.Departed))
			for _, row := range r.Claims {
				if row.Claim == "mismatch.status" && row.State == reports.Departed {
					assert.Contains(t, row.Seen[0].Cases, "K4")
				}
			}
		})
	}
}

// What the profile does not document is only observed, and a broken value that is not documented breaks no case.
func TestClaimsThatAreNotDocumented(t *testing.T) {
	t.Parallel()
	e := startService(t).endpoint(t, func(target *targets.Target) {
		p := &target.Profile
		p.Mismatch.Claim, p.Mismatch.Status = targets.Claim{Level: targets.Must, Provenance: targets.Inferred}, targets.Ints{400}
		p.Failures.Validation = targets.Clause{Mode: targets.Strings{targets.ModeUndocumented}, Claim: targets.Claim{Provenance: targets.Unknown}}
	})
	r := check(t, e, "replay-once", "K4", "invalid-then-corrected")
	assertPasses(t, caseOf(t, r, "K4"))
	assert.Equal(t, map[string]string{"mismatch.status": "422"}, statesOf(r, reports.Departed))
	assert.Equal(t, map[string]string{"failures.validation.mode": "created (201)"}, statesOf(r, reports.Undocumented))
}

// What a sender documents is compared, too.
func TestClaimsOfReceivers(t *testing.T) {
	t.Parallel()
	cases := []string{"webhook-twice", "webhook-acknowledged", "webhook-redelivered", "webhook-remembered", "webhook-one-fact", "webhook-forged"}
	for name, want := range map[string]map[string]string{
		"standard-webhooks": {"replay.mode": "answered 200", "delivery.identity": "1 of 1 effects", "delivery.deadline": "answered in time",
			"delivery.horizon": "1 of 1 effects", "delivery.memory": "1 of 1 effects", "delivery.sign.scheme": "a forgery was answered 401"},
		"stripe-webhooks": {"replay.mode": "answered 200", "delivery.identity": "1 of 1 effects", "delivery.fact": "1 of 1 effects",
			"delivery.horizon": "1 of 1 effects", "delivery.sign.scheme": "a forgery was answered 401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed(name, "")
			require.NoError(t, err)
			assert.Equal(t, want, statesOf(check(t, standIn(t, p, name), cases...), reports.Held))
			p.Delivery.Horizon, p.Delivery.Memory, p.Delivery.Sign, p.Delivery.Fact = targets.Duration(time.Minute), 0, nil, nil
			departed := statesOf(check(t, standIn(t, p, name), cases...), reports.Departed)
			assert.Equal(t, "2 of 1 effects", departed["delivery.horizon"])
			assert.Equal(t, "a forgery was answered 202", departed["delivery.sign.scheme"])
		})
	}
}
