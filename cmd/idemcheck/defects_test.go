package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// untouched are cases of which every defect leaves at least one alone.
var untouched = []string{"first-request", "replay-once", "different-key", "K3[own-key]", "missing-key"}

// Each defect of the reference is seen: its cases fail with the right finding, and a case that it does not touch still
// passes. This is what proves that the checks can fail.
func TestDefects(t *testing.T) {
	t.Parallel()
	for i, d := range reference.Defects() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && i%8 != 0 {
				t.Skip("-short: every eighth defect")
			}
			require.NotEmpty(t, len(d.Breaks)+len(d.Blurs), "no case is named that sees this defect")
			only := append(slices.Clone(untouched), d.Blurs...)
			crashes := false
			for _, b := range d.Breaks {
				only = append(only, b.Case)
				crashes = crashes || needsAny(t, b.Case, targets.NeedCrash, targets.NeedKillPoints)
			}
			var e *targets.Endpoint
			if crashes {
				e = childEndpoint(t, d.Name)
			} else {
				e = startService(t, d.Name).endpoint(t, nil)
			}
			r := check(t, e, only...)
			for try := 1; try < triesOfRaces && missedRace(t, r, d); try++ {
				t.Logf("a race was missed, by run %d", try)
				r = check(t, e, only...)
			}
			exits := []int{r.Outcome.Exit, exitOfShoulds(r)}
			assert.Equal(t, len(d.Breaks) > 0, slices.Contains(exits, exitBroken), "%v: %s", exits, r.Outcome.Reason)
			for _, id := range d.Blurs {
				c := caseOf(t, r, id)
				assert.Equal(t, reports.Inconclusive, c.Verdict, "%s: %s", c.ID, c.Reason)
			}
			for _, b := range d.Breaks {
				c := caseOf(t, r, b.Case)
				assert.Equal(t, reports.Fail, c.Verdict, "%s: %s", c.ID, c.Reason)
				assert.Contains(t, kinds(c), reports.FindingKind(b.Finding), "%s: %+v", c.ID, c.Findings)
			}
			assert.Positive(t, r.Summary.Pass, "no case passes")
		})
	}
}

// triesOfRaces is how often a defect is run that shows only if the target is met at the right moment: on a machine that
// does much else, the scheduler decides that.
const triesOfRaces = 3

// ofMoment are the cases that must meet the target at a moment.
var ofMoment = regexp.MustCompile(`^(lost-answer|hang-up|double-send|second-while|conflict-while|slow-outlives|K1-two-workers|distinct-keys-together|webhook-together|webhook-late-ack|crash)`)

// missedRace reports whether a case that must meet the target at a moment has not found the defect.
func missedRace(t *testing.T, r reports.Report, d reference.Defect) bool {
	return slices.ContainsFunc(d.Breaks, func(b reference.Break) bool {
		return ofMoment.MatchString(b.Case) && !slices.Contains(kinds(caseOf(t, r, b.Case)), reports.FindingKind(b.Finding))
	})
}

// brokenElsewhere are the cases that no defect of the reference can reach, and the tests in which they fail.
var brokenElsewhere = map[string]string{
	"crash-host":               "TestOrdersTwoTransactions",
	"crash-database-cut":       "TestOrdersTwoTransactions, TestOrdersStuck",
	"crash-database-restarted": "TestOrdersInContainers",
	"database-unavailable":     "TestStoreUnavailable",
	"retry-schedule":           "TestRetrySchedule: a fault of the target file",
	"content-repeated":         "TestContentFilterBroken: the reference itself has no second guard",
	"contents-in-turn":         "TestContentFilterBroken",
	"content-hides-no-key":     "TestContentFilterBroken",
	"content-inside":           "TestContentFilterBroken",
	"content-outside":          "TestContentFilterBroken",
}

// Each case can fail: some defect is there to break it, and TestDefects shows that it does.
func TestEveryCaseCanFail(t *testing.T) {
	t.Parallel()
	breaks := map[string]bool{}
	for _, d := range reference.Defects() {
		for _, b := range d.Breaks {
			breaks[b.Case] = true
		}
	}
	cases, err := steps.Plan(features.FS, features.Paths(), "")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, c := range cases {
		known[c.ID] = true
		elsewhere := brokenElsewhere[c.ID] != ""
		assert.NotEqual(t, elsewhere, breaks[c.ID], "%s: a defect breaks it or a test elsewhere does", c.ID)
	}
	for id := range breaks {
		assert.True(t, known[id], "%s: there is no such case", id)
	}
	for id := range brokenElsewhere {
		assert.True(t, known[id], "%s: there is no such case", id)
	}
}

