package steps

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// world is everything one case knows: its marker, its keys, what was sent and what was counted. Nothing is shared with
// other cases but the endpoint.
type world struct {
	*engine
	// Endpoint is the instance that this world speaks to; in a sweep it may be another than the run's own.
	Endpoint *targets.Endpoint
	c        *Case
	part     string // of a sweep: the address of the point within the case
	current  *godog.Step
	cancel   context.CancelFunc

	marker   string
	events   map[string]string // symbols and the ids they stand for
	records  map[string]string
	bundle   targets.Bundle
	revision string
	approved map[string]bool // event+record that the case had approved
	domain
	firstKey string               // "the same key"
	keyTimes map[string]time.Time // when each key was first sent
	// secondKey stands beside the first where two are sent at once.
	secondKey string

	history   []*sent
	said      []saying                               // what is kept of it when the case has ended
	readings  map[string]map[scope][]targets.Reading // by label
	seen      map[string]bool                        // record ids known so far
	scopes    []scope
	expect    map[scope]judge.Expectation
	past      []pastRound
	deleted   map[scope]int // records that the case itself has deleted: their side effects stay
	measure   measure
	overlap   *reports.Overlap
	originals map[string][]byte // by record id: what the read call gave when it was new
	artifact  *reports.Artifact

	children int             // parts that were begun
	parts    []*world        // and their worlds
	worst    reports.Verdict // of the parts so far
	right    int             // records after each part
	swept    []reports.CrashPoint
	undo     []func(context.Context) // of what the case did to the target itself; done when it has ended
	allowed  int                     // records that changes of the payload have rightly made
	contents contents
	levels   map[scope]targets.Level // of a count, where it is not the case's own

	evidence judge.Evidence
	notes    map[string]bool
	sights   *sights
	tallies  []reports.Tally
	inferred bool
	ended    bool
	passage  passage
	late     time.Duration // spent in waiting for records that were still to come
}

// scope is where records are counted: those of one operation in one namespace.
type scope struct {
	operation string
	namespace string
}

// sent is one attempt of the history with what the world knows about it.
type sent struct {
	targets.Exchange
	bundle      targets.Bundle
	revision    string
	values      targets.Vars // that the scenario gives to names of the template
	payload     string       // what the body means: equal texts are equal requests
	content     string       // of it, what a content filter compares
	namespace   string
	event       bool   // a delivery to the receiver; its key is the id of the event
	keyWords    string // the key relationship in words
	id          string
	job         judge.Job         // what became of a write that was only accepted
	result      *targets.Exchange // and the answer that says so
	repeats     bool              // an earlier or concurrent attempt was the same request under the same key
	disposition reports.Disposition
	situation   judge.Situation
	permit      judge.Permit
	first       *sent // what it repeats
	arrival
}

// saying is what one attempt of the history says about the records.
type saying struct {
	scope
	id          string
	disposition reports.Disposition
	succeeded   bool
	repeats     bool
}

// heard gives what the history says about the records.
func (w *world) heard() []saying {
	list := slices.Clone(w.said)
	for _, s := range w.history {
		list = append(list, saying{s.scope(), s.id, s.disposition, s.Succeeded(), s.repeats})
	}
	return list
}

func (s *sent) scope() scope { return scope{s.Operation, s.namespace} }

// stop ends a case early with a verdict of its own.
type stop struct {
	verdict reports.Verdict
	reason  string
}

func (s *stop) Error() string { return s.reason }

func unclear(format string, args ...any) error {
	return &stop{reports.Inconclusive, fmt.Sprintf(format, args...)}
}

// begin makes the world ready, or says why the case does not run.
func (w *world) begin(ctx context.Context, c *Case) (context.Context, error) {
	if ctx.Err() != nil {
		return ctx, godog.ErrSkip
	}
	if ended := w.engine.unfit(c); ended != nil {
		w.emit(c.ID, reports.Event{Kind: reports.KindCaseEnded, CaseEnded: ended})
		w.engine.setVerdict(c.ID, ended.Verdict)
		return ctx, godog.ErrSkip
	}
	w.c, w.Endpoint, w.sights = c, w.engine.Endpoint, newSights()
	w.blank(1)
	if c.Long {
		ctx, w.cancel = context.WithCancel(ctx) // each of its parts has a deadline of its own
	} else {
		ctx, w.cancel = context.WithTimeout(ctx, w.CaseTimeout+waiting(*c, w.target))
	}
	w.emit(c.ID, reports.Event{Kind: reports.KindCaseStarted})
	w.enlist()
	if c.Requests > 0 {
		w.readAll(ctx, "before")
	}
	return ctx, nil
}

// blank gives the world nothing but the marker of a round and the baseline bundle.
func (w *world) blank(round int) {
	w.events, w.records, w.approved = map[string]string{}, map[string]string{}, map[string]bool{}
	w.readings, w.seen = map[string]map[scope][]targets.Reading{}, map[string]bool{}
	w.expect, w.notes = map[scope]judge.Expectation{}, map[string]bool{}
	w.originals, w.deleted, w.levels = map[string][]byte{}, map[scope]int{}, map[scope]targets.Level{}
	w.passage.over = map[string]bool{}
	w.domain = newDomain()
	w.freshMarker(round)
	w.bundle = targets.Bundle{Environment: "production", Tenant: "T1", Event: "E204", Record: "A18", Operation: mainOperation(w.target).Name}
	w.revision = "P3"
}

