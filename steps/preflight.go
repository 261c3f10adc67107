package steps

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// preflight proves the observers before anything is judged: an unused marker counts 0, and two creates that share only
// the marker count 1, then 2. Two ids answered but fewer counted: the observer is not trusted. One id answered for
// both: the target collapses everything.
func (e *engine) preflight(ctx context.Context) reports.Preflight {
	w := &world{engine: e, Endpoint: e.Endpoint, c: &Case{ID: "", Level: targets.Must}, events: map[string]string{}, records: map[string]string{},
		approved: map[string]bool{}, readings: map[string]map[scope][]targets.Reading{}, seen: map[string]bool{},
		notes: map[string]bool{}, originals: map[string][]byte{}}
	w.marker = "ic-" + e.RunID + "-prove"
	w.bundle = targets.Bundle{Environment: "production", Tenant: "T1", Event: "EP1", Record: "A18"}
	w.revision = "PF1"
	p := e.prove(ctx, w)
	if !p.Stop && !p.Trusted && e.target.Secrets != nil {
		p.Reason = e.target.Secrets.Redact(p.Reason)
	}
	if p.Finding != nil {
		p.Trusted = true
	}
	e.emit("", reports.Event{Kind: reports.KindPreflight, Preflight: &p})
	return p
}

func (e *engine) prove(ctx context.Context, w *world) reports.Preflight {
	counts := e.preflightCounts(ctx, w, "unused marker")
	if why := counts.wrong(0); why != "" {
		if ctx.Err() != nil {
			return reports.Preflight{Stop: true, Reason: "interrupted"}
		}
		if out := e.unreachable(ctx); out != "" {
			return reports.Preflight{Stop: true, Reason: out}
		}
		return reports.Preflight{Counts: counts.first(), Reason: why}
	}
	all := counts.first()
	var ids []string
	var samples []judge.Sample
	for i, step := range []sendArgs{
		{As: "preflight one"},
		{As: "preflight two", Event: "EP2", Record: "A81", Revision: "PF2"},
	} {
		s, pre := e.preflightCreate(ctx, w, step)
		if pre != nil {
			pre.Counts, pre.IDs = all, ids
			return *pre
		}
		samples = append(samples, w.sample(ctx, s, i == 0))
		counts = e.preflightCounts(ctx, w, fmt.Sprintf("after %d", i+1))
		all = append(all, counts.first()...)
		ids = append(ids, s.id)
		collapsed := i == 1 && ids[0] != "" && ids[0] == ids[1]
		if collapsed {
			return reports.Preflight{Counts: all, IDs: ids, Finding: collapse(ids[0], all)}
		}
		if why := counts.wrong(i + 1); why != "" {
			return reports.Preflight{Counts: all, IDs: ids, Reason: why}
		}
	}
	e.volatile = judge.Volatile(samples[0], samples[1])
	return reports.Preflight{Trusted: true, Counts: all, IDs: slices.DeleteFunc(ids, func(s string) bool { return s == "" })}
}

// sample takes a create for what it tells about answers. With read, its record is read where the target file says how:
// what the record holds may not change in a replay.
func (w *world) sample(ctx context.Context, s *sent, read bool) judge.Sample {
	out := judge.Sample{Sent: s.Body, Answer: s.Content, ID: s.id}
	if read && s.id != "" && mainOperation(w.target).Read != "" {
		if x, err := w.readBack(ctx, s); err == nil && x.Succeeded() {
			out.Record = x.Content
		}
	}
	return out
}

// unreachable asks for the target's base URL, whatever it answers, to tell a target that is not there from an observer
// that cannot count.
func (e *engine) unreachable(ctx context.Context) string {
	a, err := targets.Request{Line: "GET /"}.Build(e.Endpoint.URL, e.target.Headers, nil)
	if err != nil {
		return ""
	}
	a.Timeout = e.target.Timeout.Std()
	x := e.Endpoint.Sender.Send(ctx, a)
	if x.Answered() {
		return ""
	}
	return e.target.Secrets.Redact(e.noAnswer(x))
}

func collapse(id string, counts []int) *reports.Finding {
	return &reports.Finding{
		Kind: reports.Lost, Question: reports.QuestionRecords, Level: targets.Must, Provenance: targets.Documented,
		Message:  "two creates that share nothing but a marker were answered with one record: the target collapses everything",
		Expected: "2 records with 2 ids", Found: fmt.Sprintf("1 id, counted %v", counts), IDs: []string{id},
	}
}

