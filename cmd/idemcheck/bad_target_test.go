//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// with gives the site with a target file in which something is other than it should be.
func (s site) with(t *testing.T, pairs ...string) site {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../targets/examples", s.file))
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(text), pairs[i])
	}
	s.file = filepath.Join(t.TempDir(), "orders.yaml")
	require.NoError(t, os.WriteFile(s.file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600))
	return s
}

// notRun expects one clear message, that no case was run, and exit 3.
func (s site) notRun(t *testing.T, words ...string) {
	t.Helper()
	c := s.start(t)
	assert.Equal(t, exitUnsure, c.end(t), "%s", c.printed(t))
	r := c.report(t)
	require.NotNil(t, r.Preflight)
	for _, w := range words {
		assert.Contains(t, r.Preflight.Reason, w)
	}
	assert.Contains(t, c.printed(t), "the target could not be tried")
	assert.NotContains(t, c.printed(t), "goroutine")
	assert.NotZero(t, r.Summary.NotRun)
	assert.Equal(t, r.Summary.Cases, r.Summary.NotRun+r.Summary.NotApplicable, "%+v", r.Summary)
	assert.Empty(t, s.left(t, c.Process.Pid))
}

const processReady = "    ready: GET /healthz\n"

// TestBadProcess: what is wrong with a target that idemcheck starts is said once, in its own last words.
func TestBadProcess(t *testing.T) {
	t.Parallel()
	closed := closedPort(t)
	for name, row := range map[string]struct {
		change []string
		words  []string
	}{
		"program": {[]string{"${ORDERS_BIN:-../../dist/orders}", "./nowhere/orders"}, []string{"open orders-process: start target: ", "there is no program ./nowhere/orders"}},
		"ends":    {[]string{"VARIANT: ${ORDERS_VARIANT:-sound}", "VARIANT: sturdy"}, []string{"it ended before it was ready (exit status 1)", `unknown variant "sturdy"`}},
		"not open": {[]string{processReady, "    ready_within: 1s\n", "127.0.0.1:{{port}}", "127.0.0.1:0"},
			[]string{"not ready within 1s (no connection to 127.0.0.1:", "its last lines:\norders (", "listens on "}},
		"sick": {[]string{processReady, "    ready: GET /health\n    ready_within: 1s\n"}, []string{"not ready within 1s (GET /health answers 404)"}},
		"no database": {[]string{processReady, processReady + "    ready_within: 1s\n", "DATABASE_URL: ${ORDERS_DATABASE_URL:-postgres://orders:secret@127.0.0.1:5432",
			"DATABASE_URL: ${NO_DATABASE_URL:-postgres://orders:secret@" + closed}, []string{"not ready within 1s (GET /healthz answers 503)", "make the tables"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			processSite(t, "sound").with(t, row.change...).notRun(t, row.words...)
		})
	}
}

// TestUnreachableObserver: the target runs and nothing can be counted, so that no case can tell anything.
func TestUnreachableObserver(t *testing.T) {
	t.Parallel()
	s := processSite(t, "sound").with(t, "      dsn: ${ORDERS_DATABASE_URL:-postgres://orders:secret@127.0.0.1:5432", "      dsn: ${NO_DATABASE_URL:-postgres://orders:secret@"+closedPort(t))
	c := s.start(t)
	assert.Equal(t, exitUnsure, c.end(t), "%s", c.printed(t))
	r := c.report(t)
	assert.Regexp(t, `^the observer orders cannot count: query postgres: [^\n]*connection refused`, r.Preflight.Reason)
	assert.Equal(t, r.Summary.Cases, r.Summary.Inconclusive+r.Summary.NotApplicable, "%+v", r.Summary)
	assert.Empty(t, s.left(t, c.Process.Pid))
}

// TestWrongPassword: what the database says is shown, the password is not.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	s := processSite(t, "sound").with(t, processReady, processReady+"    ready_within: 1s\n", "DATABASE_URL: ${ORDERS_DATABASE_URL:-", "DATABASE_URL: ${WRONG_URL:-")
	wrong := strings.Replace(os.Getenv("IDEMCHECK_TEST_POSTGRES"), ":secret@", ":wr0ng-password@", 1)
	s.environ = append(s.environ, "WRONG_URL="+wrong)
	s.notRun(t, "GET /healthz answers 503", "password authentication failed")
}

// TestNoSteps: a target that does not go through the proxy is found out, and no sweep passes.
func TestNoSteps(t *testing.T) {
	t.Parallel()
	s := processSite(t, "sound").with(t, "{{port}}\"]", "{{port}}\", -database, \"${ORDERS_DATABASE_URL}\"]")
	c := s.start(t, "--only", "crash,crash-disconnect,crash-host,crash-database-cut,database-unavailable")
	assert.Equal(t, exitUnsure, c.end(t), "%s", c.printed(t))
	r := c.report(t)
	for _, id := range []string{"crash", "crash-disconnect", "crash-host", "crash-database-cut"} {
		got := caseOf(t, r, id)
		assert.Equal(t, reports.Inconclusive, got.Verdict, id)
		assert.Contains(t, got.Reason, "no step of the request was seen (statements of the target to its database (postgres)); does the target take another way to its database?")
	}
	assert.Equal(t, reports.Inconclusive, caseOf(t, r, "database-unavailable").Verdict)
}

// TestBadContainer is the same for a target in containers.
func TestBadContainer(t *testing.T) {
	t.Parallel()
	const image, ready = "image: ${ORDERS_IMAGE:-idemcheck-orders:latest}\n", "    ready: GET /healthz\n"
	for name, row := range map[string]struct {
		change []string
		words  []string
	}{
		"image":    {[]string{image, "image: idemcheck.invalid/orders:1\n"}, []string{"idemcheck.invalid/orders:1 is not on this machine and cannot be pulled"}},
		"port":     {[]string{ready, "    ready_within: 1s\n", "port: 8080", "port: 8081"}, []string{"not ready within 1s (port 8081 takes no connections); its last lines:\n"}},
		"sick":     {[]string{ready, "    ready: GET /health\n    ready_within: 1s\n"}, []string{"not ready within 1s (GET /health answers 404); its last lines:\n"}},
		"ends":     {[]string{"VARIANT: ${ORDERS_VARIANT:-sound}", "VARIANT: sturdy"}, []string{"it ended before it was ready (exit code 1)", `unknown variant "sturdy"`}},
		"password": {[]string{ready, ready + "    ready_within: 2s\n", "secret@database", "wr0ng@database"}, []string{"GET /healthz answers 503", "password authentication failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			containerSite(t, "sound").with(t, row.change...).notRun(t, row.words...)
		})
	}
}

// TestNoEngine: without Docker nothing is run, and it is said where an engine was looked for.
func TestNoEngine(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"unix://" + filepath.Join(t.TempDir(), "docker.sock"), "tcp://" + closedPort(t)} {
		s := site{"orders-postgres.yaml", []string{"DOCKER_HOST=" + host}, func(*testing.T, int) []string { return nil }}
		s.notRun(t, "no Docker engine answers at "+host, "is it started? if it listens elsewhere, set DOCKER_HOST")
	}
}

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
