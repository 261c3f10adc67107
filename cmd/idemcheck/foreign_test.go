package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// foreignDir is the module of a service that leaves its keys to one of several things that others wrote. What each does
// was tried by hand first; the tables are in its README.
const foreignDir = "../../targets/testdata/foreign"

// moovTruth is what moov-io/base does, held against what it documents: a key that was seen is answered with 412.
var moovTruth = alike(map[string]truth{
	"K6[other-tenant]":           breaksMust("leaked lost"), // refused for the key of another tenant
	"double-send-two-tenants":    breaksMust("leaked lost"),
	"replay-after-restart":       breaksMust("duplicate key-ignored"), // keys are kept in memory
	"crash-first-byte":           breaksMust("duplicate key-ignored"),
	"crash-after-answer":         breaksMust("duplicate key-ignored"),
	"invalid-then-corrected":     breaksMust("stuck"), // a key is used up by a request that did nothing
	"error-then-retry":           breaksMust("stuck"),
	"hang-up[headers]":           breaksMust("lost"), // it says that it was done
	"hang-up[body]":              breaksMust("lost"),
	"lost-answer[never-arrived]": breaksMust("lost"),
})

// ginCacheTruth is what gin-cache does with a strategy by method, path, tenant and key.
var ginCacheTruth = alike(map[string]truth{
	"K2[baseline-key]":         breaksMust("leaked"),
	"K4":                       breaksShould("wrong-status"), // the payload is not compared
	"conflict-material":        breaksShould("wrong-status"),
	"conflict-while-running":   breaksShould("wrong-status"),
	"double-send-two-payloads": breaksShould("wrong-status"),
	"payload-compared":         breaksShould("wrong-status"),
	"replay-after-restart":     breaksMust("duplicate key-ignored"), // answers are kept in memory
	"crash-first-byte":         breaksMust("duplicate key-ignored"),
	"crash-after-answer":       breaksMust("duplicate key-ignored"),
})

// nginxTruth is what nginx's cache does with answers by their key.
var nginxTruth = alike(map[string]truth{
	"lost-answer[still-running]": breaksMust("duplicate"), // with its client it gives up the request, and what is done stays
	"lost-answer[hung-up]":       breaksMust("duplicate"),
	"hang-up[sent]":              breaksMust("duplicate"),
	"K2[baseline-key]":           breaksMust("leaked"),
	"K3[baseline-key]":           breaksMust("leaked"), // the key is all that counts
	"K4":                         breaksShould("wrong-status"),
	"K6[other-tenant]":           breaksMust("leaked lost"),
	"conflict-material":          breaksShould("wrong-status"),
	"conflict-while-running":     breaksShould("wrong-status"),
	"double-send-two-payloads":   breaksShould("wrong-status"),
	"double-send-two-tenants":    breaksMust("leaked lost"),
	"double-send-two-operations": breaksMust("leaked"),
	"payload-compared":           breaksShould("wrong-status"),
	"key-length[5000]":           breaksShould("duplicate"),           // not kept: larger than its buffer
	"slow-outlives-lock":         breaksMust("duplicate key-ignored"), // who waits for 5 s is let through
	"replay-delete":              notApplicable,                       // it keeps no answer to a DELETE, and the target file says so
})

// watermillTruth is what Watermill's Deduplicator does to a receiver of events.
var watermillTruth = func() map[string]truth {
	table := map[string]truth{}
	for id := range fiberTruth {
		table[id] = notApplicable
	}
	for _, id := range []string{"webhook-first", "webhook-twice", "webhook-acknowledged", "webhook-together", "webhook-late",
		"webhook-other-body", "webhook-distinct", "webhook-one-fact", "webhook-late-ack[hung-up]",
		"webhook-late-ack[still-running]", "webhook-durable"} {
		table[id] = holds
	}
	table["webhook-other-tenant"] = breaksMust("lost")  // acknowledged, and dropped
	table["webhook-after-failure"] = breaksMust("lost") // the id is kept before the work is done
	return table
}()

// alike gives a table for a service with the same routes as Fiber's: what applies to that applies here, and holds unless
// the table says otherwise.
func alike(other map[string]truth) map[string]truth {
	table := map[string]truth{}
	for id, h := range fiberTruth {
		if h != notApplicable {
			h = holds
		}
		table[id] = h
	}
	maps.Copy(table, other)
	return table
}

// What idemcheck finds at things that its authors did not write is what was found by hand.
func TestForeign(t *testing.T) {
	t.Setenv("FOREIGN_TARGET_BIN", buildService(t, foreignDir))
	for _, name := range []string{"moov", "gin-cache", "watermill"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := map[string]map[string]truth{"moov": moovTruth, "gin-cache": ginCacheTruth, "watermill": watermillTruth}[name]
			assertForeign(t, table, runForeign(t, name+".yaml", "--skip", "crash-swept")) // as at Fiber's: a matter of luck
		})
	}
}

// Debian's nginx is no Go module: .ci/foreign installs it.
func TestForeignNginx(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("nginx is not installed: .ci/foreign does it")
		}
		t.Skip("nginx is not installed: .ci/foreign does it")
	}
	t.Setenv("FOREIGN_TARGET_BIN", buildService(t, foreignDir))
	t.Run("as it comes", func(t *testing.T) {
		assertForeign(t, nginxTruth, runForeign(t, "nginx.yaml", "--skip", "crash-swept"))
	})
	t.Run("told not to give up with its client", func(t *testing.T) {
		t.Setenv("FOREIGN_TARGET_NGINX", "nginx-patient")
		assertTruth(t, map[string]truth{
			"replay-once":                holds,
			"K1":                         holds,
			"lost-answer[still-running]": holds,
			"lost-answer[hung-up]":       holds,
			"hang-up[sent]":              holds,
		}, runForeign(t, "nginx.yaml", "--only", "K1,lost-answer[still-running],lost-answer[hung-up],hang-up[sent]"))
	})
}

// luck names, by target, what a race of the target decides, and what may then be found in place of the table: moov looks
// for a key and records it in two steps, and nginx stores an answer when it has begun to send it.
var luck = map[string]map[string]truth{
	"moov-orders": {
		"K1-two-workers": breaksMust("duplicate"), "double-send[2]": breaksMust("duplicate"),
		"double-send[10]": breaksMust("duplicate"), "double-send[50]": breaksMust("duplicate"),
		"double-send[other-technique]": breaksMust("duplicate"), "double-send-two-payloads": breaksMust("duplicate"),
		"double-send-two-tenants": breaksMust("duplicate leaked lost"), "double-send-two-operations": breaksMust("duplicate"),
	},
	"nginx-orders": {"crash-first-byte": breaksMust("duplicate key-ignored")},
}

func assertForeign(t *testing.T, table map[string]truth, r reports.Report) {
	t.Helper()
	table = maps.Clone(table)
	for _, c := range r.Cases {
		if may, ok := luck[r.About.Target][c.ID]; ok && may == (truth{c.Verdict, c.Broken, kindsOf(c)}) {
			table[c.ID] = may
		}
	}
	assert.Equal(t, exitBroken, r.Outcome.Exit, r.Outcome.Reason)
	assertTruth(t, table, r)
}

func runForeign(t *testing.T, file string, more ...string) reports.Report {
	t.Helper()
	return runTarget(t, filepath.Join(foreignDir, file), more...)
}
