package steps

import (
	"context"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// raisedWithin bounds how long a target that was left dead is waited for.
const raisedWithin = 40 * time.Second

// strikeDown kills the target, and notes that it is down until it was restarted.
func (w *world) strikeDown(ctx context.Context) error {
	w.mu.Lock()
	if w.down == nil {
		w.engine.down = map[*targets.Endpoint]bool{}
	}
	w.down[w.Endpoint] = true
	w.mu.Unlock()
	return w.Endpoint.Kill(ctx)
}

// holdOpen opens a request and keeps its last byte back. The function that it gives sends that after a kill: a request that
// gets no answer then is the evidence that the target has died.
func (w *world) holdOpen(ctx context.Context) (died func(context.Context) error, err error) {
	attempt, err := targets.Request{Line: "GET /"}.Build(w.Endpoint.URL, w.target.Headers, nil)
	if err != nil {
		return nil, err
	}
	attempt.Name, attempt.Timeout = "held open", w.target.Timeout.Std()
	held := w.Endpoint.Sender.Prepare(ctx, attempt)
	return func(ctx context.Context) error {
		held.Release()
		x := held.Finish(ctx)
		w.showExchange(x, reports.PurposeSetup, "", "", "")
		switch {
		case x.Answered() && !byGateway(x.Status):
			return unclear("the crash had no effect, the target lived on: a request that was open meanwhile was answered %s", statusText(x.Status))
		case x.Connected.IsZero():
			return unclear("that the target lived before it was killed could not be seen: %s", x.Err)
		}
		return nil
	}, nil
}

// standsUp starts an instance again.
func (e *engine) standsUp(ctx context.Context, instance *targets.Endpoint) error {
	err := instance.Restart(ctx)
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.down, instance)
	}
	return err
}

// raise starts an instance that was killed and left dead because its history was cut off: by ^C, by the end of its time.
// Whatever comes after, be it the next point or the clean-up, needs it alive. That it does not come up is seen then.
func (e *engine) raise(ctx context.Context, instance *targets.Endpoint) {
	e.mu.Lock()
	down := e.down[instance]
	e.mu.Unlock()
	if !down || instance.Restart == nil {
		return
	}
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), raisedWithin)
	defer cancel()
	_ = e.standsUp(rest, instance)
}
