package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/container"
	"github.com/idempotency-conformance/idemcheck/targets/hooks"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// adapter is one way to open a target.
type adapter struct {
	name  string
	takes func(t *targets.Target, embedded bool) bool
	can   func(t *targets.Target) steps.Abilities
	open  func(ctx context.Context, t *targets.Target, s *selection) (*targets.Endpoint, error)
}

// adapters lists every way to open a target; the first that takes one opens it.
func adapters() []adapter {
	return []adapter{
		{"embedded", func(_ *targets.Target, embedded bool) bool { return embedded },
			always(steps.Abilities{Kill: true, Restart: true, Replicas: true}), openEmbedded},
		{"process", func(t *targets.Target, _ bool) bool { return t.Run != nil && t.Run.Process != nil },
			always(steps.Abilities{Kill: true, Restart: true}), openProcess},
		{"container", func(t *targets.Target, _ bool) bool { return t.Run != nil && t.Run.Container != nil },
			containerAbilities, openContainer},
		{"hooks", func(t *targets.Target, _ bool) bool { return t.Run != nil },
			hookAbilities, openHooks},
		{"url", func(*targets.Target, bool) bool { return true }, always(steps.Abilities{}), openURL},
	}
}

func always(a steps.Abilities) func(*targets.Target) steps.Abilities {
	return func(*targets.Target) steps.Abilities { return a }
}

// containerAbilities: the database can be restarted where it is one of the services.
func containerAbilities(t *targets.Target) steps.Abilities {
	return steps.Abilities{Kill: true, Restart: true, Replicas: t.Run.Container.Replicas > 1, RestartStore: container.RunsStore(t)}
}

func hookAbilities(t *targets.Target) steps.Abilities {
	return steps.Abilities{Kill: t.Run.Hooks != nil, Restart: t.Run.Hooks != nil}
}

// openContainer starts a target in the containers that its file describes.
func openContainer(ctx context.Context, t *targets.Target, _ *selection) (*targets.Endpoint, error) {
	return container.Open(ctx, t)
}

// openHooks opens a target that runs already and that its owner's commands can crash, or whose crash points are known.
func openHooks(ctx context.Context, t *targets.Target, _ *selection) (*targets.Endpoint, error) {
	return hooks.Open(ctx, t)
}

func adapterFor(t *targets.Target, embedded bool) adapter {
	for _, a := range adapters() {
		if a.takes(t, embedded) {
			return a
		}
	}
	panic("the last adapter takes every target")
}

// openURL opens a target that runs already.
func openURL(_ context.Context, t *targets.Target, _ *selection) (*targets.Endpoint, error) {
	return targets.OpenURL(t)
}

// openProcess starts a target as the child process that its file describes.
func openProcess(ctx context.Context, t *targets.Target, _ *selection) (*targets.Endpoint, error) {
	return process.Open(ctx, t)
}

// openEmbedded starts this very program as the reference API, so that it can really be killed.
func openEmbedded(ctx context.Context, t *targets.Target, s *selection) (*targets.Endpoint, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start it as the reference API: %w", err)
	}
	return openReference(ctx, t, self, s.defects)
}

// openReference starts two instances of the reference API on the same data.
func openReference(ctx context.Context, t *targets.Target, program string, defects []string) (e *targets.Endpoint, err error) {
	data, err := process.OwnFolder("idemcheck-reference-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the data: %w", err)
	}
	run := referenceRun(t, program, filepath.Join(data.Path, "reference.db"), defects)
	replica, err := process.Open(ctx, run)
	if err != nil {
		return nil, errors.Join(err, data.Remove())
	}
	run.Replicas, t.Replicas = []string{replica.URL}, []string{replica.URL}
	if e, err = process.Open(ctx, run); err != nil {
		return nil, errors.Join(err, replica.Close(), data.Remove())
	}
	// Undone in reverse: first the instances, then their data.
	whole := &targets.Endpoint{
		Target: t, URL: e.URL, Replicas: run.Replicas, Sender: e.Sender, Embedded: true, Loopback: true,
		About: "embedded reference target, " + e.About, Kill: e.Kill, Restart: e.Restart, Logs: e.Logs, Points: e.Points, Another: e.Another,
	}
	whole.OnClose(data.Remove)
	whole.OnClose(replica.Close)
	whole.OnClose(e.Close)
	if len(defects) > 0 {
		whole.About += ", broken on purpose: " + strings.Join(defects, ", ")
	}
	return whole, nil
}

// embeddedLease is shorter than the reference's own default, so that the cases that wait for it end soon.
const embeddedLease = 500 * time.Millisecond

// embeddedLanes is how many instances are swept at once: most of the time goes into waiting for a dead owner's lease.
const embeddedLanes = 3

// referenceRun is the target file of the reference API with the command that starts it.
func referenceRun(t *targets.Target, program, file string, defects []string) *targets.Target {
	command := []string{program, "serve", "--addr", "127.0.0.1:{{port}}", "--test-switches", "--data", file, "--lease", embeddedLease.String()}
	for _, d := range defects {
		command = append(command, "--defect", d)
	}
	t.Lock = targets.Duration(embeddedLease)
	run := *t
	run.URL = ""
	run.Run = &targets.Run{Process: &targets.Process{Command: command, Ready: "GET /healthz"}}
	if t.Run != nil {
		run.Run.CrashPoints = t.Run.CrashPoints
		run.Run.CrashPoints.Parallel = embeddedLanes
	}
	return &run
}
