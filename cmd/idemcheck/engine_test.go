package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

const shopFile = `
name: shop
profile: ietf-draft-07
url: URL
timeout: 2s
operations:
  create:
    request: POST /orders
    body: {event: "{{event}}", account: "{{target_record}}", note: "{{payload}} {{marker}}"}
    id: $.id
observers:
  - name: orders
    list: {request: "GET /orders?q={{marker}}", items: "$.orders[*]", id: $.id}
`

// shopEndpoint opens a shop, with changes to its target file.
func shopEndpoint(t *testing.T, h http.Handler, change func(*targets.Target)) *targets.Endpoint {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	target, err := targets.Parse("shop.yaml", []byte(strings.Replace(shopFile, "URL", server.URL, 1)), func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	if change != nil {
		change(target)
	}
	e, err := openURL(t.Context(), target, nil)
	require.NoError(t, err)
	return e
}

// A record that turns up after its case has ended fails that case: the verdict moves up, never down.
func TestLateDuplicate(t *testing.T) {
	t.Parallel()
	r := check(t, shopEndpoint(t, newShop(func(s *shop) { s.lateAfter = 4 }), nil), "first-request")
	c := caseOf(t, r, "first-request")
	assert.Equal(t, reports.Fail, c.Verdict, c.Reason)
	assert.Contains(t, c.Reason, "after the last case")
	assert.Equal(t, exitBroken, r.Outcome.Exit)
}

// A 429 is obeyed and is no verdict; a target that goes on refusing cannot be told.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	now := check(t, shopEndpoint(t, newShop(func(s *shop) { s.refusals = 1 }), nil), "replay-once")
	assertPasses(t, caseOf(t, now, "replay-once"))
	never := check(t, shopEndpoint(t, newShop(func(s *shop) { s.refusals = 1000 }), nil), "replay-once")
	assert.Equal(t, exitUnsure, never.Outcome.Exit)
	assert.Contains(t, never.Outcome.Reason, "429")
}

// A run creates no more records than it may: what is left over is not told, and not passed.
func TestRecordLimit(t *testing.T) {
	t.Parallel()
	r := check(t, shopEndpoint(t, newShop(), func(t *targets.Target) { t.Limits.Records = 3 }), "first-request", "different-key")
	assert.Equal(t, exitUnsure, r.Outcome.Exit)
	unclear := 0
	for _, c := range r.Cases {
		if c.Verdict == reports.Inconclusive {
			unclear++
			assert.Contains(t, c.Reason, "limits.records")
		}
	}
	assert.Positive(t, unclear)
}

// A list that lags behind is waited for where the target file says so, and called lost where it does not.
func TestSettle(t *testing.T) {
	t.Parallel()
	lagging := func() http.Handler { return newShop(func(s *shop) { s.lag = 150 * time.Millisecond }) }
	r := check(t, shopEndpoint(t, lagging(), func(t *targets.Target) {
		t.Observers[0].Settle = targets.Duration(400 * time.Millisecond)
	}), "replay-once")
	assertPasses(t, caseOf(t, r, "replay-once"))
	r = check(t, shopEndpoint(t, lagging(), nil), "replay-once")
	assert.Equal(t, exitUnsure, r.Outcome.Exit, "an observer that lags is not to be trusted")
}

