package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

var expiryCases = []string{"expiry-inside", "expiry-outside", "expiry-late-sender", "expiry-conflict", "expired-then-replay"}

// withClock opens the reference with another clock in its target file.
func withClock(t *testing.T, clock func(s *service) *targets.Clock, defects ...string) *targets.Endpoint {
	t.Helper()
	s := startService(t, defects...)
	return s.endpoint(t, func(target *targets.Target) { target.Clock = clock(s) })
}

// clockRequest is the request that moves the reference's clock.
func clockRequest(t *testing.T, line, body string) *targets.Request {
	t.Helper()
	target, err := targets.Parse("clock.yaml", []byte("name: x\nurl: http://127.0.0.1:1\noperations: {a: {request: POST /, body: {m: \"{{marker}}\"}}}\n"+
		"clock: {http: {request: \""+line+"\", body: "+body+"}}\n"), os.LookupEnv)
	require.NoError(t, err)
	return target.Clock.HTTP
}

func honest(t *testing.T) *targets.Request {
	return clockRequest(t, "POST /admin/clock", `{advance: "{{duration}}"}`)
}

func readClock() *targets.ClockNow {
	return &targets.ClockNow{Request: targets.Request{Line: "GET /admin/clock"}, At: "$.now"}
}

// olderKeys makes the keys of the reference older, and reads when they were stored.
func olderKeys(s *service) *targets.Clock {
	dsn, older := "sqlite:"+s.options.Path, "update ledger set created_at = created_at - cast(? * 1000000000 as integer) where key = ?"
	return &targets.Clock{
		SQL: &targets.ClockSQL{DSN: dsn, Query: older, Args: targets.Strings{"{{seconds}}", "{{key}}"}},
		Now: &targets.ClockNow{SQL: &targets.SQLQuery{DSN: dsn, Query: "select created_at from ledger where key = ?", Args: targets.Strings{"{{key}}"}}},
	}
}

// moveVariable turns this program into a command that moves the clock of the service at that address.
const moveVariable = "IDEMCHECK_TEST_MOVE_CLOCK"

// Time can be moved in every way that a target file can say, and read or not.
func TestClockWays(t *testing.T) {
	t.Parallel()
	nanos := "update clock set ahead = ahead + cast(? * 1000000000 as integer)"
	for name, clock := range map[string]func(s *service) *targets.Clock{
		"http": func(*service) *targets.Clock { return &targets.Clock{HTTP: honest(t)} },
		"sql moves the clock": func(s *service) *targets.Clock {
			return &targets.Clock{SQL: &targets.ClockSQL{DSN: "sqlite:" + s.options.Path, Query: nanos, Args: targets.Strings{"{{seconds}}"}}, Now: readClock()}
		},
		"sql makes the key older": olderKeys,
		"sql makes the key older, unread": func(s *service) *targets.Clock {
			return &targets.Clock{SQL: olderKeys(s).SQL}
		},
		"command": func(s *service) *targets.Clock {
			return &targets.Clock{Now: readClock(), Command: &targets.CommandCall{
				Argv: targets.Strings{os.Args[0], "{{duration}}"}, Env: map[string]string{moveVariable: "http://" + s.addr + "/admin/clock"}}}
		},
		"header": func(*service) *targets.Clock {
			return &targets.Clock{Header: &targets.ClockHeader{Name: "Test-Now"}, Now: readClock()}
		},
		"header, unread": func(*service) *targets.Clock { return &targets.Clock{Header: &targets.ClockHeader{Name: "Test-Now"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, withClock(t, clock), expiryCases...)
			for _, id := range expiryCases {
				assertPasses(t, caseOf(t, r, id))
			}
			assert.Contains(t, caseOf(t, r, "expiry-late-sender").Reason, "the last record comes from expiry")
		})
	}
}

