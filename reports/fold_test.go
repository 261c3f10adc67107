package reports

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// What is read back from a file must tell the same as what was folded while it happened.
func TestFoldReadsTheSameFromAFile(t *testing.T) {
	t.Parallel()
	for _, run := range []*tape{passing(), failing(), interrupted(), untrusted(), collapsing(), sweep()} {
		var file, live, read bytes.Buffer
		folder := NewFolder()
		for _, e := range run.events {
			require.NoError(t, folder.Event(e))
			require.NoError(t, NDJSON(&file).Event(e))
		}
		events, err := ReadEvents(&file)
		require.NoError(t, err)
		require.NoError(t, JSON(&live, folder.Report()))
		require.NoError(t, JSON(&read, Fold(events)))
		require.Equal(t, live.String(), read.String())
	}
}

func TestFoldOfACaseWithoutAnEnd(t *testing.T) {
	t.Parallel()
	started := Event{Case: "K1", Kind: KindCaseStarted}
	ended := Event{Kind: KindRunEnded, RunEnded: &RunEnded{}}
	stopped := Event{Kind: KindRunEnded, RunEnded: &RunEnded{Interrupted: "interrupted by the user"}}
	unreachable := Event{Kind: KindPreflight, Preflight: &Preflight{Stop: true, Reason: "connection refused"}}
	found := Event{Case: "K1", Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Message: "2 records"}}
	for _, tt := range []struct {
		name    string
		missing string
		events  []Event
		verdict Verdict
		reason  string
	}{
		{"planned, stream cut", "", nil, NotRun, "the run was interrupted"},
		{"planned, stopped", "", []Event{stopped}, NotRun, "interrupted by the user"},
		{"planned, unreachable", "", []Event{unreachable, ended}, NotRun, "connection refused"},
		{"planned, whole run", "", []Event{ended}, NotRun, "the run ended without it"},
		{"does not apply, stream cut", "add replicas", nil, NotApplicable, "add replicas"},
		{"does not apply, whole run", "add replicas", []Event{ended}, NotApplicable, "add replicas"},
		{"started, stream cut", "", []Event{started}, Inconclusive, "cut off before its verdict: the run was interrupted"},
		{"started, stopped", "", []Event{started, stopped}, Inconclusive, "cut off before its verdict: interrupted by the user"},
		{"started, whole run", "", []Event{started, ended}, Error, "it began and has no verdict: a fault of idemcheck"},
		{"a proof before the cut", "", []Event{started, found}, Fail, "2 records"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan := Event{Case: "K1", Kind: KindCasePlanned, CasePlanned: &CasePlanned{ID: "K1", Level: targets.Must, Missing: tt.missing}}
			r := Fold(append([]Event{plan}, tt.events...))
			require.Len(t, r.Cases, 1)
			assert.Equal(t, tt.verdict, r.Cases[0].Verdict)
			assert.Equal(t, tt.reason, r.Cases[0].Reason)
			assert.NotZero(t, r.Outcome.Exit, "no green without a verdict")
		})
	}
}

func TestFoldRecountRaisesAVerdict(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	run.plan("K1")
	run.pass("K1", "replayed")
	run.emit("K1", Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Message: "a second record came late"}})
	run.emit("K1", Event{Kind: KindRecount, Recount: &CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: "a second record came late", Records: []Tally{tally("1", 2)}}})
	run.emit("K1", Event{Kind: KindRecount, Recount: &CaseEnded{Verdict: Pass, Reason: "all well"}})
	run.end("")
	r := run.report()
	assert.Equal(t, Fail, r.Cases[0].Verdict)
	assert.Equal(t, "a second record came late", r.Cases[0].Reason)
	assert.Equal(t, 2, *r.Cases[0].Records[0].Found)
	assert.Equal(t, Outcome{1, "1 must broken: K1 (duplicate)"}, r.Outcome)
}