// A finding that the target file lists as known does not break the run, and any other in the case still does.
func TestKnownFailure(t *testing.T) {
	t.Parallel()
	broken := func(until, finding string) *targets.Endpoint {
		return startService(t, "replay-status-200").endpoint(t, func(t *targets.Target) {
			t.Known = []targets.Known{{Case: "replay-once", Finding: finding, Reason: "CRM-1", Until: until}}
		})
	}
	r := check(t, broken("2999-01-31", "replay-differs"), "replay-once", "first-request")
	assert.NotEqual(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
	assert.Equal(t, "CRM-1", caseOf(t, r, "replay-once").Findings[0].Known)
	assert.Equal(t, reports.Fail, caseOf(t, r, "replay-once").Verdict, "it is still said to fail")
	assert.Equal(t, reports.KnownSeen, r.Known[0].State)
	r = check(t, broken("2999-01-31", "replay-differs"), "K4")
	assert.NotEqual(t, reports.NotRun, caseOf(t, r, "K4").Verdict, "what stands on a known failure is run")
	r = check(t, broken("2020-01-31", "replay-differs"), "replay-once", "first-request")
	assert.Equal(t, exitBroken, r.Outcome.Exit, "an entry whose date has passed excuses nothing")
	r = check(t, broken("2999-01-31", "duplicate"), "replay-once", "first-request")
	assert.Equal(t, exitBroken, r.Outcome.Exit, "another finding is not excused")
	assert.Equal(t, reports.KnownUnexpected, r.Known[0].State)
}

// A known failure that does not come any more fails the run, with the line of the target file.
func TestUnexpectedPass(t *testing.T) {
	t.Parallel()
	mended := func(t *targets.Target) {
		t.File = "shop.yaml"
		t.Known = []targets.Known{{Case: "replay-*", Finding: "duplicate", Reason: "CRM-1", Until: "2999-01-31", Line: 17}}
	}
	r := check(t, shopEndpoint(t, newShop(), mended), "replay-once", "first-request")
	assert.Equal(t, reports.KnownUnexpected, r.Known[0].State)
	assert.Equal(t, exitBroken, r.Outcome.Exit)
	assert.Contains(t, r.Outcome.Reason, "shop.yaml:17")
	r = check(t, shopEndpoint(t, newShop(), mended), "first-request")
	assert.Equal(t, reports.KnownUntold, r.Known[0].State, "none of its cases was selected")
	assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
}

// A known failure may be one point of a sweep: it breaks nothing there, and anywhere else it does.
func TestKnownPoint(t *testing.T) {
	t.Parallel()
	e := childEndpoint(t, "answer-in-second-transaction")
	r := check(t, e, "crash")
	c := caseOf(t, r, "crash")
	require.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
	require.NotEmpty(t, c.Findings)
	for _, f := range c.Findings {
		e.Target.Known = append(e.Target.Known, targets.Known{Case: "crash/" + f.Part, Finding: string(f.Kind), Reason: "CRM-2", Until: "2999-01-31"})
	}
	r = check(t, e, "crash")
	c = caseOf(t, r, "crash")
	assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
	assert.Equal(t, reports.Fail, c.Verdict)
	known := 0
	for _, p := range c.Points {
		if p.Known != "" {
			known++
			assert.Equal(t, reports.Fail, p.Verdict)
		}
	}
	assert.Positive(t, known)
	e.Target.Known[0].Case = "crash/somewhere else"
	assert.Equal(t, exitBroken, check(t, e, "crash").Outcome.Exit)
}

// Without an observer two ids in the answers are a proven duplicate, and one id is only a hint.
func TestAnswersAlone(t *testing.T) {
	t.Parallel()
	blind := func(t *targets.Target) { t.Observers = nil }
	r := check(t, shopEndpoint(t, newShop(func(s *shop) { s.ignoresKeys = true }), blind), "replay-once")
	assert.Equal(t, exitBroken, r.Outcome.Exit)
	r = check(t, shopEndpoint(t, newShop(), blind), "replay-once")
	c := caseOf(t, r, "replay-once")
	assertPasses(t, c)
	assert.True(t, c.Inferred)
	assert.Equal(t, exitUnsure, r.Outcome.Exit, "an inferred pass is no counted one")
}

// A broken step is an error of ours, or an inconclusive case, and the records are counted all the same.
func TestCountsAfterABrokenStep(t *testing.T) {
	t.Parallel()
	r := check(t, shopEndpoint(t, newShop(func(s *shop) { s.ignoresKeys = true; s.failAfter = 4 }), nil), "replay-three-times", "replay-once")
	c := caseOf(t, r, "replay-once")
	assert.Equal(t, reports.Fail, c.Verdict, c.Reason)
}

// A double send whose sends were not with the target at the same time is never a pass.
func TestNoOverlapIsNoPass(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*shop){
		"takes one at a time and limits the rate": func(s *shop) { s.apart = true },
		"answers at the headers":                  func(s *shop) { s.hasty = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, shopEndpoint(t, newShop(change), nil), "double-send[2]")
			c := caseOf(t, r, "double-send[2]")
			assert.NotEqual(t, reports.Pass, c.Verdict, c.Reason)
		})
	}
}