// exitOfShoulds gives the exit status of a run that fails in a case that is a should: with --strict it is broken.
func exitOfShoulds(r reports.Report) int {
	r.About.Strict = true
	return reports.ExitStatus(r).Exit
}

func kinds(c reports.Case) []reports.FindingKind {
	var list []reports.FindingKind
	for _, f := range c.Findings {
		list = append(list, f.Kind)
	}
	return list
}

// The correct reference passes every case, and each case counts what is right.
func TestReferencePasses(t *testing.T) {
	t.Parallel()
	r := check(t, startService(t).endpoint(t, nil))
	assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
	for _, c := range r.Cases {
		if !slices.ContainsFunc(c.Needs, func(n string) bool { return beyondService[targets.Need(n)] }) {
			assertPasses(t, c)
		}
	}
	assert.Empty(t, r.Left, "records are left on the target")
	for id, want := range map[string]int{"K1": 1, "K1-two-workers": 1, "K2[own-key]": 1, "K2[baseline-key]": 1, "K3[own-key]": 2,
		"K3[baseline-key]": 2, "K4": 1, "K5": 2, "K6[other-tenant]": 2, "K6[test-environment]": 2} {
		c := caseOf(t, r, id)
		assert.Equal(t, want, recordsOf(c), id)
		require.NotNil(t, c.Artifact, id)
		assert.NotEmpty(t, c.Artifact.Permitted, id)
		assert.NotEmpty(t, c.Artifact.Observed, id)
		assert.NotEmpty(t, c.Artifact.KeyRelationship, id)
		assert.NotEmpty(t, c.Artifact.Approval, id)
		assert.NotEmpty(t, c.Artifact.Prior, id)
		assert.NotEmpty(t, c.Artifact.Records, id)
	}
}

func recordsOf(c reports.Case) int {
	n := 0
	for _, t := range c.Records {
		if !t.SideEffect && t.Found != nil {
			n += *t.Found
		}
	}
	return n
}

// The correct reference, in processes of its own, survives being killed.
func TestReferenceSurvivesCrashes(t *testing.T) {
	t.Parallel()
	r := check(t, childEndpoint(t), "crash*", "batch-killed")
	for _, c := range r.Cases {
		if !needsAny(t, c.ID, targets.NeedDatabaseProxy, targets.NeedDatabase) { // TestOrders: the reference has its database within
			assertPasses(t, c)
		}
	}
	c := caseOf(t, r, "crash")
	require.Len(t, c.Points, 6)
	for _, p := range c.Points {
		assert.True(t, p.Fired, p.Part)
		assert.Equal(t, reports.Pass, p.Verdict, p.Part)
		assert.Equal(t, "no answer (closed)", p.Saw, p.Part)
		require.NotNil(t, p.Records, p.Part)
		assert.Equal(t, 1, *p.Records, p.Part)
	}
	assert.Equal(t, reports.Created, c.Points[0].Retry, "before the first step nothing was there")
	assert.Equal(t, reports.Replayed, c.Points[5].Retry, "after the commit everything was")
}

// beyondService are the needs that a service within this process does not meet: it cannot be killed, and has its
// database within, and it has no second guard beside the key. TestReferenceSurvivesCrashes, TestOrders and TestContentFilter
// have what it takes.
var beyondService = map[targets.Need]bool{targets.NeedCrash: true, targets.NeedKillPoints: true, targets.NeedDatabaseProxy: true,
	targets.NeedDatabase: true, targets.NeedContentFilter: true}

// needsAny reports whether a case has one of these needs.
func needsAny(t *testing.T, id string, wanted ...targets.Need) bool {
	t.Helper()
	all, err := builtIn()
	require.NoError(t, err)
	for _, c := range all {
		if c.ID == id {
			return slices.ContainsFunc(c.Needs, func(n targets.Need) bool { return slices.Contains(wanted, n) })
		}
	}
	t.Fatalf("there is no case %s", id)
	return false
}
