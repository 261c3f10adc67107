package steps

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// TestSweepAllKeepsTheOrder lets the lanes end in the opposite order, and expects the rows in the order of the parts.
func TestSweepAllKeepsTheOrder(t *testing.T) {
	t.Parallel()
	lanes := []*targets.Endpoint{{}, {}, {}}
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	close(gates[2])
	one := func(_ context.Context, _ *targets.Endpoint, i int) (reports.CrashPoint, error) {
		<-gates[i]
		if i > 0 {
			close(gates[i-1])
		}
		return reports.CrashPoint{Occurrence: i}, nil
	}
	var got, done []int
	require.NoError(t, sweepAll(t.Context(), lanes, []int{0, 1, 2}, one, func(n int, p reports.CrashPoint) {
		got, done = append(got, p.Occurrence), append(done, n)
	}))
	assert.Equal(t, []int{0, 1, 2}, got)
	assert.Equal(t, []int{1, 2, 3}, done)
}

// TestSweepAllKeepsWhatItHas: after an error the rows that came in are still given, and no further part is begun.
func TestSweepAllKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	first, second := make(chan struct{}), make(chan struct{})
	one := func(_ context.Context, _ *targets.Endpoint, i int) (reports.CrashPoint, error) {
		switch i {
		case 0:
			close(first)
			<-second
			return reports.CrashPoint{}, broken
		case 1:
			<-first
			defer close(second)
		}
		return reports.CrashPoint{Occurrence: i}, nil
	}
	var got []int
	err := sweepAll(t.Context(), []*targets.Endpoint{{}, {}}, []int{0, 1, 2}, one, func(_ int, p reports.CrashPoint) { got = append(got, p.Occurrence) })
	require.ErrorIs(t, err, broken)
	assert.Subset(t, []int{1, 2}, got)
	assert.Contains(t, got, 1)
}

func TestSweepAllEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := sweepAll(ctx, []*targets.Endpoint{{}}, []int{0}, func(context.Context, *targets.Endpoint, int) (reports.CrashPoint, error) {
		t.Error("a part was begun")
		return reports.CrashPoint{}, nil
	}, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestStepOfRow(t *testing.T) {
	t.Parallel()
	rows := func(n int, labels ...string) []string {
		out := []string{"BEGIN", "SELECT 1"}
		for range n {
			out = append(out, labels...)
		}
		return append(out, "COMMIT")
	}
	for name, row := range map[string]struct {
		small, larger []string
		idle          map[string]bool
		label         string
		per           int
	}{
		"one":           {rows(5, "INSERT"), rows(7, "INSERT"), nil, "INSERT", 1},
		"two":           {rows(5, "SELECT", "INSERT"), rows(7, "SELECT", "INSERT"), nil, "SELECT", 1},
		"twice":         {rows(5, "INSERT", "INSERT"), rows(7, "INSERT", "INSERT"), nil, "INSERT", 2},
		"all at once":   {rows(1, "INSERT"), rows(1, "INSERT"), nil, "", 0},
		"idle":          {rows(5, "SELECT 1", "INSERT"), rows(7, "SELECT 1", "INSERT"), map[string]bool{"SELECT 1": true}, "INSERT", 1},
		"now and again": {rows(5, "INSERT"), append(rows(7, "INSERT"), "VACUUM"), nil, "INSERT", 1},
	} {
		label, per := stepOfRow(row.small, row.larger, row.idle)
		assert.Equal(t, row.label, label, name)
		assert.Equal(t, row.per, per, name)
	}
}

func TestSelectParts(t *testing.T) {
	t.Parallel()
	cases := plan(t)
	find := func(list []Case, id string) Case {
		for _, c := range list {
			if c.ID == id {
				return c
			}
		}
		t.Fatalf("%s is not selected", id)
		return Case{}
	}
	list, err := Select(cases, []string{"crash/INSERT INTO orders#1:after", "crash/COMMIT*"}, []string{"crash/COMMIT#2:*"})
	require.NoError(t, err)
	c := find(list, "crash")
	assert.Equal(t, []string{"INSERT INTO orders#1:after", "COMMIT*"}, c.Parts)
	assert.Equal(t, []string{"COMMIT#2:*"}, c.NotParts)
	list, err = Select(cases, []string{"crash/a#1:after", "crash"}, nil)
	require.NoError(t, err)
	assert.Empty(t, find(list, "crash").Parts, "the whole case was asked for as well")
	for _, bad := range []string{"K1/part", "nothing/part", `crash/\`} {
		_, err := Select(cases, []string{bad}, nil)
		assert.Error(t, err, bad)
	}
}

func TestKnownParts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		glob, id, part string
		want           bool
	}{
		{"crash", "crash", "COMMIT#1:after", true}, {"crash/COMMIT#1:after", "crash", "COMMIT#1:after", true},
		{"crash/COMMIT#1:after", "crash", "COMMIT#1:before", false}, {"crash/COMMIT#1:after", "crash", "", false},
		{"K1", "K2", "", false}, {"crash/*:after", "crash", "INSERT INTO a[1]#1:after", true},
	} {
		entries := knownEntries(&targets.Target{Known: []targets.Known{{Case: row.glob, Finding: "stuck", Reason: "x", Until: "2999-01-01"}}},
			[]Case{{ID: "crash", Long: true}, {ID: "K1"}, {ID: "K2"}})
		got := reports.KnownOf(entries, time.Unix(0, 0), row.id, row.part, reports.Stuck) == "x"
		assert.Equal(t, row.want, got, "%s %s/%s", row.glob, row.id, row.part)
	}
}
