package reports

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shardTape plays one of two shards: K1, on which double-send stands, is run in both, K4 in the first alone. The second
// begins a second later.
func shardTape(index int, k1 Verdict, change func(*RunStarted)) *tape {
	t := newTape()
	t.now = t.now.Add(time.Duration(index) * time.Second)
	about := RunStarted{Tool: "idemcheck 1", Target: "orders", MaxRecords: 3, MaxRequests: 9, Shard: fmt.Sprintf("%d/2", index), Command: "idemcheck run"}
	if change != nil {
		change(&about)
	}
	t.Stream = NewStream(fmt.Sprintf("r%d", index), about.Shard, func() time.Time { return t.now }, t)
	t.Emit(Event{Kind: KindRunStarted, RunStarted: &about})
	for _, c := range []CasePlanned{{ID: "K1", Shard: "1/2"}, {ID: "K4", Shard: "1/2", Elsewhere: index != 1}, {ID: "double-send", Shard: "2/2", After: "K1", Elsewhere: index != 2}} {
		c.Level, c.Feature = "must", "Identity"
		t.emit(c.ID, Event{Kind: KindCasePlanned, CasePlanned: &c})
	}
	t.preflight()
	t.emit("K1", Event{Kind: KindCaseStarted})
	x := t.exchange("first", 1, key1, 40, 201, "D1", Created)
	x.Began, x.Ended = 100, 140
	t.emit("K1", Event{Kind: KindExchange, Exchange: &x})
	t.wait(200)
	t.reading("K1", fmt.Sprintf("in shard %d", index), "D1")
	t.record(KindRecordCreated, fmt.Sprintf("D%d", index), "K1", "")
	t.emit("K1", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: k1, Reason: fmt.Sprintf("of shard %d", index)}})
	if index == 1 {
		t.pass("K4", "created, conflict")
	} else {
		t.pass("double-send", "created, replayed")
	}
	t.wait(50)
	return t
}

func mergedReport(t *testing.T, tapes ...*tape) Report {
	t.Helper()
	events, err := Merge(shardsOf(tapes...))
	require.NoError(t, err)
	for i, e := range events {
		assert.Equal(t, i+1, e.Seq)
		assert.NoError(t, validate(t, compile(t, EventSchema()), mustEncode(t, e)))
	}
	return Fold(events)
}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	line, err := encode(v, "")
	require.NoError(t, err)
	return line
}

func shardsOf(tapes ...*tape) []ShardEvents {
	var out []ShardEvents
	for i, s := range tapes {
		out = append(out, ShardEvents{fmt.Sprintf("%d.ndjson", i+1), s.events})
	}
	return out
}

func ended(t *tape) *tape {
	t.end("")
	return t
}

func TestMerge(t *testing.T) {
	t.Parallel()
	r := mergedReport(t, ended(shardTape(2, Pass, nil)), ended(shardTape(1, Pass, nil)))
	assert.Equal(t, "exit 0: 3 musts held, by count of records", fmt.Sprintf("exit %d: %s", r.Outcome.Exit, r.Outcome.Reason))
	assert.Equal(t, []string{"K1", "K4", "double-send"}, []string{r.Cases[0].ID, r.Cases[1].ID, r.Cases[2].ID})
	assert.Equal(t, "of shard 1", r.Cases[0].Reason, "of equal verdicts that of the shard whose case it is")
	assert.Equal(t, "r1+r2", r.Run)
	assert.Equal(t, []string{"1/2 r1", "2/2 r2"}, r.About.Shards)
	assert.Equal(t, 2, r.Created)
	assert.Equal(t, 18, r.About.MaxRequests)

	r = mergedReport(t, ended(shardTape(1, Pass, nil)), ended(shardTape(2, Inconclusive, nil)))
	c := r.Cases[0]
	assert.Equal(t, Inconclusive, c.Verdict)
	assert.Equal(t, "of shard 2", c.Reason, "the worst verdict")
	require.Len(t, c.Exchanges, 1)
	assert.InDelta(t, 1100, c.Exchanges[0].Began, 0.01, "its shard began a second later")
	assert.InDelta(t, 1140, c.Exchanges[0].Ended, 0.01)
	require.Len(t, c.Readings, 1)
	assert.InDelta(t, 1200, c.Readings[0].AtMS, 0.01)
}

