package steps

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// keep notes a created record for the clean-up.
func (e *engine) keep(r createdRecord) {
	e.mu.Lock()
	e.created = append(e.created, r)
	e.mu.Unlock()
	e.emit(r.Case, reports.Event{Kind: reports.KindRecordCreated, Record: &r.Record})
}

// cleanUp removes what the run created, as far as the target file says how; what is left is listed. It includes records
// that no answer named but an observer showed.
func (e *engine) cleanUp(ctx context.Context) (removed, left int) {
	e.adoptStrays()
	reasons := make([]string, len(e.created))
	e.sideBySide(len(e.created), func(i int) {
		r := e.created[i]
		if reasons[i] = e.remove(ctx, r); reasons[i] == "" {
			e.emit(r.Case, reports.Event{Kind: reports.KindRecordRemoved, Record: &r.Record})
		}
	})
	for i, r := range e.created { // in the order of their making
		if reasons[i] == "" {
			removed++
			continue
		}
		left++
		r.Record.Why = reasons[i]
		e.emit(r.Case, reports.Event{Kind: reports.KindRecordLeft, Record: &r.Record})
	}
	return removed, left
}

// sideBySide does something for each of n things, as many at once as cases may run.
func (e *engine) sideBySide(n int, do func(i int)) {
	var (
		next atomic.Int64
		all  sync.WaitGroup
	)
	for range min(max(1, e.Concurrency), n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// remove deletes one record; it gives the reason when it could not.
func (e *engine) remove(ctx context.Context, r createdRecord) string {
	op := e.target.Operations.Named(r.Operation)
	if op == nil || op.Delete == "" {
		where := "operations.<name>.delete"
		if e.target.OnlyReceives() {
			where = "receiver.delete"
		}
		return "the target file does not say how to delete it (" + where + ")"
	}
	base, headers := e.placeAt(e.Endpoint, r.Namespace)
	a, err := targets.Request{Line: op.Delete}.Build(base, headers, r.vars)
	if err != nil {
		return err.Error()
	}
	a.Name, a.Timeout = "clean-up", e.target.Timeout.Std()
	x := e.Endpoint.Sender.Send(ctx, a)
	if x.Succeeded() || x.Status == http.StatusNotFound || x.Status == http.StatusGone {
		return ""
	}
	return outcome(x)
}

// adoptStrays adds the records that observers showed and no answer named: those of lost answers, and duplicates.
func (e *engine) adoptStrays() {
	known := map[string]bool{}
	for _, r := range e.created {
		known[r.Operation+"/"+r.ID] = true
	}
	for _, w := range e.worlds {
		for _, p := range append(w.past, pastRound{w.marker, nil, w.tallies}) {
			e.adopt(w.c.ID, p, known)
		}
	}
}

// adopt adds the records that the counts of one round showed and that are not known yet.
func (e *engine) adopt(caseID string, p pastRound, known map[string]bool) {
	for _, t := range p.tallies {
		for _, id := range t.IDs {
			if t.SideEffect || known[t.Operation+"/"+id] {
				continue
			}
			known[t.Operation+"/"+id] = true
			e.keep(createdRecord{
				Record: reports.Record{ID: id, Operation: t.Operation, Namespace: t.Namespace, Case: caseID, Marker: p.marker},
				vars:   targets.Vars{"id": id, "marker": p.marker},
			})
		}
	}
}
