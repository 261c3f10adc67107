//go:build unix

package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/hooks"
)

// staging is an orders API that somebody else has started, and that its owner's scripts crash and start again. It was told
// to look for its database at idemcheck's proxy.
func staging(t *testing.T, variant string) *targets.Target {
	t.Helper()
	o := newOrders(t, variant)
	folder := t.TempDir()
	port, proxy := lowPort(t), lowPort(t)
	dsn, err := url.Parse(o.dsn)
	require.NoError(t, err)
	upstream := dsn.Host
	dsn.Host = proxy
	script := fmt.Sprintf("VARIANT=%s DATABASE_URL='%s' %s -addr %s >log 2>&1 & echo $! >pid\n", variant, dsn, o.program, port)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "restart.sh"), []byte(script), 0o600))
	kill := "kill -9 $(cat pid)"
	require.NoError(t, inShell(folder, "sh restart.sh"))
	t.Cleanup(func() { assert.NoError(t, inShell(folder, kill)) })
	target := o.target(t, nil)
	target.File, target.URL = filepath.Join(folder, "orders.yaml"), "http://"+port
	target.Run = &targets.Run{
		Hooks: &targets.Hooks{
			Crash: targets.Strings{kill + "; while kill -0 $(cat pid) 2>/dev/null; do :; done"}, Restart: targets.Strings{"sh restart.sh"}, Ready: "GET /healthz",
		},
		CrashPoints: &targets.CrashPoints{Through: &targets.Through{Listen: proxy, Upstream: upstream, Protocol: "postgres"}},
	}
	return target
}

func inShell(folder, command string) error {
	cmd := exec.CommandContext(context.Background(), "sh", "-c", command)
	cmd.Dir = folder
	return cmd.Run()
}

func lowPort(t *testing.T) string {
	t.Helper()
	port, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// rehearse runs the crash cases.
func rehearse(t *testing.T, target *targets.Target) reports.Report {
	t.Helper()
	e, err := hooks.Open(t.Context(), target)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	return check(t, e, "crash", "crash-disconnect", "crash-first-byte", "crash-swept", "crash-after-answer", "database-unavailable")
}

// TestStaging sweeps a target that is crashed by its owner's commands.
func TestStaging(t *testing.T) {
	t.Parallel()
	for variant, want := range map[string][]string{
		"sound":             nil,
		"two-transactions":  {orderStep + ":after duplicate"},
		"stuck-in-progress": {claimStep + ":after stuck", beginStep + ":after stuck", orderStep + ":after stuck", updateStep + ":after stuck"},
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, staging(t, variant))
			assert.Equal(t, want, broken(caseOf(t, r, "crash")), "%+v", caseOf(t, r, "crash"))
			if want == nil {
				assert.Equal(t, exitOK, r.Outcome.Exit, r.Outcome.Reason)
				return
			}
			assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
		})
	}
}

// TestACrashThatDoesNothing: a command that ends well and crashes nobody is no evidence, and nothing passes by it.
func TestACrashThatDoesNothing(t *testing.T) {
	t.Parallel()
	target := staging(t, "two-transactions")
	target.Run.Hooks.Crash, target.Run.Hooks.Restart = targets.Strings{"echo nobody to be killed"}, nil
	r := rehearse(t, target)
	for _, id := range []string{"crash", "crash-first-byte", "crash-swept", "crash-after-answer"} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.Inconclusive, c.Verdict, "%s: %s %+v", id, c.Reason, c.Findings)
	}
	assert.True(t, strings.Contains(caseOf(t, r, "crash").Reason, "lived on"), caseOf(t, r, "crash").Reason)
}
