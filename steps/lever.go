package steps

import (
	"context"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// deleteArgs are the arguments of the verb delete.
type deleteArgs struct {
	As string `arg:"as" doc:"the attempt that created the record"`
}

func (w *world) deleteRecord(ctx context.Context, a deleteArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	if s.id == "" {
		return unclear("the answer to %q named no record that could be deleted", a.As)
	}
	vars := w.vars(s).With(targets.Vars{"id": s.id})
	if why := w.remove(ctx, createdRecord{Record: reports.Record{Operation: s.Operation, Namespace: s.namespace}, vars: vars}); why != "" {
		return unclear("the record %s could not be deleted: %s", s.id, why)
	}
	w.deleted[s.scope()]++
	return nil
}

// exhaustArgs are the arguments of the verb exhaust.
type exhaustArgs struct {
	Record string `arg:"target_record" doc:"a symbol for the target record"`
}

// exhaust reaches a limit. That it took effect is shown by a send under a key of its own, which must be refused.
func (w *world) exhaust(ctx context.Context, a exhaustArgs) error {
	base, headers := w.place("")
	s := &sent{bundle: w.bundle, revision: w.revision}
	s.bundle.Record = a.Record
	attempt, err := w.target.Exhaust.Build(base, headers, w.vars(s))
	if err != nil {
		return err
	}
	attempt.Name, attempt.Timeout = "limit", w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, attempt)
	w.showExchange(x, reports.PurposeSetup, "", "", "")
	if !x.Succeeded() {
		return unclear("the limit could not be set: %s", outcome(x))
	}
	probe, err := w.sendOne(ctx, sendArgs{As: "probe", Record: a.Record})
	if err != nil {
		return err
	}
	if probe.disposition != reports.Rejected {
		return unclear("the limit had no effect: a send under its own key was %s", probe.disposition)
	}
	return nil
}

// uncountedArgs are the arguments of the verb uncounted.
type uncountedArgs struct {
	Label string `arg:"label" doc:"the reading"`
}

// needUncounted is the evidence that a slow target was still at work when the reading was taken.
func (w *world) needUncounted(_ context.Context, a uncountedArgs) error {
	for _, list := range w.readings[a.Label] {
		for _, r := range list {
			if r.Err != "" || r.Count > 0 {
				return unclear("the reading %q was to show that the target was still at work, and shows %d (%s)", a.Label, r.Count, r.Err)
			}
		}
	}
	return nil
}

// letPassArgs are the arguments of the verb let_pass.
type letPassArgs struct{}

// letPass gives a slow attempt twice the time it was told to take.
func (w *world) letPass(ctx context.Context, _ letPassArgs) error {
	return w.Wait(ctx, 2*slowness)
}

// restartArgs are the arguments of the verb restart.
type restartArgs struct{}

func (w *world) restart(ctx context.Context, _ restartArgs) error {
	err := w.standsUp(ctx, w.Endpoint)
	w.fault("restarted", err)
	if err != nil {
		return unclear("the target could not be restarted: %v", err)
	}
	return nil
}
