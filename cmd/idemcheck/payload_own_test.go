package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// otherPayloads are the cases in which another payload comes under a used key, beside those of each stand-in.
var otherPayloads = []string{"replay-once", "conflict-*", "double-send-two-payloads", "text-body-compared"}

// Where the owner documents that another payload under a used key makes a record of its own, that many are right; the same
// target is one record ahead of an owner who documents a refusal.
func TestPayloadsOfTheirOwn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	p, err := targets.ProfileNamed("checkbook", "")
	require.NoError(t, err)
	for _, c := range check(t, standIn(t, p, "checkbook"), otherPayloads...).Cases {
		if c.Verdict != reports.NotApplicable {
			assertPasses(t, c)
		}
	}
	for _, c := range check(t, standIn(t, p, "datatrans"), otherPayloads...).Cases {
		if c.ID == "conflict-material" || c.ID == "double-send-two-payloads" || c.ID == "text-body-compared" {
			assert.Equal(t, reports.Fail, c.Verdict, c.ID)
			assert.Contains(t, kinds(c), reports.Duplicate, c.ID)
		}
	}
}
