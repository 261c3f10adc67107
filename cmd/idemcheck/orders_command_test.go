//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// command is idemcheck as its user runs it, on one of the target files of the orders API.
type command struct {
	*exec.Cmd
	folder string // of its reports
	out    string // the file of what it prints
}

// site is a variant of the orders API for a run in one of the ways.
type site struct {
	file    string // of the target
	environ []string
	left    func(t *testing.T, owner int) []string // what the run with this process id has left
}

// sites are the ways. Where there is no database, or no engine, the test is skipped.
var sites = map[string]func(t *testing.T, variant string) site{"process": processSite, "container": containerSite}

// start begins a run with reports.
func (s site) start(t *testing.T, args ...string) *command {
	t.Helper()
	c := &command{folder: t.TempDir()}
	c.out = filepath.Join(c.folder, "output.txt")
	out, err := os.Create(c.out)
	require.NoError(t, err)
	defer out.Close()
	file := s.file
	if !filepath.IsAbs(file) {
		file, err = filepath.Abs(filepath.Join("../../targets/examples", file))
		require.NoError(t, err)
	}
	args = append([]string{"run", "--target", file, "--events", "events.ndjson", "--report", "json=report.json"}, args...)
	c.Cmd = exec.Command(installed(t), args...)
	c.Dir, c.Stdout, c.Stderr = c.folder, out, out
	c.Env = append(os.Environ(), s.environ...)
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	return c
}

// end waits for the exit status.
func (c *command) end(t *testing.T) int {
	t.Helper()
	err := c.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode()
}

func (c *command) printed(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.out)
	require.NoError(t, err)
	return string(text)
}

// sweeps waits until a point was swept.
func (c *command) sweeps(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(c.folder, "events.ndjson"))
		return strings.Contains(string(text), `"kind":"crash-point"`)
	}, 2*time.Minute, 5*time.Millisecond, "no point was swept")
}

func (c *command) report(t *testing.T) reports.Report {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.folder, "report.json"))
	require.NoError(t, err)
	var r reports.Report
	require.NoError(t, json.Unmarshal(text, &r), "%s", text)
	return r
}

// TestOrdersInContainers: the variants in containers of their own, with the statement named, and nothing left.
func TestOrdersInContainers(t *testing.T) {
	t.Parallel()
	for variant, want := range map[string]struct {
		exit  int
		words []string
	}{
		"sound":             {exitOK, []string{"crash-database-restarted +pass"}},
		"two-transactions":  {exitBroken, []string{`crash points   6 points: 5 pass, 1 fail \(duplicate: INSERT INTO orders#1:after\)`}},
		"stuck-in-progress": {exitBroken, []string{`(?s)crash points   6 points: 2 pass, 4 fail \(stuck: INSERT INTO idempotency_keys#1:after,`, `COMMIT#1:after`, "crash-database-restarted +FAIL"}},
	} {
		t.Run(variant, func(t *testing.T) {
			s := containerSite(t, variant)
			c := s.start(t, "--only", "crash,crash-database-restarted")
			assert.Equal(t, want.exit, c.end(t), "%s", c.printed(t))
			for _, words := range want.words {
				assert.Regexp(t, words, c.printed(t))
			}
			assert.Empty(t, s.left(t, c.Process.Pid))
		})
	}
}

// TestInterruptedSweep: ^C in the middle of a sweep writes what there is so far, and leaves nothing behind.
func TestInterruptedSweep(t *testing.T) {
	t.Parallel()
	for name, siteOf := range sites {
		t.Run(name, func(t *testing.T) {
			for variant, exit := range map[string]int{"sound": exitUnsure, "two-transactions": exitBroken} {
				if name == "container" && variant != "sound" {
					continue // what is left behind is the same, and containers take their time
				}
				s := siteOf(t, variant)
				c := s.start(t, "--only", "crash,crash-host", "--sweep", "full")
				c.sweeps(t)
				require.NoError(t, c.Process.Signal(syscall.SIGINT))
				status := c.end(t)
				assert.Contains(t, []int{exitUnsure, exit}, status, "%s: a proven fail outranks the interrupt: %s", variant, c.printed(t))
				assert.Contains(t, c.printed(t), "interrupted by the user")
				r := c.report(t)
				assert.NotEmpty(t, caseOf(t, r, "crash").Points, "the rows so far")
				assert.Equal(t, status, r.Outcome.Exit)
				assert.Empty(t, r.Left, "records are left on the target")
				assert.Empty(t, s.left(t, c.Process.Pid))
			}
		})
	}
}

// TestKilledSweep: where idemcheck itself is killed, the next run removes what it has left.
func TestKilledSweep(t *testing.T) {
	t.Parallel()
	for name, siteOf := range sites {
		t.Run(name, func(t *testing.T) {
			s := siteOf(t, "sound")
			c := s.start(t, "--only", "crash", "--sweep", "full")
			c.sweeps(t)
			require.NoError(t, c.Process.Kill())
			c.end(t)
			assert.NotEmpty(t, s.left(t, c.Process.Pid), "nothing was there to be removed")
			next := s.start(t, "--only", "replay-once")
			assert.Equal(t, exitOK, next.end(t), "%s", next.printed(t))
			assert.Empty(t, s.left(t, c.Process.Pid))
			assert.Empty(t, s.left(t, next.Process.Pid))
		})
	}
}
