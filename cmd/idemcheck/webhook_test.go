package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// onlyHooks is the target file of somebody who has nothing but a webhook endpoint to test: unsigned, its id in the body.
const onlyHooks = `
name: hooks
url: http://%s
headers: {Authorization: Bearer reference-t1}
receiver:
  request: POST /v1/webhooks/crm
  body:
    id: "{{event_id}}"
    type: review.requested
    data: {event: "{{event}}", account: "{{target_record}}", note: "{{marker}}"}
  event_id: /id
observers:
  - name: tasks
    list: {request: "GET /v1/tasks?q={{marker}}", items: "$.tasks[*]", id: $.id, next: $.next}
`

// A target file may hold nothing but a receiver: then the cases about events are run, and no other.
func TestReceiverAlone(t *testing.T) {
	t.Parallel()
	for _, defect := range []string{"", "webhook-not-deduplicated"} {
		s := startService(t, strings.Fields(defect)...)
		target, err := targets.Parse("hooks.yaml", fmt.Appendf(nil, onlyHooks, s.addr), nil)
		require.NoError(t, err)
		target.Settles = targets.Duration(2 * time.Second)
		e, err := openURL(t.Context(), target, nil)
		require.NoError(t, err)
		r := check(t, e)
		ran := 0
		for _, c := range r.Cases {
			if !slices.Contains(c.Needs, string(targets.NeedReceiver)) {
				assert.Equal(t, reports.NotApplicable, c.Verdict, c.ID)
			} else if c.Verdict != reports.NotApplicable && defect == "" {
				assertPasses(t, c)
				ran++
			}
		}
		if defect == "" {
			assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
			assert.GreaterOrEqual(t, ran, 8)
		} else {
			assert.Equal(t, reports.Fail, caseOf(t, r, "webhook-twice").Verdict)
			assert.Equal(t, reports.Pass, caseOf(t, r, "webhook-distinct").Verdict, "the control passes")
		}
	}
}

// What is declared otherwise is judged otherwise: a receiver that knows no facts, and rows that stand by themselves.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	e := startService(t, "webhook-fact-ignored", "batch-partial-commit").endpoint(t, func(target *targets.Target) {
		target.Receiver.Fact, target.Batch.Atomic = nil, nil
	})
	r := check(t, e, "webhook-one-fact", "batch-bad-row")
	c := caseOf(t, r, "webhook-one-fact")
	assertPasses(t, c)
	assert.Contains(t, fmt.Sprint(c.Notes), "does not say what a fact is")
	c = caseOf(t, r, "batch-bad-row")
	assert.Equal(t, reports.Fail, c.Verdict)
	assert.Contains(t, kinds(c), reports.Phantom, "some of the rows are neither none nor all")
}

// TestDeadline: an acknowledgement that comes after its sender has given up is none.
func TestDeadline(t *testing.T) {
	t.Parallel()
	const file = `
profile: standard-webhooks
receiver: {request: POST /, body: {note: "{{marker}}"}, ack: {within: 300ms}}`
	for broken, verdict := range map[string]reports.Verdict{"": reports.Pass, "dawdles": reports.Fail} {
		report := checkVendor(t, &shapedVendor{answer: likeReceiver, broken: broken}, file, "webhook-twice", "webhook-acknowledged")
		c := caseOf(t, report, "webhook-acknowledged")
		assert.Equal(t, verdict, c.Verdict, "%q: %s", broken, c.Reason)
		if broken != "" {
			assert.Contains(t, kinds(c), reports.Stuck)
			assert.Contains(t, c.Reason, "within the 300ms for which its sender waits")
		}
	}
}
