package steps

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// Options are what a run needs. Everything is set; Run closes nothing but the observers, which it opens itself.
type Options struct {
	Features    fs.FS
	Paths       []string // of the features in it
	Cases       []Case   // selected, in the order of the plan
	Endpoint    *targets.Endpoint
	Abilities   Abilities
	Blocked     string // not empty: why the target could not even be opened; nothing is sent
	Stream      *reports.Stream
	Folder      *reports.Folder    // one of the stream's sinks: it knows the exit status
	Started     reports.RunStarted // as far as the caller knows it
	RunID       string             // stands in every marker
	Now         func() time.Time
	Random      io.Reader // for keys
	Concurrency int       // quiet cases at once; at least 1
	Seed        int64     // of the order of quiet cases; 0 keeps the plan's
	CaseTimeout time.Duration
	Wait        func(context.Context, time.Duration) error
	Technique   burst.Technique // of double sends; empty: the best that the target speaks
	Environ     []string        // of command observers; nil: that of this process
}

// engine is one run.
type engine struct {
	Options
	target   *targets.Target
	language *scenarios.Language
	patterns []*regexp.Regexp // of its sentences: compiled once, and not for each case by godog
	rows     map[string]row
	plan     map[place]*Case
	missing  map[string]string // by case: why it is not applicable
	answers  *observe.Answers
	watch    []watcher
	known    []reports.KnownEntry
	began    time.Time
	// Of sweeps, which run one after the other: the instances of the target, and the plans by request.
	instances []*targets.Endpoint
	routes    map[string]*route

	mu       sync.Mutex
	down     map[*targets.Endpoint]bool // instances that were killed, and not restarted
	worlds   []*world
	verdicts map[string]reports.Verdict
	lived    map[string]bool // cases that failed in nothing but what is known
	ahead    time.Duration   // how far cases have moved the target's clock
	budget   int             // records that may still be created
	distrust []string        // why counts cannot be trusted
	volatile []string        // members of an answer that differ between any two; set by the preflight
	created  []createdRecord
}

// createdRecord is something the run has created, with what is needed to remove it again.
type createdRecord struct {
	reports.Record
	vars targets.Vars
}

// Run carries out the cases and writes everything that happens into the stream, ending with run-ended. The error says
// that the run could not be carried out at all; whatever the target does is not an error.
//
// When ctx ends, running cases stop at their next step, their records are still counted, and the records that the run
// created are still removed.
func Run(ctx context.Context, o Options) error {
	e, err := newEngine(o)
	if err != nil {
		return err
	}
	defer e.closeWatchers()
	pre := e.open(ctx)
	e.announce()
	stopped := ""
	if pre.Reason == "" {
		pre = e.preflight(ctx)
	} else {
		e.emit("", reports.Event{Kind: reports.KindPreflight, Preflight: &pre})
	}
	if pre.Stop || !pre.Trusted {
		stopped = e.giveUp(pre)
	} else {
		e.runAll(ctx)
		stopped = e.stopped(ctx)
	}
	// What follows must also happen after ^C, but not for ever.
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	e.recount(rest)
	removed, left := e.cleanUp(rest)
	end := reports.RunEnded{Interrupted: stopped, Removed: removed, Left: left}
	end.Exit = e.Folder.Closing(end).Outcome.Exit
	e.emit("", reports.Event{Kind: reports.KindRunEnded, RunEnded: &end})
	return e.Stream.Err()
}

// afterwards bounds what is done after the last case: the late count and the clean-up.
const afterwards = 60 * time.Second

func newEngine(o Options) (*engine, error) {
	language, err := scenarios.Compile(Verbs())
	if err != nil {
		return nil, fmt.Errorf("compile the table of steps: %w", err)
	}
	e := &engine{
		Options: o, target: o.Endpoint.Target, language: language, patterns: language.Patterns(), rows: map[string]row{}, plan: map[place]*Case{},
		missing: map[string]string{}, verdicts: map[string]reports.Verdict{}, lived: map[string]bool{}, answers: &observe.Answers{}, began: o.Stream.Began(),
		budget: o.Endpoint.Target.Limits.Records,
	}
	e.known = knownEntries(e.target, e.Cases)
	for _, r := range table() {
		e.rows[r.Name] = r
	}
	for i := range e.Cases {
		c := &e.Cases[i]
		if !c.Elsewhere {
			e.plan[c.at] = c
		}
		e.missing[c.ID] = Missing(*c, e.target, e.Abilities)
	}
	return e, nil
}

// open opens the observers. What stands in the way of that, or of the target, is said as a preflight that stops the
// run.
func (e *engine) open(ctx context.Context) reports.Preflight {
	blocked := e.Blocked
	if blocked == "" {
		if err := e.openWatchers(ctx); err != nil {
			blocked = err.Error()
		}
	}
	if blocked == "" {
		return reports.Preflight{}
	}
	return reports.Preflight{Stop: true, Reason: e.target.Secrets.Redact(blocked)}
}

// initScenario binds one scenario to a world of its own. The verdict is never taken from godog: the world records what
// each step came to.
func (e *engine) initScenario(sc *godog.ScenarioContext, t tier) {
	w := &world{engine: e, Endpoint: e.Endpoint}
	sc.Before(func(ctx context.Context, s *godog.Scenario) (context.Context, error) {
		c, ok := e.plan[placeOf(s)]
		if !ok || !t.takes(c) {
			return ctx, godog.ErrSkip
		}
		return w.begin(ctx, c)
	})
	sc.StepContext().Before(func(ctx context.Context, s *godog.Step) (context.Context, error) {
		w.current = s
		return ctx, nil
	})
	for _, pattern := range e.patterns {
		sc.Step(pattern, w.step)
	}
	sc.After(func(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
		w.end(ctx)
		return ctx, nil
	})
}

func (e *engine) emit(caseID string, ev reports.Event) {
	ev.Case = caseID
	e.Stream.Emit(ev)
}

// stopped says why the run ended early; empty when it did not.
func (e *engine) stopped(ctx context.Context) string {
	if ctx.Err() == nil {
		return ""
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause.Error()
	}
	return "interrupted"
}

// giveUp ends a run in which no case can say anything.
func (e *engine) giveUp(pre reports.Preflight) string {
	for i := range e.Cases {
		c := &e.Cases[i]
		if c.Elsewhere {
			continue
		}
		ended := reports.CaseEnded{Verdict: reports.NotRun, Reason: pre.Reason}
		switch {
		case e.missing[c.ID] != "":
			ended = reports.CaseEnded{Verdict: reports.NotApplicable, Reason: e.missing[c.ID]}
		case !pre.Stop:
			ended.Verdict = reports.Inconclusive
		}
		e.emit(c.ID, reports.Event{Kind: reports.KindCaseEnded, CaseEnded: &ended})
	}
	if pre.Stop {
		return pre.Reason
	}
	return ""
}
