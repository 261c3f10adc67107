package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// The steps of a create, as each variant takes them.
const (
	claimStep  = "INSERT INTO idempotency_keys#1"
	beginStep  = "BEGIN#1"
	orderStep  = "INSERT INTO orders#1"
	updateStep = "UPDATE idempotency_keys#1"
	commitStep = "COMMIT#1"
)

// TestOrdersSound: whatever is done to it, and wherever, there is one order.
func TestOrdersSound(t *testing.T) {
	t.Parallel()
	r := newOrders(t, "sound").sweep(t, nil)
	assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
	for _, c := range r.Cases {
		if c.Verdict != reports.NotApplicable {
			assertPasses(t, c)
		}
	}
	for _, id := range []string{"crash", "crash-disconnect", "crash-host", "crash-database-cut", "crash-swept", "crash-first-byte", "crash-after-answer",
		"database-unavailable", "hang-up[sent]"} {
		assertPasses(t, caseOf(t, r, id))
	}
	assert.Contains(t, notesOf(caseOf(t, r, "database-unavailable"), false), "the API fails closed")
	assert.Contains(t, notesOf(caseOf(t, r, "crash-host"), true), "idle_in_transaction_session_timeout")
	assert.Contains(t, notesOf(caseOf(t, r, "crash-swept"), false), "this is a weak search")
	assert.Empty(t, r.Left, "records are left on the target")
}

// TestOrdersTwoTransactions names the one statement after which a crash makes the retry a second order.
func TestOrdersTwoTransactions(t *testing.T) {
	t.Parallel()
	r := newOrders(t, "two-transactions").sweep(t, nil, "crash", "crash-disconnect", "crash-host", "crash-database-cut")
	assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
	for _, id := range []string{"crash", "crash-disconnect", "crash-host"} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.Fail, c.Verdict, id)
		assert.Len(t, c.Points, 6, id)
		assert.Equal(t, []string{orderStep + ":after duplicate"}, broken(c), id)
	}
	cut := caseOf(t, r, "crash-database-cut")
	require.Len(t, broken(cut), 1)
	assert.Contains(t, broken(cut)[0], orderStep+":after ")
}

// TestOrdersStuck names each point after which the key is in progress for ever.
func TestOrdersStuck(t *testing.T) {
	t.Parallel()
	r := newOrders(t, "stuck-in-progress").sweep(t, nil, "crash", "crash-disconnect", "crash-database-cut")
	assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
	stuck := []string{claimStep + ":after stuck", beginStep + ":after stuck", orderStep + ":after stuck", updateStep + ":after stuck"}
	for id, want := range map[string][]string{
		"crash":            stuck,
		"crash-disconnect": append([]string{claimStep + ":before stuck"}, stuck...), // what is on its way to the database arrives
	} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.Fail, c.Verdict, id)
		assert.Equal(t, want, broken(c), id)
		require.Len(t, c.Points, 6, id)
		last := c.Points[5]
		assert.Equal(t, commitStep+":after", last.Part)
		assert.Equal(t, reports.Replayed, last.Retry)
		for _, p := range c.Points[1:5] {
			assert.Equal(t, reports.InProgress, p.Retry, p.Part)
			assert.Nil(t, p.RecoveryMS, "%s: it never recovers", p.Part)
		}
	}
	assert.Equal(t, reports.Fail, caseOf(t, r, "crash-database-cut").Verdict)
}

// TestOrdersFully sweeps both sides of each step, which the prototype did as well.
func TestOrdersFully(t *testing.T) {
	t.Parallel()
	both := func(steps ...string) (list []string) {
		for _, s := range steps {
			list = append(list, s+":before stuck", s+":after stuck")
		}
		return list
	}
	stuck := append(append([]string{claimStep + ":after stuck"}, both(beginStep, orderStep, updateStep)...), commitStep+":before stuck")
	for variant, want := range map[string][]string{
		"sound":             nil,
		"two-transactions":  {orderStep + ":after duplicate", claimStep + ":before duplicate"},
		"stuck-in-progress": stuck,
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			c := caseOf(t, newOrders(t, variant).sweep(t, fully, "crash"), "crash")
			assert.Len(t, c.Points, 10)
			assert.Equal(t, want, broken(c))
			for _, p := range c.Points {
				assert.True(t, p.Fired, p.Part)
				assert.Equal(t, "no answer (closed)", p.Saw, p.Part)
			}
		})
	}
}

// TestOrdersSameTable: twenty sweeps give one table, with a pool and background queries as well, and on any number of
// instances. How many there are, the environment says; CI has twenty.
func TestOrdersSameTable(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"sound", "two-transactions", "stuck-in-progress"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			o := newOrders(t, variant)
			want := tableOf(caseOf(t, o.sweep(t, inLanes(1), "crash"), "crash"))
			require.Len(t, want, 6)
			for n := range sweeps(t) {
				for name, change := range map[string]func(*targets.Target){"plain": inLanes(4), "busy": busy} {
					assert.Equal(t, want, tableOf(caseOf(t, o.sweep(t, change, "crash"), "crash")), "sweep %d, %s", n+1, name)
				}
			}
		})
	}
}

func inLanes(n int) func(*targets.Target) {
	return func(t *targets.Target) { t.Run.CrashPoints.Parallel = n }
}

// busy is a pool of eight connections, with queries in the background on three more.
func busy(t *targets.Target) {
	told("POOL", "8")(t)
	told("BACKGROUND", "1")(t)
	inLanes(2)(t)
}

// sweeps is how often a table is compared.
func sweeps(t *testing.T) int {
	text := os.Getenv("IDEMCHECK_TEST_SWEEPS")
	if text == "" {
		return 2
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestOrdersOnePoint reruns one point, also one that quick mode leaves out. A name that no point has is no pass.
func TestOrdersOnePoint(t *testing.T) {
	t.Parallel()
	o := newOrders(t, "two-transactions")
	for _, part := range []string{orderStep + ":after", claimStep + ":before"} {
		r := o.sweep(t, nil, "crash/"+part)
		assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
		c := caseOf(t, r, "crash")
		require.Len(t, c.Points, 1)
		assert.Equal(t, []string{part + " duplicate"}, broken(c))
	}
	r := o.sweep(t, nil, "crash/"+orderStep+":before")
	assert.Equal(t, exitOK, r.Outcome.Exit, "%s", r.Outcome.Reason)

	r = o.sweep(t, nil, "crash/INSERT INTO order#1:after")
	assert.Equal(t, exitUnsure, r.Outcome.Exit, r.Outcome.Reason)
	c := caseOf(t, r, "crash")
	assert.Equal(t, reports.Inconclusive, c.Verdict)
	assert.Contains(t, c.Reason, "there is no point called INSERT INTO order#1:after; there are: SELECT pg_advisory_lock#1:before, ")
	assert.Contains(t, c.Reason, orderStep+":after")
	assert.Empty(t, c.Points)
}
