package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// What a target file leaves open.
const (
	defaultTimeout     = time.Minute
	defaultReadyWithin = 2 * time.Minute
	readyInterval      = 100 * time.Millisecond // somebody else's platform is not asked more often
)

// hooks are what can be done to one target.
type hooks struct {
	target  *targets.Target
	section *targets.Hooks
	folder  string // where the commands run
	ready   targets.Readiness
	out     *output
	turn    chan struct{} // holds one token: one command at a time
}

// Open gives the endpoint of a target that runs already at its URL and has a `run.hooks` section. Kill runs the crash
// command, Restart the restart command if there is one, and waits until the target is ready again. The commands run in
// the folder of the target file, with idemcheck's environment and that of the section. The context bounds the opening
// only.
//
// Without that section nothing can be done to the target but what its crash points allow. Those are the target's own, or
// those of a proxy to which the target was told to turn; then Open waits until the target is ready.
func Open(ctx context.Context, t *targets.Target) (*targets.Endpoint, error) {
	e := &targets.Endpoint{Target: t, URL: strings.TrimRight(t.URL, "/"), Replicas: t.Replicas, About: "a running service"}
	if err := open(ctx, t, e); err != nil {
		return nil, errors.Join(redacted(t, fmt.Errorf("open %s: %w", t.Name, err)), e.Close())
	}
	return e, nil
}

// open fills in the endpoint, with whatever must be undone.
func open(ctx context.Context, t *targets.Target, e *targets.Endpoint) error {
	options, err := targets.SenderOptionsFor(t, e.URL)
	if err != nil {
		return err
	}
	e.Sender = targets.NewSender(options)
	options.Rate = 0 // asking whether it is ready is no part of the run
	aside := targets.NewSender(options)
	section := t.Run.Hooks
	if section == nil { // only its crash points are known
		section = &targets.Hooks{}
	}
	h := &hooks{target: t, section: section, folder: filepath.Dir(t.File), turn: make(chan struct{}, 1)}
	if h.ready, err = readiness(aside, e.URL, h.section); err != nil {
		return err
	}
	if h.out, err = newOutput(); err != nil {
		return err
	}
	e.OnClose(h.out.Close)
	for name, value := range h.section.Env {
		if targets.SecretName(name) {
			t.Secrets.Add(value) // a command may print its environment
		}
	}
	if t.Run.Hooks != nil {
		e.Kill, e.Restart, e.Logs = h.kill, h.restart, h.logs
		e.About += " that its owner's commands crash"
		e.Hearsay = true
	}
	return h.offerPoints(ctx, e, aside)
}

// readiness is how one waits for the target.
func readiness(aside *targets.Sender, base string, section *targets.Hooks) (targets.Readiness, error) {
	ask, err := targets.Answers(aside, base, section.Ready)
	wait := targets.Readiness{Ask: ask, Within: section.ReadyWithin.Std(), Every: readyInterval}
	if wait.Within <= 0 {
		wait.Within = defaultReadyWithin
	}
	return wait, err
}

// offerPoints adds the crash points that the file describes.
func (h *hooks) offerPoints(ctx context.Context, e *targets.Endpoint, aside *targets.Sender) error {
	c := h.target.Run.CrashPoints
	switch {
	case c == nil:
		return nil
	case c.Named != nil:
		e.Points = crash.NewNamed(c.Named, aside.Send, e.URL, h.target.Headers)
		return nil
	case c.Through == nil:
		return nil
	case c.Through.Listen == "" || c.Through.Upstream == "":
		return errors.New("run.crash_points.through: a target that runs already needs listen and upstream")
	}
	// The proxy lives until the endpoint is closed: after an interrupt the target still needs its database for whatever is
	// cleaned up.
	proxy, err := crash.Start(context.WithoutCancel(ctx), crash.Options{
		Upstream: c.Through.Upstream, Protocol: crash.Protocol(c.Through.Protocol), Listen: c.Through.Listen,
	})
	if err != nil {
		return err
	}
	e.OnClose(proxy.Close)
	e.Points, e.RefuseStore = proxy.Points(), proxy.Refuse
	return h.await(ctx) // without the proxy it had no database
}

// kill runs the crash command.
func (h *hooks) kill(ctx context.Context) error {
	if err := h.run(ctx, h.section.Crash); err != nil {
		return redacted(h.target, fmt.Errorf("crash the target: %w", err))
	}
	return nil
}

// restart brings the target back, or waits until it has come back by itself.
func (h *hooks) restart(ctx context.Context) error {
	if len(h.section.Restart) > 0 {
		if err := h.run(ctx, h.section.Restart); err != nil {
			return redacted(h.target, fmt.Errorf("restart the target: %w", err))
		}
	}
	if err := h.await(ctx); err != nil {
		return redacted(h.target, fmt.Errorf("restart the target: %w", err))
	}
	return nil
}

// await waits until the target is ready.
func (h *hooks) await(ctx context.Context) error {
	if err := h.ready.Await(ctx); err != nil {
		return fmt.Errorf("the target at %s is %w", h.target.Secrets.RedactURL(h.target.URL), err)
	}
	return nil
}

// logs is the end of what the commands have printed.
func (h *hooks) logs() string { return h.out.last(0, maxLogs, h.target.Secrets.Redact) }

// redacted takes the secrets out of an error's words and keeps what it wraps.
func redacted(t *targets.Target, err error) error {
	return &safeError{words: t.Secrets.Redact(err.Error()), err: err}
}

// safeError is an error whose words are without secrets.
type safeError struct {
	words string
	err   error
}

func (e *safeError) Error() string { return e.words }

func (e *safeError) Unwrap() error { return e.err }
