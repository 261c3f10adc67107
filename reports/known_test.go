package reports

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// livedWith is a run of a target whose file lists a failure that came, one that did not come, one whose date has passed,
// and one of a case that was not run.
func livedWith() *tape {
	t := newTape()
	t.start()
	t.plan("K1", "K4", "double-send", "crash-before-commit")
	for i, k := range []KnownEntry{
		{Case: "K4", Finding: WrongStatus, Reason: "ORD-1234", Until: "2027-01-31", Cases: []string{"K4"}},
		{Case: "double-*", Finding: Duplicate, Reason: "ORD-7", Until: "2027-01-31", Cases: []string{"double-send"}},
		{Case: "K1", Finding: Lost, Reason: "ORD-8: a colon", Until: "2026-03-03", Cases: []string{"K1"}},
		{Case: "replay-once", Finding: KeyIgnored, Reason: "ORD-9", Until: "2027-01-31"},
		{Case: "crash-before-commit/INSERT INTO a[1]#1:after", Finding: Duplicate, Reason: "ORD-10", Until: "2027-01-31", Cases: []string{"crash-before-commit"}},
		{Case: "crash-before-commit/COMMIT#9:after", Finding: Duplicate, Reason: "ORD-11", Until: "2027-01-31", Cases: []string{"crash-before-commit"}},
	} {
		k.File, k.Line = "orders.yaml", 40+i
		t.emit("", Event{Kind: KindKnown, Known: &k})
	}
	t.preflight()
	t.pass("K1", "replayed")
	t.pass("double-send", "1 created, 1 replayed")
	t.emit("K4", Event{Kind: KindCaseStarted})
	t.emit("K4", Event{Kind: KindFinding, Finding: &Finding{Kind: WrongStatus, Question: QuestionAnswer, Level: "must", Message: "409 where 422 is documented", Known: "ORD-1234"}})
	t.emit("K4", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Reason: "wrong-status: 409 where 422 is documented", Records: []Tally{tally("1", 1)}}})
	id := "crash-before-commit"
	t.emit(id, Event{Kind: KindCaseStarted})
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: "must", Message: "INSERT INTO a[1]#1:after: 2 records", Part: "INSERT INTO a[1]#1:after", Known: "ORD-10"}})
	t.emit(id, Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: "INSERT INTO a[1]#1:after", Fault: "kill", Fired: true, Expected: "1", Verdict: Fail, Finding: Duplicate, Reason: "2 records", Known: "ORD-10"}})
	t.emit(id, Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: "COMMIT#1:after", Fault: "kill", Fired: true, Expected: "1", Verdict: Pass}})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Reason: "duplicate: INSERT INTO a[1]#1:after: 2 records"}})
	t.wait(900)
	t.end("")
	return t
}

func TestKnownFailures(t *testing.T) {
	t.Parallel()
	r := livedWith().report()
	var states []KnownState
	for _, k := range r.Known {
		states = append(states, k.State)
	}
	assert.Equal(t, []KnownState{KnownSeen, KnownUnexpected, KnownExpired, KnownUntold, KnownSeen, KnownUntold}, states)
	assert.Equal(t, []string{"crash-before-commit/INSERT INTO a[1]#1:after"}, r.Known[4].Seen)
	assert.Equal(t, ExitBroken, r.Outcome.Exit)
	assert.Equal(t, "2 known failures have to be changed: orders.yaml:41 (double-* duplicate passed unexpectedly), orders.yaml:42 (K1 lost has expired)", r.Outcome.Reason)
	assert.Equal(t, 2, r.Summary.Known)
	assert.Equal(t, 2, r.Summary.Fail)
	assert.Empty(t, r.Cases[1].BrokenLevel())
	assert.Equal(t, "2 points: 1 pass, 1 known", crashSummary(r.Cases[3].Points))

	for name, write := range map[string]func(io.Writer, Report) error{"junit-known.golden.xml": JUnit, "markdown-known.golden.md": Markdown,
		"annotations-known.golden": Annotations, "tap-known.golden": TAP, "badge-known.golden.svg": Badge, "html-known.golden": HTML,
		"console-known.golden": func(w io.Writer, r Report) error { return Console(w, r, ConsoleOptions{}) }} {
		var out bytes.Buffer
		require.NoError(t, write(&out, r))
		for _, said := range []string{"ORD-1234", "orders.yaml:41", "orders.yaml:42"} {
			if name != "badge-known.golden.svg" && name != "annotations-known.golden" {
				assert.Contains(t, out.String(), said, name)
			}
		}
		if name != "html-known.golden" {
			golden(t, name, out.Bytes())
		}
	}
}

// An unexpected pass needs a verdict: a run that was cut off, and a case that could not be told, say nothing.
func TestUntoldIsNoUnexpectedPass(t *testing.T) {
	t.Parallel()
	run := func(v Verdict, interrupted string, at time.Time) KnownState {
		r := newTape()
		r.now = at
		r.Stream = NewStream("r-1", "", func() time.Time { return at }, r)
		r.start()
		r.plan("K1")
		r.emit("", Event{Kind: KindKnown, Known: &KnownEntry{Case: "K1", Finding: Lost, Until: "2026-03-04", Cases: []string{"K1"}}})
		r.emit("K1", Event{Kind: KindCaseStarted})
		r.emit("K1", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: v}})
		r.end(interrupted)
		return r.report().Known[0].State
	}
	day := time.Date(2026, 3, 4, 23, 59, 59, 0, time.UTC)
	assert.Equal(t, KnownUnexpected, run(Pass, "", day), "an entry counts up to the end of its last day")
	assert.Equal(t, KnownUnexpected, run(Fail, "", day))
	assert.Equal(t, KnownUntold, run(Pass, "interrupted by the user", day))
	for _, v := range []Verdict{NotRun, NotApplicable, Inconclusive, Error} {
		assert.Equal(t, KnownUntold, run(v, "", day), v)
	}
	assert.Equal(t, KnownExpired, run(Pass, "", day.Add(time.Second)))
}

func TestWriteKnown(t *testing.T) {
	t.Parallel()
	r := livedWith().report()
	r.Cases[0].Findings = []Finding{{Kind: Lost}, {Kind: Lost}, {Kind: Stuck, Part: "BEGIN#1:before"}}
	var out bytes.Buffer
	require.NoError(t, WriteKnown(&out, r))
	assert.Equal(t, `known:
  - {case: K4, finding: wrong-status, reason: ORD-1234, until: 2027-01-31}
  - {case: replay-once, finding: key-ignored, reason: ORD-9, until: 2027-01-31}
  - {case: 'crash-before-commit/INSERT INTO a[1]#1:after', finding: duplicate, reason: ORD-10, until: 2027-01-31}
  - {case: 'crash-before-commit/COMMIT#9:after', finding: duplicate, reason: ORD-11, until: 2027-01-31}
  - {case: K1, finding: lost, reason: 'TODO: the ticket, or why this is lived with', until: 2026-06-02}
  - {case: 'K1/BEGIN#1:before', finding: stuck, reason: 'TODO: the ticket, or why this is lived with', until: 2026-06-02}
`, out.String())
	var back struct {
		Known []struct{ Case, Finding, Reason, Until string }
	}
	require.NoError(t, yaml.Unmarshal(out.Bytes(), &back))
	assert.Len(t, back.Known, 6)
	out.Reset()
	require.NoError(t, WriteKnown(&out, passing().report()))
	assert.Contains(t, out.String(), "no finding")
}
