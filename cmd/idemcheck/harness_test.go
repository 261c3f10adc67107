package main

import (
	"context"
	"crypto/rand"
	"io/fs"
	"net"
	"path/filepath"
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
	s := &service{
		options: reference.Options{Path: filepath.Join(t.TempDir(), "reference.db"), Defects: defects, TestSwitches: true},
		addr:    "127.0.0.1:0",
	}
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
	return checkIn(t, e, features.FS, features.Paths(), only...)
}

// checkIn is check for other scenarios than the built-in features.
func checkIn(t *testing.T, e *targets.Endpoint, fsys fs.FS, paths []string, only ...string) reports.Report {
	t.Helper()
	all, err := steps.Plan(fsys, paths, "")
	require.NoError(t, err)
	cases, err := steps.Select(all, only, nil)
	require.NoError(t, err)
	id, err := runID()
	require.NoError(t, err)
	folder := reports.NewFolder()
	err = steps.Run(t.Context(), steps.Options{
		Features: fsys, Paths: paths, Cases: cases, Endpoint: e, Abilities: steps.Abilities{Restart: e.Restart != nil, Kill: e.Kill != nil},
		Stream: reports.NewStream(id, "", nil, folder), Folder: folder, RunID: id, Now: time.Now, Random: rand.Reader,
		Concurrency: 4, CaseTimeout: time.Minute, Wait: quickly,
	})
	require.NoError(t, err)
	return folder.Report()
}

// quickly waits as told, but never long: the reference asks for a second where a few milliseconds do.
func quickly(ctx context.Context, d time.Duration) error { return wait(ctx, min(d, slowest)) }

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