// A clock that says 200 and does not move is no evidence, whether its time can be read or not.
func TestClockThatStandsStill(t *testing.T) {
	t.Parallel()
	unread := func(*service) *targets.Clock { return &targets.Clock{HTTP: honest(t)} }
	read := func(*service) *targets.Clock { return &targets.Clock{HTTP: honest(t), Now: readClock()} }
	for name, c := range map[string]struct {
		clock   func(*service) *targets.Clock
		defect  string
		because string
	}{
		"unread":                   {unread, "clock-does-nothing", "nothing shows that the clock moved"},
		"read":                     {read, "clock-does-nothing", "and reading it shows"},
		"a key that never expires": {unread, "never-expires", "nothing shows that the clock moved"},
		"an address that does nothing": {func(*service) *targets.Clock {
			return &targets.Clock{HTTP: clockRequest(t, "GET /healthz?{{duration}}", "{}"), Now: readClock()}
		}, "", "and reading it shows"},
		"an address that is not there": {func(*service) *targets.Clock {
			return &targets.Clock{HTTP: clockRequest(t, "POST /nowhere/{{duration}}", "{}")}
		}, "", "the clock could not be moved"},
		"a command that fails": {func(*service) *targets.Clock {
			return &targets.Clock{Command: &targets.CommandCall{Argv: targets.Strings{"/no/such/program"}}}
		}, "", "the clock could not be moved"},
		"statements that meet no row": {func(s *service) *targets.Clock {
			return &targets.Clock{SQL: &targets.ClockSQL{DSN: "sqlite:" + s.options.Path, Query: "update ledger set created_at = 0 where key = 'x'"}}
		}, "", "changed no row"},
		"a header that nobody reads": {func(*service) *targets.Clock {
			return &targets.Clock{Header: &targets.ClockHeader{Name: "Test-Nothing"}, Now: readClock()}
		}, "", "and reading it shows"},
		"a time that cannot be read": {func(*service) *targets.Clock {
			return &targets.Clock{HTTP: honest(t), Now: &targets.ClockNow{Request: targets.Request{Line: "GET /healthz"}, At: "$.now"}}
		}, "", "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var defects []string
			if c.defect != "" {
				defects = []string{c.defect}
			}
			r := check(t, withClock(t, c.clock, defects...), "expiry-inside", "expiry-outside")
			for _, id := range []string{"expiry-inside", "expiry-outside"} {
				one := caseOf(t, r, id)
				assert.Equal(t, reports.Inconclusive, one.Verdict, "%s: %s", id, one.Reason)
				assert.Contains(t, one.Reason, c.because, id)
			}
		})
	}
}

// haltedClock is a clock that moves only while somebody waits.
type haltedClock struct {
	mu    sync.Mutex
	at    time.Time
	extra time.Duration // that passes in addition with each wait, as on a machine that is busy
}

func (c *haltedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *haltedClock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d + c.extra)
	return ctx.Err()
}

// A target whose time really passes is waited for, as long as that is allowed.
func TestClockWaits(t *testing.T) {
	t.Parallel()
	clock := &haltedClock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	e := startServiceWith(t, reference.Options{Now: clock.Now}).endpoint(t, func(target *targets.Target) { target.Clock = &targets.Clock{Wait: true} })
	r := check(t, e, expiryCases...)
	for _, id := range expiryCases {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.NotApplicable, c.Verdict, "%s: %s", id, c.Reason)
		assert.Contains(t, c.Reason, "allow that with --max-wait 24h", id)
	}
	patiently := func(o *steps.Options) {
		o.Abilities.MaxWait, o.Now, o.Wait = 25*time.Hour, clock.Now, clock.Wait
	}
	for _, id := range []string{"expiry-outside", "expiry-late-sender"} { // one by one: who waits moves the time of all
		c := caseOf(t, checkWith(t, e, patiently, id), id)
		assertPasses(t, c)
		assert.Contains(t, fmt.Sprint(c.Faults), "waiting for 2", id)
	}
	clock.extra = 20 * time.Minute // more than the margin
	c := caseOf(t, checkWith(t, e, patiently, "expiry-inside"), "expiry-inside")
	assert.Equal(t, reports.Inconclusive, c.Verdict, c.Reason)
	assert.Contains(t, c.Reason, "too late to tell")
}

