package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// fiberDir is the module of the service that uses Fiber's own middleware.
const fiberDir = "../../targets/testdata/fiber"

// truth is what was found out by hand about one case: its verdict, the level that is broken, and the kinds of finding,
// in alphabetical order. The table by hand is in the README of the service.
type truth struct {
	verdict reports.Verdict
	broken  targets.Level
	kinds   string
}

func (h truth) String() string {
	return strings.TrimSpace(fmt.Sprint(h.verdict, " ", h.broken, " ", h.kinds))
}

var (
	holds         = truth{verdict: reports.Pass}
	notApplicable = truth{verdict: reports.NotApplicable}
)

func breaksMust(kinds string) truth   { return truth{reports.Fail, targets.Must, kinds} }
func breaksShould(kinds string) truth { return truth{reports.Fail, targets.Should, kinds} }

// fiberTruth is what Fiber's middleware does, with its defaults, held against the draft.
var fiberTruth = map[string]truth{
	"K1":                              holds,
	"K1-two-workers":                  holds,
	"K2[own-key]":                     holds,
	"K2[baseline-key]":                breaksMust("leaked"), // answered with the order of another account
	"K3[own-key]":                     holds,
	"K3[baseline-key]":                breaksMust("leaked"), // a note is answered with an order
	"K3[without-authorization]":       notApplicable,
	"K4":                              breaksShould("wrong-status"), // P4 is answered with the caller's own P3
	"K5":                              holds,
	"K6[other-tenant]":                breaksMust("leaked lost"), // answered with the other tenant's order, and none made
	"K6[test-environment]":            notApplicable,
	"K6[other-region]":                notApplicable,
	"K6[other-partition]":             notApplicable,
	"first-request":                   holds,
	"replay-once":                     holds,
	"replay-three-times":              holds,
	"different-key":                   holds,
	"two-keys-in-turn":                holds,
	"lost-answer[never-arrived]":      holds,
	"lost-answer[done]":               holds,
	"lost-answer[still-running]":      holds,
	"lost-answer[hung-up]":            holds,
	"replay-after-delete":             holds,         // the first answer, and nothing is made again
	"replay-at-the-limit":             notApplicable, // the service knows no limit
	"replay-key-order":                holds,
	"replay-after-restart":            breaksMust("duplicate key-ignored"), // keys are kept in memory
	"missing-key":                     breaksShould("wrong-status"),
	"empty-key":                       breaksShould("wrong-status"),
	"key-length[255]":                 breaksShould("server-error"), // a key that is not 36 characters long is a 500
	"key-length[256]":                 breaksShould("server-error"),
	"key-length[5000]":                holds, // refused by the HTTP server: 431
	"conflict-material":               breaksShould("wrong-status"),
	"conflict-then-replay":            holds,
	"key-letter-case":                 holds,
	"replay-on-another-instance":      notApplicable,
	"double-send[2]":                  holds,
	"double-send[10]":                 holds,
	"double-send[50]":                 holds,
	"double-send[other-technique]":    holds,
	"double-send-two-payloads":        breaksShould("wrong-status"), // the other payload waits and is answered with the first
	"double-send-two-tenants":         breaksMust("leaked lost"),
	"double-send-two-operations":      breaksMust("leaked"),
	"double-send-across-instances":    notApplicable,
	"conflict-while-running":          breaksShould("wrong-status"),
	"content-repeated":                notApplicable, // it compares no content
	"contents-in-turn":                notApplicable,
	"content-hides-no-key":            notApplicable,
	"content-inside":                  notApplicable,
	"content-outside":                 notApplicable,
	"second-while-open":               holds,
	"slow-outlives-lock":              notApplicable,
	"distinct-keys-together":          holds,
	"second-while-running":            breaksShould("wrong-status"), // it waits, where the draft wants a 409
	"crash-disconnect":                notApplicable,
	"crash":                           notApplicable,
	"crash-host":                      notApplicable,
	"crash-database-cut":              notApplicable,
	"crash-database-restarted":        notApplicable,
	"database-unavailable":            notApplicable,
	"crash-first-byte":                breaksMust("duplicate key-ignored"), // keys are kept in memory
	"hang-up[headers]":                holds,
	"hang-up[body]":                   holds,
	"hang-up[sent]":                   holds,
	"hang-up[answer]":                 holds,
	"batch-twice":                     notApplicable,
	"batch-killed":                    notApplicable,
	"webhook-first":                   notApplicable,
	"webhook-twice":                   notApplicable,
	"webhook-acknowledged":            notApplicable,
	"webhook-together":                notApplicable,
	"webhook-late":                    notApplicable,
	"webhook-redelivered":             notApplicable,
	"webhook-remembered":              notApplicable,
	"webhook-every-try":               notApplicable,
	"webhook-forged":                  notApplicable,
	"webhook-other-body":              notApplicable,
	"webhook-distinct":                notApplicable,
	"webhook-compound":                notApplicable,
	"webhook-one-fact":                notApplicable,
	"webhook-other-tenant":            notApplicable,
	"webhook-other-instance":          notApplicable,
	"webhook-after-failure":           notApplicable,
	"webhook-late-ack[hung-up]":       notApplicable,
	"webhook-late-ack[still-running]": notApplicable,
	"webhook-durable":                 notApplicable,
	"batch-bad-row":                   notApplicable,
	"batch-row-twice":                 notApplicable,
	"batch-error-then-retry":          notApplicable,
	"crash-while-working":             holds,                               // the lock dies with its owner, and nothing was written yet
	"crash-after-answer":              breaksMust("duplicate key-ignored"), // keys are kept in memory
	"invalid-then-corrected":          holds,
	"error-then-retry":                holds,
	"timeout-then-retry":              notApplicable,
	"expiry-inside":                   notApplicable,
	"expiry-outside":                  notApplicable,
	"expiry-late-sender":              notApplicable,
	"expiry-conflict":                 notApplicable,
	"expired-then-replay":             notApplicable,
	"retry-schedule":                  notApplicable,
	"replay-other-operation":          holds,
	"replay-large":                    holds,
	"replay-delete":                   holds,
	"key-as-documented":               notApplicable,
	"key-trailing-space":              notApplicable,                // HTTP drops a space behind a bare key
	"key-beyond-ascii":                breaksShould("server-error"), // 38 bytes
	"key-two-lines":                   holds,                        // the first line counts
	"key-quoting":                     breaksShould("server-error"), // 38 bytes
	"payload-compared":                breaksShould("wrong-status"), // whatever is sent under a used key is answered with the first order
	"text-body-compared":              notApplicable,
	"turned-away[429]":                notApplicable,
	"turned-away[401]":                notApplicable,
	"turned-away[403]":                notApplicable,
	"refusal-repeated":                notApplicable,
	"refusal-outlived":                notApplicable,
	"unauthorized-replay":             notApplicable,
	"another-caller":                  notApplicable,
	"revoked-caller":                  notApplicable,
}