func TestFoldKeepsTheOrderOfThePlan(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	run.pass("stray", "")
	run.pass("double-send", "")
	run.plan("K1", "double-send")
	run.pass("K1", "")
	var ids []string
	for _, c := range run.report().Cases {
		ids = append(ids, c.ID)
	}
	assert.Equal(t, []string{"K1", "double-send", "stray"}, ids)
}

func TestFoldAccountsForRecords(t *testing.T) {
	t.Parallel()
	r := failing().report()
	assert.Equal(t, 2, r.Created)
	assert.Equal(t, 1, r.Removed)
	require.Len(t, r.Left, 1)
	assert.Contains(t, r.Left[0].Why, "answered 409")

	r = interrupted().report()
	require.Len(t, r.Left, 1, "a run that was cut off left what it had created")
	assert.Equal(t, notRemoved, r.Left[0].Why)
}

func TestClosingTellsTheExitStatusBeforeTheEnd(t *testing.T) {
	t.Parallel()
	whole := passing()
	folder := NewFolder()
	for _, e := range whole.events[:len(whole.events)-1] {
		require.NoError(t, folder.Event(e))
	}
	assert.Equal(t, ExitUntold, folder.Report().Outcome.Exit)
	assert.Equal(t, whole.report().Outcome, folder.Closing(RunEnded{}).Outcome)
	assert.Equal(t, ExitUntold, folder.Closing(RunEnded{Interrupted: "interrupted by the user"}).Outcome.Exit)
	assert.Equal(t, ExitUntold, folder.Report().Outcome.Exit, "asking changes nothing")
}

// Whatever the order of the events of a case, its verdict is the highest that was said of it; and while events come in,
// it never moves down.
func TestFoldVerdictOnlyMovesUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(rapid.SampledFrom(Verdicts()), 1, 6).Draw(t, "verdicts")
		findings := rapid.SliceOfN(rapid.SampledFrom([]string{"", "ORD-1234"}), 0, 2).Draw(t, "findings")
		points := rapid.SliceOfN(rapid.SampledFrom([]Verdict{Pass, Inconclusive, Fail}), 0, 2).Draw(t, "points")
		events, want := caseEvents(said, points, findings)
		events = rapid.Permutation(events).Draw(t, "order")
		folder, stood := NewFolder(), NotRun
		ended := false
		for _, e := range events {
			_ = folder.Event(e)
			ended = ended || e.CaseEnded != nil || e.Recount != nil
			r := folder.Closing(RunEnded{})
			if !ended {
				continue // before the first word on its outcome a case has no verdict of its own
			}
			if v := r.Cases[0].Verdict; v < stood {
				t.Fatalf("moved down from %s to %s", stood, v)
			} else {
				stood = v
			}
		}
		if stood != want {
			t.Fatalf("ended as %s, and %s was said of it", stood, want)
		}
	})
}

// caseEvents gives the events of one case of which the verdicts were said, and the verdict that must come of it.
func caseEvents(said, points []Verdict, known []string) (events []Event, want Verdict) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	events = []Event{
		{Case: "K1", At: at, Kind: KindCasePlanned, CasePlanned: &CasePlanned{ID: "K1", Level: targets.Must}},
		{Case: "K1", At: at, Kind: KindCaseStarted},
	}
	for i, v := range said {
		e := Event{Case: "K1", At: at.Add(time.Duration(i)), Kind: KindRecount, Recount: &CaseEnded{Verdict: v, Reason: fmt.Sprint(i)}}
		if i == 0 {
			e.Kind, e.CaseEnded, e.Recount = KindCaseEnded, e.Recount, nil
		}
		want = want.Worse(v)
		events = append(events, e)
	}
	for _, v := range points {
		events = append(events, Event{Case: "K1", At: at, Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: "COMMIT#1:after", Verdict: v, Finding: Duplicate}})
		if v == Fail {
			want = Fail
		}
	}
	for _, reason := range known {
		events = append(events, Event{Case: "K1", At: at, Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Known: reason}})
		if reason == "" {
			want = Fail
		}
	}
	return events, want
}