// A shard's own report has only what it ran.
func TestShardReport(t *testing.T) {
	t.Parallel()
	r := ended(shardTape(2, Pass, nil)).report()
	require.Len(t, r.Cases, 2)
	assert.Equal(t, "double-send", r.Cases[1].ID)
	assert.True(t, r.Complete)
	assert.Equal(t, ExitPass, r.Outcome.Exit)
}

func TestMergeTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	r := mergedReport(t, ended(shardTape(1, Pass, nil)))
	assert.Equal(t, ExitUntold, r.Outcome.Exit)
	assert.Contains(t, r.Outcome.Reason, "shard 2/2 is missing")
	assert.Equal(t, NotRun, r.Cases[2].Verdict)
	assert.Contains(t, r.Cases[2].Reason, "shard 2/2 is missing")

	r = mergedReport(t, ended(shardTape(1, Pass, nil)), shardTape(2, Pass, nil))
	assert.Contains(t, r.Outcome.Reason, "shard 2/2 is incomplete: 2.ndjson has no end")
	cut := shardTape(2, Pass, nil)
	cut.events = cut.events[:7] // K1 began
	r = mergedReport(t, ended(shardTape(1, Pass, nil)), cut)
	assert.Equal(t, Inconclusive, r.Cases[0].Verdict)
	assert.Contains(t, r.Cases[0].Reason, "shard 2/2 is incomplete")
	cut.events = cut.events[:2] // the plan had begun
	r = mergedReport(t, ended(shardTape(1, Pass, nil)), cut)
	assert.Equal(t, Pass, r.Cases[0].Verdict)
	assert.Equal(t, NotRun, r.Cases[2].Verdict)

	stopped := shardTape(2, Pass, nil)
	stopped.end("interrupted by the user")
	r = mergedReport(t, ended(shardTape(1, Pass, nil)), stopped)
	assert.Contains(t, r.Outcome.Reason, "shard 2/2 ended early: interrupted by the user")
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]*tape{
		"of another target": ended(shardTape(2, Pass, func(a *RunStarted) { a.Target = "shop" })),
		"of another group":  ended(shardTape(2, Pass, func(a *RunStarted) { a.Group = "pipeline 7" })),
		"of another split":  ended(shardTape(2, Pass, func(a *RunStarted) { a.Shard = "2/3" })),
		"strictness":        ended(shardTape(2, Pass, func(a *RunStarted) { a.Strict = true })),
		"there twice":       ended(shardTape(1, Pass, nil)),
		"no shard":          passing(),
		"no shard of":       newTape(),
	} {
		_, err := Merge(shardsOf(ended(shardTape(1, Pass, nil)), other))
		assert.ErrorContains(t, err, name)
	}
	more := shardTape(2, Pass, nil)
	more.emit("K9", Event{Kind: KindCasePlanned, CasePlanned: &CasePlanned{ID: "K9"}})
	_, err := Merge(shardsOf(ended(shardTape(1, Pass, nil)), ended(more)))
	assert.ErrorContains(t, err, "of another plan")
	_, err = Merge(nil)
	assert.Error(t, err)
}

// The merged run has the worst preflight of its shards.
func TestMergeTellsTheWorstPreflight(t *testing.T) {
	t.Parallel()
	bad := shardTape(2, NotRun, nil)
	bad.emit("", Event{Kind: KindPreflight, Preflight: &Preflight{Stop: true, Reason: "unreachable"}})
	r := mergedReport(t, ended(bad), ended(shardTape(1, Pass, nil)))
	assert.Equal(t, ExitUntold, r.Outcome.Exit)
	assert.Contains(t, r.Outcome.Reason, "unreachable")
}