// What idemcheck finds at a middleware that its authors did not write is what was found by hand.
func TestFiber(t *testing.T) {
	t.Setenv("FIBER_TARGET_BIN", buildService(t, fiberDir))

	t.Run("defaults", func(t *testing.T) {
		// Whether a swept kill meets the moment between the write and the loss of the key is a matter of luck.
		r := runFiber(t, "--skip", "crash-swept")
		assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
		assert.Equal(t, r.Created, r.Removed, "all that was created can be deleted: %v", r.Left)
		assertTruth(t, fiberTruth, r)
	})
	t.Run("errors are written as answers", func(t *testing.T) {
		t.Setenv("FIBER_TARGET_ERRORS", "written") // and so they are stored
		assertTruth(t, map[string]truth{
			"invalid-then-corrected": breaksMust("stuck"),
			"error-then-retry":       holds, // the draft is read as: an error is a result, too
		}, runFiber(t, "--only", "invalid-then-corrected,error-then-retry"))
	})
	t.Run("without its lock", func(t *testing.T) {
		t.Setenv("FIBER_TARGET_LOCK", "false") // the control: that overlapping sends pass with the lock says something
		assertTruth(t, map[string]truth{
			"replay-once":     holds,
			"K1-two-workers":  breaksMust("duplicate"),
			"double-send[10]": breaksMust("duplicate"),
		}, runFiber(t, "--only", "K1-two-workers,double-send[10]"))
	})
}

// buildService builds a service in its own module, with the versions that its go.sum fixes.
func buildService(t *testing.T, dir string) string {
	t.Helper()
	if out, err := goIn(t, dir, "mod", "download"); err != nil {
		// Without a network this test cannot run. In CI it must not go missing in silence.
		if os.Getenv("CI") != "" {
			t.Fatalf("the modules of %s cannot be downloaded: %s", dir, out)
		}
		t.Skipf("the modules of %s cannot be downloaded (is there a network?): %s", dir, out)
	}
	bin := filepath.Join(t.TempDir(), "orders")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	out, err := goIn(t, dir, "build", "-buildvcs=false", "-o", bin, ".")
	require.NoError(t, err, "%s", out)
	return bin
}

// goIn runs the go command in a service's module, without flags or a workspace of the environment.
func goIn(t *testing.T, dir string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	return cmd.CombinedOutput()
}

func runFiber(t *testing.T, more ...string) reports.Report {
	t.Helper()
	return runTarget(t, filepath.Join(fiberDir, "target.yaml"), more...)
}

// runTarget runs idemcheck as a user does and gives the JSON report.
func runTarget(t *testing.T, target string, more ...string) reports.Report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"run", "--target", target, "--report", "json=" + file}, more...)
	var out, errs bytes.Buffer
	status := run(args, strings.NewReader(""), &out, &errs)
	data, err := os.ReadFile(file)
	require.NoError(t, err, "exit %d\n%s%s", status, &out, &errs)
	var r reports.Report
	require.NoError(t, json.Unmarshal(data, &r), "exit %d\n%s%s", status, &out, &errs)
	assert.Equal(t, r.Outcome.Exit, status, "the exit status and the report differ")
	return r
}

// assertTruth compares each case of a report with the table; neither has a case that the other lacks.
func assertTruth(t *testing.T, want map[string]truth, r reports.Report) {
	t.Helper()
	got := map[string]truth{}
	for _, c := range r.Cases {
		got[c.ID] = truth{c.Verdict, c.Broken, kindsOf(c)}
		if w := want[c.ID]; got[c.ID] != w {
			t.Errorf("%s: by hand: %s; by idemcheck: %s (%s)", c.ID, w, got[c.ID], c.Reason)
		}
	}
	for id := range want {
		if _, ok := got[id]; !ok {
			t.Errorf("%s was not run", id)
		}
	}
}

// kindsOf lists the kinds of finding of a case, each once.
func kindsOf(c reports.Case) string {
	var list []string
	for _, f := range c.Findings {
		list = append(list, string(f.Kind))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}