// preflightCreate has one record made. It gives the outcome instead when the target cannot be tried at all.
func (e *engine) preflightCreate(ctx context.Context, w *world, a sendArgs) (*sent, *reports.Preflight) {
	stopped := func(format string, args ...any) *reports.Preflight {
		text := fmt.Sprintf(format, args...)
		return &reports.Preflight{Stop: true, Reason: e.target.Secrets.Redact(text)}
	}
	w.firstKey = ""
	if e.target.OnlyReceives() {
		a.Operation = event
	}
	if err := w.approve(ctx, approveArgs{Event: a.Event, Record: a.Record}); err != nil {
		return nil, stopped("%v", err)
	}
	s, err := w.sendOne(ctx, a)
	switch {
	case ctx.Err() != nil:
		return nil, stopped("interrupted")
	case err != nil:
		return nil, stopped("%v", err)
	case !s.Answered() || s.Failure != targets.NoFailure:
		return nil, stopped("%s", e.noAnswer(s.Exchange))
	case s.disposition == reports.HeldBack:
		return nil, stopped("the create request is held for an approval, and the target file does not say how to approve (approve:)")
	case s.Status == http.StatusUnauthorized || s.Status == http.StatusForbidden:
		return nil, stopped("the target refuses the credential: %s", outcome(s.Exchange))
	case !s.Succeeded() && len(w.history) > 1 && unplaced(e.target.Profile.ContentFilter) && mayFilter(e.target.Profile.ContentFilter, s.told()):
		return nil, stopped("the second create request of the target file is refused: %s; %s", outcome(s.told()), whatItCompares(e.target.Profile.ContentFilter))
	case !s.Succeeded():
		return nil, stopped("the create request of the target file is refused: %s", outcome(s.told()))
	case s.id == "" && e.allWeak():
		return nil, stopped("the answer holds no record id at %q and there is no observer: nothing can be counted", mainOperation(e.target).ID)
	}
	return s, nil
}

// noAnswer says what to do about a target that gives no answer.
func (e *engine) noAnswer(x targets.Exchange) string {
	hints := map[targets.FailureKind]string{
		targets.FailureUnreachable: "the target is unreachable; is it running, and is the url right?",
		targets.FailureTLS:         "no trusted TLS connection; see tls.ca and tls.server_name in the target file",
		targets.FailureProxy:       "the proxy of the environment refused; see HTTP_PROXY and NO_PROXY",
		targets.FailureTimeout:     fmt.Sprintf("the target did not answer within %s (timeout: in the target file)", e.target.Timeout),
		targets.FailureProtocol:    "what answers is not an HTTP server",
		targets.FailureClosed:      "the target closed the connection without a whole answer",
	}
	text := outcome(x)
	if hint := hints[x.Failure]; hint != "" {
		text = hint + " (" + text + ")"
	}
	if e.Endpoint.Logs != nil {
		if log := strings.TrimSpace(e.Endpoint.Logs()); log != "" {
			text += "; its last output: " + log
		}
	}
	return text
}

func (e *engine) allWeak() bool {
	return !slices.ContainsFunc(e.watch, func(o watcher) bool { return !o.weak })
}

// preflightReadings are the readings of one stage, one for each observer of the main operation.
type preflightReadings []targets.Reading

func (e *engine) preflightCounts(ctx context.Context, w *world, label string) preflightReadings {
	var list preflightReadings
	sc := scope{mainOperation(e.target).Name, ""}
	for _, o := range e.watch {
		if o.operation == sc.operation {
			list = append(list, w.count(ctx, o, sc, label))
		}
	}
	return list
}

func (p preflightReadings) first() []int {
	if len(p) == 0 {
		return nil
	}
	return []int{p[0].Count}
}

// wrong says which observer does not count what it should; empty when all do.
func (p preflightReadings) wrong(want int) string {
	for _, r := range p {
		switch {
		case r.Err != "":
			return fmt.Sprintf("the observer %s cannot count: %s", r.Observer, r.Err)
		case r.Count != want && want == 0:
			return fmt.Sprintf("the observer %s is not to be trusted: it counts %d for a marker that was never used", r.Observer, r.Count)
		case r.Count != want:
			return fmt.Sprintf("the observer %s is not to be trusted: it counts %d after %d creates", r.Observer, r.Count, want)
		}
	}
	return ""
}