// enlist has the world's records counted once more at the end of the run.
func (w *world) enlist() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.worlds = append(w.worlds, w)
}

// freshMarker gives the case a marker that nothing else has, for its first round or a later one. All markers have one
// length, so that none is found within another.
func (w *world) freshMarker(round int) {
	index := slices.IndexFunc(w.Cases, func(c Case) bool { return c.ID == w.c.ID })
	w.marker = fmt.Sprintf("ic-%s-%04d-%04d", w.RunID, index, round)
	clear(w.events)
	w.contents = contents{}
}

// step carries out the current step. Whatever goes wrong is kept as evidence; the error only tells godog to skip the
// rest.
func (w *world) step(ctx context.Context) (err error) {
	s := w.current
	where := w.nextStep()
	defer func() {
		if p := recover(); p != nil {
			w.evidence.Errors = append(w.evidence.Errors, fmt.Sprintf("the step %q broke down: %v%s", s.Text, p, where))
			w.note(true, "%s", debug.Stack())
			err = errors.New("broken step")
		}
		text := ""
		if err != nil {
			text = err.Error() + where
		}
		w.emit(w.c.ID, reports.Event{Kind: reports.KindStep, Step: &reports.Step{Text: s.Text, Err: text}})
	}()
	m, err := understand(w.language, s)
	if err != nil {
		return w.broken(ctx, s, err, where)
	}
	if m.Later {
		w.later = append(w.later, laterStep{s.Text, m})
		return nil
	}
	w.setup = s.Type == messages.PickleStepType_CONTEXT && m.Verb.Name != "complete"
	return w.broken(ctx, s, w.rows[m.Verb.Name].do(ctx, w, w.filled(m)), where)
}

// broken sorts the error of a step: what was asked could not be tried, or idemcheck itself failed.
func (w *world) broken(ctx context.Context, s *godog.Step, err error, where string) error {
	if err == nil {
		return nil
	}
	var st *stop
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		w.evidence.Unclear = append(w.evidence.Unclear, fmt.Sprintf("the case took longer than %s", w.CaseTimeout))
	case ctx.Err() != nil:
		w.evidence.Unclear = append(w.evidence.Unclear, "interrupted")
	case errors.As(err, &st) && st.verdict == reports.Inconclusive, s.Type == messages.PickleStepType_CONTEXT:
		w.evidence.Unclear = append(w.evidence.Unclear, err.Error())
	default:
		w.evidence.Errors = append(w.evidence.Errors, err.Error()+where)
	}
	return err
}

// end counts everything once more, whatever has happened before, and gives the verdict.
func (w *world) end(ctx context.Context) {
	if w.c == nil || w.ended {
		return
	}
	w.ended = true
	defer func() {
		// A panic in an after-hook would end the process.
		if p := recover(); p != nil {
			w.evidence.Errors = append(w.evidence.Errors, fmt.Sprintf("the last count broke down: %v", p))
			w.finish()
		}
	}()
	w.cancel()
	w.raise(ctx, w.Endpoint)
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if len(w.history) > 0 {
		w.setup = false
		w.judgeCounts(rest, "at the end")
	}
	w.carryOutLater(rest)
	for _, undo := range w.undo {
		undo(rest)
	}
	w.finish()
}

func (w *world) finish() {
	w.evidence.Unclear = append(w.evidence.Unclear, w.distrust...)
	v, reason, broken := judge.Verdict(w.evidence)
	if v == reports.Pass {
		reason = w.summary()
	}
	if w.artifact != nil {
		w.artifact.Records = w.tallies
	}
	w.setVerdict(w.c.ID, v)
	if v == reports.Fail && broken == "" {
		w.liveWith(w.c.ID)
	}
	w.emit(w.c.ID, reports.Event{Kind: reports.KindCaseEnded, CaseEnded: &reports.CaseEnded{
		Verdict: v, Broken: broken, Reason: reason, Inferred: v == reports.Pass && w.inferred, Overlap: w.overlap,
		Records: w.tallies, Artifact: w.artifact,
	}})
	for _, c := range append(w.parts, w) {
		c.forget()
	}
	w.parts = nil
}

// forget drops what was sent and answered, of which only what the count after the last case asks for is kept: the memory
// that a run takes must not grow with what its cases have seen. The reports have it.
func (w *world) forget() {
	for _, sc := range w.scopes {
		w.expect[sc] = w.expected(sc) // which tells requests apart by their payloads
	}
	w.said, w.history = w.heard(), nil
	w.readings = map[string]map[scope][]targets.Reading{"before": w.readings["before"]}
	w.originals, w.payloads, w.captured, w.later, w.undo, w.swept = nil, nil, nil, nil, nil, nil
}