// What is right after the retention is what the profile documents; and where it documents nothing, it is only seen.
func TestExpiredAsDocumented(t *testing.T) {
	t.Parallel()
	clause := func(mode string, status ...int) targets.Clause {
		return targets.Clause{Mode: targets.Strings{mode}, Status: status, Claim: targets.Claim{Level: targets.Must, Provenance: targets.Documented}}
	}
	for name, c := range map[string]struct {
		expired targets.Clause
		defects []string
		verdict reports.Verdict
		reason  string
	}{
		"new record, and it is":     {clause(targets.ModeNewRecord), nil, reports.Pass, "created"},
		"refused, and it is":        {clause(targets.ModeReject, http.StatusConflict), []string{"expired-key-refused"}, reports.Pass, "rejected"},
		"refused otherwise":         {clause(targets.ModeReject, http.StatusGone), []string{"expired-key-refused"}, reports.Fail, "wrong-status"},
		"refused, and a new record": {clause(targets.ModeReject, http.StatusConflict), nil, reports.Fail, "wrong-status"},
		"never, and it is":          {clause(targets.ModeNever), []string{"never-expires"}, reports.Pass, "replayed"},
		"never, and a new record":   {clause(targets.ModeNever), nil, reports.Fail, "wrong-status"},
		"undocumented, replayed":    {targets.Clause{}, []string{"never-expires"}, reports.Fail, "wrong-status"}, // it is kept beyond the ceiling
		"undocumented, new":         {targets.Clause{}, nil, reports.Pass, "created; the last record comes from expiry"},
		"undocumented, refused":     {targets.Clause{}, []string{"expired-key-refused"}, reports.Pass, "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startService(t, c.defects...).endpoint(t, func(target *targets.Target) { target.Profile.Expired = c.expired })
			got := caseOf(t, check(t, e, "expiry-outside"), "expiry-outside")
			assert.Equal(t, c.verdict, got.Verdict, got.Reason)
			assert.Contains(t, got.Reason, c.reason)
			if c.expired.Mode == nil && c.verdict == reports.Pass {
				assert.Contains(t, fmt.Sprint(got.Notes), "what then happens is not documented")
			}
		})
	}
}

// What the target file does not say makes a case not applicable, with what to add.
func TestExpiryIsDeclared(t *testing.T) {
	t.Parallel()
	e := startService(t).endpoint(t, func(target *targets.Target) {
		target.Profile.Retention.Max, target.Retry = 0, nil
		target.Profile.Expired.Mode = targets.Strings{targets.ModeReject}
	})
	r := check(t, e, append([]string{"retry-schedule"}, expiryCases...)...)
	assertPasses(t, caseOf(t, r, "expiry-inside"))
	for id, add := range map[string]string{"expiry-outside": "retention.max", "expiry-late-sender": "retention.max", "expiry-conflict": "retention.max",
		"expired-then-replay": "expired: {mode: new_record}", "retry-schedule": "retry: 30s, 5m, 1h"} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.NotApplicable, c.Verdict, id)
		assert.Contains(t, c.Reason, add, id)
	}
}

// The first attempt of a retry schedule that comes too late is named, without a request.
func TestRetrySchedule(t *testing.T) {
	t.Parallel()
	e := startService(t).endpoint(t, func(target *targets.Target) {
		target.Retry = targets.Schedule{targets.Duration(time.Hour), targets.Duration(24 * time.Hour), targets.Duration(48 * time.Hour)}
	})
	r := check(t, e, "retry-schedule")
	c := caseOf(t, r, "retry-schedule")
	assert.Equal(t, reports.Fail, c.Verdict, c.Reason)
	assert.Equal(t, targets.Should, c.Broken)
	assert.Contains(t, c.Reason, "attempt 3 of the retry schedule, 24h after the first, falls outside the retention of 24h: it makes a second record")
	assert.Empty(t, c.Exchanges)
	assert.Empty(t, c.Readings)
}

// moveClock is what this program does as a command that moves a clock.
func moveClock(address, by string) int {
	reply, err := http.Post(address, "application/json", strings.NewReader(fmt.Sprintf(`{"advance":%q}`, by)))
	if err != nil || reply.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "move the clock:", err)
		return 1
	}
	_ = reply.Body.Close()
	return 0
}
