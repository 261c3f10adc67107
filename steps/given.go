package steps

import (
	"context"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// bundleArgs are the arguments of the verb bundle.
type bundleArgs struct {
	As          string `arg:"as" doc:"a name for this bundle, by which steps choose it; without one it becomes the case's own"`
	Environment string `arg:"environment" doc:"production"`
	Tenant      string `arg:"tenant" doc:"a symbol for the tenant"`
	Event       string `arg:"event" doc:"a symbol for the source event"`
	Record      string `arg:"target_record" doc:"a symbol for the target record"`
	Revision    string `arg:"payload_revision" doc:"the payload revision"`
}

func (w *world) setBundle(_ context.Context, a bundleArgs) error {
	b := w.bundle
	b.Environment = pick(a.Environment, b.Environment)
	b.Tenant = pick(a.Tenant, b.Tenant)
	b.Event, b.Record = pick(a.Event, b.Event), pick(a.Record, b.Record)
	revision := pick(a.Revision, w.revision)
	if a.As != "" {
		w.bundles[a.As] = namedBundle{b, revision}
		return nil
	}
	w.bundle, w.revision = b, revision
	return nil
}

// approveArgs are the arguments of the verb approve.
type approveArgs struct {
	Event     string `arg:"event" doc:"a symbol for the source event"`
	Record    string `arg:"target_record" doc:"a symbol for the target record"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where, in place of the target's own namespace"`
}

// approve has an event approved for a record. A target that knows no approvals needs none.
func (w *world) approve(ctx context.Context, a approveArgs) error {
	if w.target.Approve == nil {
		return nil
	}
	s := &sent{bundle: w.bundle, revision: w.revision, namespace: a.Namespace}
	s.bundle.Event, s.bundle.Record = pick(a.Event, s.bundle.Event), pick(a.Record, s.bundle.Record)
	base, headers := w.place(a.Namespace)
	attempt, err := w.target.Approve.Build(base, headers, w.vars(s))
	if err != nil {
		return err
	}
	attempt.Name, attempt.Timeout = "approval", w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, attempt)
	w.showExchange(x, "setup", a.Namespace, "", "")
	if !x.Succeeded() {
		return unclear("the event %s could not be approved for %s: %s", s.bundle.Event, s.bundle.Record, outcome(x))
	}
	w.approved[a.Namespace+"/"+s.bundle.Event+"/"+s.bundle.Record] = true
	return nil
}

// approval says in words what the target was told about an attempt.
func (w *world) approval(s *sent) string {
	switch {
	case w.target.Approve == nil:
		return "the target knows no approvals"
	case w.approved[s.namespace+"/"+s.bundle.Event+"/"+s.bundle.Record]:
		return "approved"
	}
	return "not approved"
}

// completeArgs are the arguments of the verb complete.
type completeArgs struct {
	As string `arg:"as" doc:"a name for the attempt; default: baseline"`
}

// complete has the baseline completed. If that does not work, nothing can be said about what comes after; but a success
// that left no record, or two, is a finding already.
func (w *world) complete(ctx context.Context, a completeArgs) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	s, err := w.sendOne(ctx, sendArgs{As: pick(a.As, "baseline")})
	if err != nil {
		return err
	}
	if s.disposition != reports.Created {
		return unclear("the baseline could not be completed: %s", outcome(s.Exchange))
	}
	w.expect[s.scope()] = judge.Exactly(1)
	w.judgeCounts(ctx, "after the baseline")
	if len(w.evidence.Findings) > 0 {
		return unclear("the baseline itself went wrong")
	}
	return nil
}

// outcome says in words what came back.
func outcome(x targets.Exchange) string {
	if !x.Answered() {
		return x.Method + " " + pathOf(x.URL) + " had no answer (" + string(x.Failure) + "): " + x.Err
	}
	return x.Method + " " + pathOf(x.URL) + " answered " + statusText(x.Status) + snippet(x.Content)
}
