package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// target is a target file of a role.
func target(as string) *targets.Target {
	return &targets.Target{
		Name: "orders", Secrets: targets.NewSecrets(),
		Run: &targets.Run{Process: &targets.Process{
			Command: targets.Strings{os.Args[0], "{{port}}", "{{dir}}/note"},
			Env:     map[string]string{role: as, "GREETING": "port {{port}}"},
			Ready:   "GET /healthz",
		}},
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	e, err := process.Open(t.Context(), target("serve"))
	require.NoError(t, err)
	defer e.Close()
	assert.True(t, strings.HasPrefix(e.URL, "http://127.0.0.1:"))
	port := strings.TrimPrefix(e.URL, "http://127.0.0.1:")
	assert.Equal(t, "port "+port, get(e.URL+"/env"))
	assert.Equal(t, "child process "+get(e.URL+"/pid"), e.About)
	assert.True(t, e.Loopback)
	assert.False(t, e.Embedded)
	x := e.Sender.Send(t.Context(), targets.Attempt{Method: "GET", URL: e.URL + "/healthz"})
	assert.Equal(t, 200, x.Status, x.Err)
	assert.Equal(t, 1, x.Conn, "questions whether it is ready are no part of the run")

	first := get(e.URL + "/pid")
	require.NoError(t, e.Kill(t.Context()))
	assert.Empty(t, get(e.URL+"/pid"))
	require.NoError(t, e.Restart(t.Context()))
	assert.NotEqual(t, first, get(e.URL+"/pid"))
	assert.Contains(t, e.Logs(), "serving on "+port)

	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	assert.Empty(t, get(e.URL+"/pid"))
}

func TestOpenAtTheTargetsOwnURL(t *testing.T) {
	t.Parallel()
	own := target("serve")
	own.URL = "http://localhost:{{port}}/v1/"
	own.Run.Process.Ready = ""
	e, err := process.Open(t.Context(), own)
	require.NoError(t, err)
	defer e.Close()
	assert.Regexp(t, `^http://localhost:\d+/v1$`, e.URL)
	assert.True(t, e.Loopback)
}

func TestOpenRemovesItsFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e, err := process.Open(t.Context(), target("serve"))
	require.NoError(t, err)
	made, err := filepath.Glob(filepath.Join(dir, "idemcheck-*"))
	require.NoError(t, err)
	assert.Len(t, made, 1)
	require.NoError(t, e.Close())
	assert.NoDirExists(t, made[0])
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for name, row := range map[string]struct {
		change func(*targets.Target)
		words  string
	}{
		"ends":    {func(*targets.Target) {}, "open orders: start target: it ended before it was ready (exit status 3)"},
		"command": {func(c *targets.Target) { c.Run.Process.Command[1] = "{{database}}" }, "run.process.command: {{database}} has no value here"},
		"env":     {func(c *targets.Target) { c.Run.Process.Env["DSN"] = "{{database}}" }, "run.process.env.DSN: {{database}}"},
		"ready":   {func(c *targets.Target) { c.Run.Process.Ready = "healthz" }, "ready: "},
		"url":     {func(c *targets.Target) { c.URL = "http://{{host}}" }, "url: {{host}}"},
		"tls":     {func(c *targets.Target) { c.TLS.CA = "missing.pem" }, "tls.ca: "},
		"never ready": {func(c *targets.Target) {
			c.Run.Process.Env[role] = "serve"
			c.Run.Process.Ready, c.Run.Process.ReadyWithin = "GET /missing", targets.Duration(time.Second)
		}, "start target: not ready within 1s (GET /missing answers 404); its last lines:\nserving on "},
	} {
		t.Run(name, func(t *testing.T) {
			broken := target("exit")
			broken.Secrets.Add("s3cret")
			row.change(broken)
			e, err := process.Open(t.Context(), broken)
			assert.Nil(t, e)
			assert.NoError(t, e.Close(), "a nil endpoint can be closed")
			assert.ErrorContains(t, err, row.words)
			assert.NotContains(t, err.Error(), "s3cret")
			left, globErr := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, globErr)
			assert.Empty(t, left)
		})
	}
}
