package steps

import (
	"context"
	"net/http"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// onceMore are the arguments of the verb once_allowed.
type onceMore struct {
	As    string `arg:"as" doc:"a name for the retry"`
	KeyOf string `arg:"key_of" doc:"the attempt that was turned away"`
}

// retryTurnedAway sends again under the key of an attempt that was turned away, and waits as the target asks. What it
// answers at last stands in the history as what it is: that it would let others in is for a control to show.
func (w *world) retryTurnedAway(ctx context.Context, a onceMore) error {
	for try := 1; ; try++ {
		s, err := w.prepare(sendArgs{As: a.As, KeyOf: a.KeyOf})
		if err != nil {
			return err
		}
		if err := w.spend(s); err != nil {
			return err
		}
		s.situation = judge.Refused // so that a 429 is not waited out, and counts
		if err := w.deliver(ctx, s); err != nil {
			return err
		}
		w.follow(ctx, s)
		w.settleDisposition(s)
		w.show(s, reports.PurposeAttempt)
		if s.Status != http.StatusTooManyRequests && s.disposition != reports.InProgress || try == rateTries-1 {
			return nil
		}
		if err := w.Wait(ctx, retryAfter(s.Exchange, time.Second, 30*time.Second)); err != nil {
			return err
		}
	}
}

// relieveArgs are the arguments of the verb relieve.
type relieveArgs struct {
	Record string `arg:"target_record" doc:"a symbol for the target record"`
}

// relieve lifts a limit. That it took effect is shown by a send under a key of its own, which must create a record.
func (w *world) relieve(ctx context.Context, a relieveArgs) error {
	base, headers := w.place("")
	s := &sent{bundle: w.bundle, revision: w.revision}
	s.bundle.Record = a.Record
	if err := w.setUp(ctx, *w.target.Relieve, base, headers, w.vars(s), "limit lifted"); err != nil {
		return err
	}
	probe, err := w.sendOne(ctx, sendArgs{As: "admitted", Record: a.Record})
	if err != nil {
		return err
	}
	if probe.disposition != reports.Created {
		return unclear("lifting the limit had no effect: a send under its own key was %s", probe.disposition)
	}
	return nil
}

// revokeArgs are the arguments of the verb revoke.
type revokeArgs struct{}

// revoke takes a credential back. That it took effect is shown by a send under a key of its own, which must be answered
// 401 or 403. Once the case has ended the credential counts again, where the target file says how.
func (w *world) revoke(ctx context.Context, _ revokeArgs) error {
	base, headers := w.place("")
	c := revocable(w.target)
	vars := w.vars(&sent{bundle: w.bundle, revision: w.revision})
	if err := w.setUp(ctx, *c.Revoke, base, headers, vars, "revocation"); err != nil {
		return err
	}
	if c.Restore == nil {
		w.note(true, "the credential stays revoked: the target file does not say how to restore it (callers.<name>.restore)")
	} else {
		w.undo = append(w.undo, func(ctx context.Context) {
			if err := w.setUp(ctx, *c.Restore, base, headers, vars, "restoration"); err != nil {
				w.note(true, "%v", err)
			}
		})
	}
	probe, err := w.sendOne(ctx, sendArgs{As: "probe", Caller: "revocable"})
	if err != nil {
		return err
	}
	if probe.Status != http.StatusUnauthorized && probe.Status != http.StatusForbidden {
		return unclear("the revocation had no effect: a send under its own key was %s", outcome(probe.Exchange))
	}
	return nil
}

// setUp sends a request that changes the target's own state, and needs its success.
func (w *world) setUp(ctx context.Context, r targets.Request, base string, headers map[string]string, vars targets.Vars, name string) error {
	attempt, err := r.Build(base, headers, vars)
	if err != nil {
		return err
	}
	attempt.Name, attempt.Timeout = name, w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, attempt)
	w.showExchange(x, reports.PurposeSetup, "", "", "")
	if !x.Succeeded() {
		return unclear("the %s did not work: %s", name, outcome(x))
	}
	return nil
}

// deleteTwiceArgs are the arguments of the verb delete_twice.
type deleteTwiceArgs struct {
	As string `arg:"as" doc:"the attempt that created the record"`
}

// deleteTwice deletes a record and sends the same delete again under the same key: a replay of the first success.
func (w *world) deleteTwice(ctx context.Context, a deleteTwiceArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	if s.id == "" {
		return unclear("the answer to %q named no record that could be deleted", a.As)
	}
	var pair []*sent
	key := ""
	for _, name := range []string{"delete", "delete again"} {
		d, err := w.keyedDelete(ctx, s, name, key)
		if err != nil {
			return err
		}
		pair, key = append(pair, d), d.Key
	}
	first, again := pair[0], pair[1]
	if !first.Succeeded() {
		return unclear("the record %s could not be deleted: %s", s.id, outcome(first.told()))
	}
	w.deleted[s.scope()]++
	if again.Succeeded() {
		again.disposition = reports.Replayed // nothing can be made by it
	}
	return w.judgeAttempt(again, first, judge.Replay)
}

// keyedDelete sends a delete under a key; an empty one stands for a fresh key.
func (w *world) keyedDelete(ctx context.Context, of *sent, name, key string) (*sent, error) {
	base, headers := w.place(of.namespace)
	op := w.target.Operations.Named(of.Operation)
	attempt, err := targets.Request{Line: op.Delete}.Build(base, headers, w.vars(of).With(targets.Vars{"id": of.id}))
	if err != nil {
		return nil, err
	}
	if key == "" {
		if key, err = w.freshKey(of); err != nil {
			return nil, err
		}
	}
	if err := targets.Place(w.target.Profile.Key, key, &attempt); err != nil {
		return nil, err
	}
	attempt.Name, attempt.Timeout = name, w.target.Timeout.Std()
	s := &sent{bundle: of.bundle, namespace: of.namespace, Exchange: w.Endpoint.Sender.Send(ctx, attempt)}
	w.follow(ctx, s)
	s.disposition = judge.Disposition(s.Exchange, judge.Context{Profile: w.target.Profile, Held: w.target.Held, KeyUsed: true, SameAs: true, Resolved: true,
		Job: s.job, Result: s.result})
	w.show(s, reports.PurposeAttempt)
	return s, nil
}
