package main

import (
	"context"
	"crypto/rand"
	"io/fs"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// service is an instance of the reference API within this process: quicker to start than a child, and it can be
// restarted.
type service struct {
	options reference.Options
	addr    string
	stop    func()
	replica *service // another instance on the same data
}

func startService(t *testing.T, defects ...string) *service {
	t.Helper()
	return startServiceWith(t, reference.Options{Defects: defects})
}

// startServiceWith is startService with other options.
func startServiceWith(t *testing.T, o reference.Options) *service {
	t.Helper()
	o.Path, o.TestSwitches = filepath.Join(t.TempDir(), "reference.db"), true
	s := &service{options: o, addr: "127.0.0.1:0"}
	s.replica = &service{options: s.options, addr: s.addr}
	for _, one := range []*service{s, s.replica} {
		require.NoError(t, one.start())
		t.Cleanup(func() { one.stop() })
	}
	return s
}

func (s *service) start() error {
	api, err := reference.New(s.options)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	s.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- api.Serve(ctx, l) }()
	s.stop = func() {
		cancel()
		<-served
		_ = api.Close()
	}
	return nil
}

func (s *service) restart(context.Context) error {
	s.stop()
	s.stop = func() {} // should it not start again
	return s.start()
}

// endpoint opens the service as the embedded target is opened, with changes to its target file.
func (s *service) endpoint(t *testing.T, change func(*targets.Target)) *targets.Endpoint {
	t.Helper()
	target, err := embedded()
	require.NoError(t, err)
	target.URL = "http://" + s.addr
	target.Replicas = []string{"http://" + s.replica.addr}
	target.Settles = targets.Duration(2 * time.Second)
	if change != nil {
		change(target)
	}
	e, err := openHooks(t.Context(), target, nil)
	require.NoError(t, err)
	e.Restart = s.restart
	return e
}

// childEndpoint starts the reference API in processes of its own, so that it can be killed.
func childEndpoint(t *testing.T, defects ...string) *targets.Endpoint {
	t.Helper()
	target, err := embedded()
	require.NoError(t, err)
	target.Settles = targets.Duration(2 * time.Second)
	e, err := openReference(t.Context(), target, installed(t), defects)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e
}

// check runs the cases that the globs select and gives the report.
func check(t *testing.T, e *targets.Endpoint, only ...string) reports.Report {
	t.Helper()
	return checkWith(t, e, func(*steps.Options) {}, only...)
}

// checkWithin is check with a longest time for each case.
func checkWithin(t testing.TB, e *targets.Endpoint, within time.Duration, only ...string) reports.Report {
	t.Helper()
	return checkWith(t, e, func(o *steps.Options) { o.CaseTimeout = within }, only...)
}

// checkWith is check with other options.
func checkWith(t testing.TB, e *targets.Endpoint, change func(*steps.Options), only ...string) reports.Report {
	t.Helper()
	folder := reports.NewFolder()
	checkAll(t, e, folder, nil, change, only...)
	return folder.Report()
}

// checkInto is checkWithin with a folder of the caller's, and gives the events to another sink as well.
func checkInto(t testing.TB, e *targets.Endpoint, within time.Duration, folder *reports.Folder, also reports.Sink, only ...string) {
	t.Helper()
	checkAll(t, e, folder, also, func(o *steps.Options) { o.CaseTimeout = within }, only...)
}

// checkIn is check for other scenarios than the built-in features.
func checkIn(t testing.TB, e *targets.Endpoint, fsys fs.FS, paths []string, only ...string) reports.Report {
	t.Helper()
	return checkWith(t, e, func(o *steps.Options) { o.Features, o.Paths = fsys, paths }, only...)
}

// builtIn plans the built-in features once: hundreds of runs here are of these.
var builtIn = sync.OnceValues(func() ([]steps.Case, error) { return steps.Plan(features.FS, features.Paths(), "") })

func checkAll(t testing.TB, e *targets.Endpoint, folder *reports.Folder, also reports.Sink, change func(*steps.Options), only ...string) {
	t.Helper()
	o := steps.Options{Features: features.FS, Paths: features.Paths(), Endpoint: e, Folder: folder, Now: time.Now, Random: rand.Reader,
		Abilities:   steps.Abilities{Restart: e.Restart != nil, Kill: e.Kill != nil},
		Concurrency: 4, CaseTimeout: time.Minute, Wait: quickly}
	change(&o)
	all, err := builtIn()
	if o.Features != features.FS {
		all, err = steps.Plan(o.Features, o.Paths, "")
	}
	require.NoError(t, err)
	cases, err := steps.Select(all, only, nil)
	require.NoError(t, err)
	id, err := runID()
	require.NoError(t, err)
	sinks := []reports.Sink{folder}
	if also != nil {
		sinks = append(sinks, also)
	}
	o.Cases, o.RunID, o.Stream = cases, id, reports.NewStream(id, "", nil, sinks...)
	require.NoError(t, steps.Run(t.Context(), o))
}

// quickly waits as told, but never long: the reference asks for a second where a few milliseconds do.
func quickly(ctx context.Context, d time.Duration) error { return steps.Rest(ctx, min(d, slowest)) }

const slowest = 800 * time.Millisecond

func caseOf(t *testing.T, r reports.Report, id string) reports.Case {
	t.Helper()
	for _, c := range r.Cases {
		if c.ID == id {
			return c
		}
	}
	require.Failf(t, "no such case", "%s", id)
	return reports.Case{}
}

// assertPasses shows why a case did not pass.
func assertPasses(t *testing.T, c reports.Case) {
	t.Helper()
	assert.Equal(t, reports.Pass, c.Verdict, "%s: %s %+v %+v", c.ID, c.Reason, c.Findings, c.Notes)
}
