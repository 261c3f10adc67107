package steps

import (
	"context"
	"slices"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// watcher is an observer with what the engine must know about it.
type watcher struct {
	observer   observe.Observer
	operation  string
	sideEffect bool // not the first observer of its operation
	scoped     bool // can tell namespaces apart
	weak       bool // the answers: inferred
}

// openWatchers opens the observers of the target file. Where none counts the records of the main operation, the answers
// do.
func (e *engine) openWatchers(ctx context.Context) error {
	specs := e.target.Observers
	if !slices.ContainsFunc(specs, func(o targets.Observer) bool { return operationOf(e.target, o) == mainOperation(e.target).Name }) {
		specs = append([]targets.Observer{{Name: "answers", Operation: mainOperation(e.target).Name, Answers: true}}, specs...)
	}
	deps := observe.Deps{Send: e.Endpoint.Sender.Send, Answers: e.answers, Now: e.Now, Wait: e.Wait,
		Redact: e.target.Secrets.Redact, Environ: e.Environ}
	first := map[string]bool{}
	for _, spec := range specs {
		spec.Operation = operationOf(e.target, spec)
		o, err := observe.Open(ctx, spec, deps)
		if err != nil {
			return err
		}
		e.watch = append(e.watch, watcher{o, spec.Operation, first[spec.Operation], observe.Scoped(spec), spec.Answers})
		first[spec.Operation] = true
	}
	return nil
}

func (e *engine) closeWatchers() {
	for _, o := range e.watch {
		_ = o.observer.Close() // a run that is over has nothing more to say about its listeners
	}
}

// query is what an observer is asked: the marker, in the namespace it stands in.
func (e *engine) query(endpoint *targets.Endpoint, marker string, sc scope, label string) observe.Query {
	base, headers := e.placeAt(endpoint, sc.namespace)
	vars := targets.Vars{"marker": marker, "operation": sc.operation, "tenant": "T1", "environment": "production"}
	switch sc.namespace {
	case "other_tenant":
		vars["tenant"] = "T2"
	case "test_environment":
		vars["environment"] = "test"
	}
	return observe.Query{Vars: vars, Namespace: sc.namespace, Base: base, Headers: headers, Label: label, Send: endpoint.Sender.Send}
}

// count asks one observer and shows the reading.
func (w *world) count(ctx context.Context, o watcher, sc scope, label string) targets.Reading {
	q := w.query(w.Endpoint, w.marker, sc, label)
	q.Headers = w.timed(q.Headers)
	r := o.observer.Count(ctx, q)
	r.Namespace, r.Operation, r.Label = sc.namespace, sc.operation, label
	w.emit(w.c.ID, reports.Event{Kind: reports.KindReading, Reading: &r})
	if w.readings[label] == nil {
		w.readings[label] = map[scope][]targets.Reading{}
	}
	w.readings[label][sc] = append(w.readings[label][sc], r)
	if !o.sideEffect {
		for _, id := range r.IDs {
			w.seen[id] = true
		}
	}
	return r
}

// readAll takes a reading of every observer in every scope that the case has touched, and keeps it under a label.
func (w *world) readAll(ctx context.Context, label string) {
	delete(w.readings, label)
	scopes := w.scopes
	if len(scopes) == 0 {
		scopes = []scope{{mainOperation(w.target).Name, ""}}
	}
	for _, sc := range scopes {
		for _, o := range w.watch {
			if o.operation == sc.operation && (o.scoped || sc.namespace == "") {
				w.count(ctx, o, sc, label)
			}
		}
	}
}

// expected gives what is right in a scope: what the scenario said, else as many records as keys were first used there.
func (w *world) expected(sc scope) judge.Expectation {
	if e, said := w.expect[sc]; said {
		return e
	}
	keys := map[string]bool{}
	for _, s := range w.history {
		if s.scope() == sc {
			keys[s.Key+"/"+s.payload] = true
		}
	}
	return judge.Expectation{Min: 0, Max: len(keys)}
}

// judgeCounts reads every observer and judges the counts. An observer that cannot tell namespaces apart is held against
// the sum of what is right in all of them.
func (w *world) judgeCounts(ctx context.Context, label string) {
	delete(w.readings, label)
	w.tallies = nil
	for _, o := range w.watch {
		var all judge.Expectation
		touched := false
		for _, sc := range w.scopes {
			if sc.operation != o.operation {
				continue
			}
			touched = true
			want := w.expected(sc)
			if o.sideEffect {
				want = w.effectsOf(o, sc, want, label)
			}
			all = all.Plus(want)
			if o.scoped {
				w.judgeCount(ctx, o, sc, want, label)
			}
		}
		if touched && !o.scoped {
			w.judgeCount(ctx, o, scope{o.operation, ""}, all, label)
		}
	}
}

// effectsOf is how many side effects are right in a scope: one for each record that is right, and one for each that the
// case has deleted; not more than there are records, where some are missing. What the scenario says goes before that.
func (w *world) effectsOf(o watcher, sc scope, want judge.Expectation, label string) judge.Expectation {
	if n, said := w.effects[o.observer.Name()]; said {
		return judge.Exactly(n)
	}
	if list := w.readings[label][sc]; len(list) > 0 && list[0].Err == "" {
		want.Min = min(want.Min, list[0].Count)
	}
	return want.Plus(judge.Exactly(w.deleted[sc]))
}

func (w *world) judgeCount(ctx context.Context, o watcher, sc scope, want judge.Expectation, label string) {
	r := w.countAtLeast(ctx, o, sc, label, want.Min)
	w.tally(o, sc, want, r)
	if len(w.distrust) > 0 {
		return
	}
	counted := judge.Counted{Reading: r, Expect: want, Level: w.c.Level, SideEffect: o.sideEffect}
	if level, said := w.levels[sc]; said {
		counted.Level = level
	}
	ids := map[string]bool{}
	for _, s := range w.heard() {
		if s.scope != sc && o.scoped || s.operation != sc.operation {
			continue
		}
		switch {
		case s.succeeded:
			counted.Claimed = true
			ids[s.id] = true
		case s.disposition == reports.NoAnswer:
			counted.Unanswered = true
		case s.disposition == reports.Replayed: // an error that says that the first was done
			counted.Claimed = true
		case !s.repeats && s.disposition != reports.Failed: // a failure promises nothing, not even that nothing was written
			counted.Refused = true
		}
	}
	for id := range ids {
		counted.Answered = append(counted.Answered, id)
	}
	w.inferred = w.inferred || o.weak
	w.take(judge.Records(counted))
	if o.sideEffect && len(w.deleted) == 0 && len(w.effects) == 0 {
		w.reconcile(sc, r)
	}
}

// reconcile holds the ids of side effects against those of the records, not only their counts.
func (w *world) reconcile(sc scope, effects targets.Reading) {
	list := w.readings[effects.Label][sc]
	if len(list) == 0 || list[0].Observer == effects.Observer || list[0].Err != "" || effects.Err != "" {
		return
	}
	for _, complaint := range observe.Reconcile(list[0], effects) {
		w.take(judge.Opinion{Findings: []reports.Finding{{
			Kind: reports.SideEffectRepeated, Question: reports.QuestionRecords, Level: w.c.Level,
			Provenance: targets.Documented, Message: complaint, Expected: "one for each record", Found: "otherwise",
		}}})
	}
}

func (w *world) tally(o watcher, sc scope, want judge.Expectation, r targets.Reading) {
	t := reports.Tally{
		Observer: o.observer.Name(), Namespace: sc.namespace, Operation: sc.operation, SideEffect: o.sideEffect,
		Expected: want.String(), IDs: slices.Clone(r.IDs), Inferred: o.weak,
	}
	for _, before := range w.readings["before"][sc] {
		if before.Observer == r.Observer {
			t.Before = before.Count
		}
	}
	if r.Err == "" {
		n := r.Count
		t.Found = &n
	}
	w.tallies = append(w.tallies, t)
}

// pastRound is what a round of a double send left behind: it is counted again at the end of the run.
type pastRound struct {
	marker  string
	expect  map[scope]judge.Expectation
	tallies []reports.Tally
}

// recount counts every marker once more after the last case. A late duplicate fails its case: the verdict moves up,
// never down.
func (e *engine) recount(ctx context.Context) {
	e.sideBySide(len(e.worlds), func(i int) {
		if w := e.worlds[i]; len(w.said) > 0 && ctx.Err() == nil && len(e.distrust) == 0 {
			w.recount(ctx)
		}
	})
}

func (w *world) recount(ctx context.Context) {
	before := len(w.evidence.Findings)
	w.judgeCounts(ctx, "after the last case")
	marker, expect := w.marker, w.expect
	for _, p := range w.past {
		w.marker, w.expect, w.said = p.marker, p.expect, nil
		w.judgeCounts(ctx, "after the last case")
	}
	w.marker, w.expect = marker, expect
	w.forget()
	if len(w.evidence.Findings) > before {
		w.lateFinding()
	}
}

func (w *world) lateFinding() {
	v, reason, broken := judge.Verdict(w.evidence)
	w.setVerdict(w.c.ID, v)
	w.emit(w.c.ID, reports.Event{Kind: reports.KindRecount, Recount: &reports.CaseEnded{
		Verdict: v, Broken: broken, Reason: reason + " (seen in the count after the last case)", Overlap: w.overlap,
		Records: w.tallies, Artifact: w.artifact,
	}})
}
