package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// checkShard runs one shard of all quiet cases and gives what its event file would hold.
func checkShard(t *testing.T, e *targets.Endpoint, shard steps.Shard) []reports.Event {
	t.Helper()
	all, err := builtIn()
	require.NoError(t, err)
	cases, err := steps.Select(all, nil, []string{"double-send*"}) // the race of another test
	require.NoError(t, err)
	cases, err = shard.Split(cases)
	require.NoError(t, err)
	id, err := runID()
	require.NoError(t, err)
	var file bytes.Buffer
	folder := reports.NewFolder()
	require.NoError(t, steps.Run(t.Context(), steps.Options{
		Features: features.FS, Paths: features.Paths(), Cases: cases, Endpoint: e, Abilities: steps.Abilities{Restart: true},
		Stream: reports.NewStream(id, shard.String(), nil, folder, reports.NDJSON(&file)), Folder: folder, RunID: id, Now: time.Now,
		Random: rand.Reader, Concurrency: 4, CaseTimeout: time.Minute, Wait: quickly,
		Started: reports.RunStarted{Tool: "idemcheck test", Target: e.Target.Name, Shard: shard.String()},
	}))
	events, err := reports.ReadEvents(&file)
	require.NoError(t, err)
	return events
}

// said is what a report says of its cases, without what differs from run to run.
func said(r reports.Report) []string {
	out := []string{fmt.Sprint("exit ", r.Outcome.Exit, r.Outcome.Reason, r.Summary)}
	for _, c := range r.Cases {
		line := fmt.Sprint(c.ID, " ", c.Level, " ", c.Verdict, " ", c.Broken, " ", c.BrokenLevel(), " ", c.Missing)
		for _, f := range c.Findings {
			line += fmt.Sprint(" ", f.Kind, f.Level, f.Known)
		}
		for _, r := range c.Records {
			line += fmt.Sprint(" ", r.Observer, r.Expected)
		}
		out = append(out, line)
	}
	for _, k := range r.Known {
		out = append(out, fmt.Sprint(k.Case, " ", k.State, " ", k.Seen))
	}
	return out
}

// The merged report of a run in shards says what the run of the whole says: the same addresses in the same order, levels,
// verdicts, findings, known failures and exit status.
func TestMergedIsWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		defects []string
		of      int
	}{"sound": {nil, 4}, "broken": {[]string{"payload-not-compared", "replay-status-200"}, 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func() *targets.Endpoint {
				return startService(t, c.defects...).endpoint(t, func(target *targets.Target) {
					target.Known = []targets.Known{
						{Case: "replay-once", Finding: "replay-differs", Reason: "CRM-1", Until: "2999-01-01"},
						{Case: "K*", Finding: "wrong-status", Reason: "CRM-2", Until: "2999-01-01"},
						{Case: "first-request", Finding: "lost", Reason: "CRM-3", Until: "2999-01-01"},
					}
				})
			}
			whole := reports.Fold(checkShard(t, open(), steps.Shard{}))
			var shards []reports.ShardEvents
			ran := 0
			for i := range c.of {
				s := steps.Shard{Index: i + 1, Of: c.of}
				shards = append(shards, reports.ShardEvents{Name: s.String(), Events: checkShard(t, open(), s)})
				ran += len(reports.Fold(shards[i].Events).Cases)
			}
			merged, err := reports.Merge(shards)
			require.NoError(t, err)
			r := reports.Fold(merged)
			assert.Equal(t, said(whole), said(r))
			assert.Greater(t, ran, len(r.Cases), "what others stand on was run in several shards")
			assert.Equal(t, r.Outcome.Exit, merged[len(merged)-1].RunEnded.Exit)
			assert.Len(t, r.Left, len(whole.Left))
		})
	}
}
