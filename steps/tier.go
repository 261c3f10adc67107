package steps

import (
	"context"
	"io"
	"slices"

	"github.com/cucumber/godog"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// tier is a part of the run: which of its cases run in it, and how many at once.
type tier struct {
	name        string
	concurrency int
	takes       func(*Case) bool
}

// runAll runs the tiers in sequence: the cases that others stand on, the other quiet cases, one by one those that touch
// the whole target, and those that move its time.
func (e *engine) runAll(ctx context.Context) {
	foundation := map[string]bool{}
	for _, c := range e.Cases {
		foundation[c.After] = true
	}
	tiers := []tier{
		{"foundation", e.Concurrency, func(c *Case) bool { return foundation[c.ID] && !c.Loud }},
		{"quiet", e.Concurrency, func(c *Case) bool { return !foundation[c.ID] && !c.Loud }},
		{"loud", 1, func(c *Case) bool { return c.Loud && !c.needs(targets.NeedClock) }},
		// A target whose time was moved may stay in the future, so these come last.
		{"clock", e.clockLanes(), func(c *Case) bool { return c.needs(targets.NeedClock) }},
	}
	for _, t := range tiers {
		e.runTier(ctx, t)
	}
}

// runTier hands the features in which it has cases to godog, and skips, before they start, the scenarios of other tiers.
func (e *engine) runTier(ctx context.Context, t tier) {
	paths := e.pathsOf(t)
	if len(paths) == 0 {
		return
	}
	suite := godog.TestSuite{
		Name: t.name,
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			e.initScenario(sc, t)
		},
		Options: &godog.Options{
			Format: "progress", Output: io.Discard, FS: e.Features, Paths: paths, Strict: true,
			Concurrency: max(1, t.concurrency), Randomize: e.Seed, DefaultContext: ctx,
		},
	}
	// The status speaks of steps that returned errors; the verdicts are ours.
	suite.Run()
}

// pathsOf lists the features with cases of a tier: reading a feature anew takes longer than most cases.
func (e *engine) pathsOf(t tier) []string {
	has := map[string]bool{}
	for i := range e.Cases {
		if c := &e.Cases[i]; !c.Elsewhere && t.takes(c) {
			has[c.at.uri] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(e.Paths), func(path string) bool { return !has[path] })
}
