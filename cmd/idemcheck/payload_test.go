package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// decorated changes the answers to creates: each is a JSON object, and n counts the requests so far.
func decorated(h http.Handler, change func(n int64, header http.Header, body map[string]any)) http.Handler {
	var count atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := count.Add(1)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		body := map[string]any{}
		out := answer.Body.Bytes()
		if r.Method == http.MethodPost && json.Unmarshal(out, &body) == nil {
			change(n, answer.Header(), body)
			out, _ = json.Marshal(body)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(out)
	})
}

func allNotesOf(c reports.Case) string {
	var b strings.Builder
	for _, n := range c.Notes {
		fmt.Fprintln(&b, n.Text)
	}
	return b.String()
}

// A request id in every answer is no broken replay, and is told; a total that changes in the replay alone is one.
func TestVolatileMembers(t *testing.T) {
	t.Parallel()
	stamped := decorated(newShop(), func(n int64, _ http.Header, body map[string]any) { body["request"] = fmt.Sprintf("req-%d", n) })
	c := caseOf(t, check(t, shopEndpoint(t, stamped, nil), "replay-once"), "replay-once")
	assertPasses(t, c)
	assert.Contains(t, allNotesOf(c), "/request")

	var creates atomic.Int64
	wrong := decorated(newShop(), func(_ int64, _ http.Header, body map[string]any) { body["total"] = max(3, creates.Add(1)) })
	c = caseOf(t, check(t, shopEndpoint(t, wrong, nil), "replay-once"), "replay-once")
	require.Equal(t, reports.Fail, c.Verdict, c.Reason)
	assert.Equal(t, reports.ReplayDiffers, c.Findings[0].Kind)
}

// What the request holds is changed part by part: a target that compares bytes takes spacing for another request; one
// that compares values does not, and what it ignores is told.
func TestPayloadCompared(t *testing.T) {
	t.Parallel()
	rich := func(target *targets.Target) {
		body, err := targets.NewBody([]byte(`{"event":"{{event}}","amount":1,"tags":["a","b"],"note":"{{payload}} {{marker}}"}`))
		require.NoError(t, err)
		target.Operations[0].Body = body
	}
	c := caseOf(t, check(t, shopEndpoint(t, newShop(), rich), "payload-compared"), "payload-compared")
	require.Equal(t, reports.Fail, c.Verdict, c.Reason)
	var parts bytes.Buffer
	for _, f := range c.Findings {
		fmt.Fprintln(&parts, f.Message)
	}
	for _, part := range []string{"spacing", "order of members", "unicode escapes"} {
		assert.Contains(t, parts.String(), part+": ")
	}
	assert.Len(t, c.Findings, 3, "what is only observed is no finding: %s", &parts)

	values := newShop(func(s *shop) { s.likeStripe = true })
	c = caseOf(t, check(t, shopEndpoint(t, values, rich), "payload-compared"), "payload-compared")
	assertPasses(t, c)
	assert.Contains(t, allNotesOf(c), "ignores changes in: order of members (201), spacing (201), unicode escapes (201), 1.0 (201), 1e0 (201)")
	assert.Contains(t, allNotesOf(c), "array order (400)")

	c = caseOf(t, check(t, shopEndpoint(t, newShop(), rich), "payload-compared/spacing"), "payload-compared")
	assert.Len(t, c.Findings, 1)
}

// Whether replays count against a rate limit is noted, and is no verdict.
func TestRateIsObserved(t *testing.T) {
	t.Parallel()
	limited := decorated(newShop(), func(n int64, header http.Header, _ map[string]any) {
		header.Set("X-RateLimit-Remaining", fmt.Sprint(100-n))
	})
	c := caseOf(t, check(t, shopEndpoint(t, limited, nil), "replay-once"), "replay-once")
	assertPasses(t, c)
	assert.Contains(t, allNotesOf(c), "counted against the rate limit")
}

// A revocation that revokes nothing proves nothing.
func TestRevocationNeedsEvidence(t *testing.T) {
	t.Parallel()
	e := startService(t).endpoint(t, func(target *targets.Target) {
		c := target.Callers["leaver"]
		c.Revoke = c.Restore
		target.Callers["leaver"] = c
	})
	c := caseOf(t, check(t, e, "revoked-caller"), "revoked-caller")
	assert.Equal(t, reports.Inconclusive, c.Verdict, c.Reason)
	assert.Contains(t, c.Reason, "the revocation had no effect")
}
