package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// missed are points of which one is never reached: the request takes another way each time it is looked for there.
type missed struct {
	targets.Points
	part string
}

func (m missed) Arm(ctx context.Context, p targets.Point, f targets.PointFault, atPoint func()) (targets.ArmedPoint, error) {
	if p.String() == m.part {
		p.Label += " on another day"
	}
	return m.Points.Arm(ctx, p, f, atPoint)
}

// TestAPointThatNeverFires is tried three times and is no pass then; the other points are what they are.
func TestAPointThatNeverFires(t *testing.T) {
	t.Parallel()
	const part = updateStep + ":after"
	e, err := process.Open(t.Context(), newOrders(t, "sound").target(t, inLanes(1)))
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	e.Points = missed{e.Points, part}
	r := check(t, e, "crash")
	assert.Equal(t, exitUnsure, r.Outcome.Exit, r.Outcome.Reason)
	c := caseOf(t, r, "crash")
	assert.Equal(t, reports.Inconclusive, c.Verdict)
	assert.Contains(t, c.Reason, part+": the request was answered 3 times and never got to this point")
	require.Len(t, c.Points, 6)
	for _, p := range c.Points {
		assert.Equal(t, p.Part != part, p.Fired, p.Part)
		assert.Equal(t, map[bool]reports.Verdict{true: reports.Pass, false: reports.Inconclusive}[p.Fired], p.Verdict, p.Part)
	}
}

// slow are points at which the target becomes quiet for one point only when its time is over.
type slow struct {
	targets.Points
	left *int // calls until it takes too long
}

func (s slow) Quiesce(ctx context.Context, quiet time.Duration, ignore map[string]bool) error {
	if *s.left--; *s.left == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.Points.Quiesce(ctx, quiet, ignore)
}

// TestTimeOfAPoint: the longest time of a case is that of each point. One that takes longer is inconclusive, and the
// points after it are swept.
func TestTimeOfAPoint(t *testing.T) {
	t.Parallel()
	e, err := process.Open(t.Context(), newOrders(t, "sound").target(t, inLanes(1)))
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	dry := 5 * 2 // twice in each dry run
	left := dry + 2
	e.Points = slow{e.Points, &left}
	r := checkWithin(t, e, 5*time.Second, "crash")
	c := caseOf(t, r, "crash")
	assert.Equal(t, reports.Inconclusive, c.Verdict)
	require.Len(t, c.Points, 6)
	for i, p := range c.Points {
		if i == 1 {
			assert.Equal(t, reports.Inconclusive, p.Verdict)
			assert.Contains(t, p.Reason, "longer than 5s")
			continue
		}
		assert.Equal(t, reports.Pass, p.Verdict, "%s: %s", p.Part, p.Reason)
	}
}
