package reports

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestCrashSummary(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "7 points: 4 pass, 2 fail (duplicate: INSERT INTO orders#1:after, UPDATE idempotency_keys#1:after), 1 inconclusive",
		crashSummary(sweep().report().Cases[0].Points))
	assert.Equal(t, "1 point: 1 pass", crashSummary([]CrashPoint{{Verdict: Pass}}))
	assert.Equal(t, "4 points: 4 fail (lost: a, b; no finding: c; stuck: d)", crashSummary([]CrashPoint{
		{Part: "a", Verdict: Fail, Finding: Lost}, {Part: "b", Verdict: Fail, Finding: Lost}, {Part: "c", Verdict: Fail}, {Part: "d", Verdict: Fail, Finding: Stuck},
	}))
	long := crashSummary(longSweep(200).report().Cases[0].Points)
	assert.Equal(t, "200 points: 198 pass, 2 fail (duplicate: INSERT INTO orders_100#1:after, INSERT INTO orders_199#1:after)", long)
}

// Every fault that a point can have is in words; one that nobody knows still is named.
func TestCrashCaptionSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, fault := range []targets.PointFault{targets.Kill, targets.HostCrash, targets.Disconnect, targets.CutStore, "hang-up"} {
		f := faultOf(string(fault))
		assert.NotEqual(t, string(fault), f.word)
		assert.False(t, seen[f.done], fault)
		seen[f.done] = true
		assert.Contains(t, crashCaption([]CrashPoint{{Fault: string(fault)}, {Fault: string(fault)}}), f.done)
	}
	assert.Equal(t, "At each point the fault flood struck. Then the operation was sent again with the same key, and the records were counted.",
		crashCaption([]CrashPoint{{Fault: "flood"}}))
	mixed := []CrashPoint{{Part: "a", Fault: "kill"}, {Part: "b", Fault: "disconnect"}}
	assert.Contains(t, crashCaption(mixed), "the fault that is named beside it struck")
	assert.Equal(t, "connection dropped: b", newCrashRow(mixed[1], true).Point)
}

func TestCrashRow(t *testing.T) {
	t.Parallel()
	points := sweep().report().Cases[0].Points
	assert.Equal(t, crashRow{"BEGIN#1:before", "no answer (closed)", "201 created", "1", "1", "412 ms", "", Pass, false}, newCrashRow(points[0], false))
	assert.Equal(t, "201 created (5×)", newCrashRow(points[2], false).Retry)
	assert.Equal(t, "duplicate: 2 records for one key", newCrashRow(points[3], false).Why)
	assert.Equal(t, neverSettled, newCrashRow(points[4], false).Recovery)
	assert.Equal(t, noWord, newCrashRow(points[6], false).Recovery, "nothing had to recover")
	for in, want := range map[float64]string{-1: "0.0 ms", 0.42: "0.4 ms", 12: "12 ms", 1840: "1.8 s", 1e300: "16666666 min 40 s"} {
		assert.Equal(t, want, recoveryText(CrashPoint{RecoveryMS: &in}))
	}
	empty := newCrashRow(CrashPoint{Verdict: Inconclusive}, false)
	assert.Equal(t, crashRow{"", "–", "–", "–", "?", "–", "the fault was not seen to strike", Inconclusive, false}, empty)
	assert.Equal(t, "2 of (0 or 1)", crashRow{Found: "2", Expected: "0 or 1"}.records())
}

func TestClipMiddleKeepsBothEnds(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "INSERT INTO…f_orders#1:after", clipMiddle("INSERT INTO a_table_with_a_long_name_of_orders#1:after", 28))
	assert.Equal(t, "whole", clipMiddle("whole", 5))
	for n := 1; n < 20; n++ {
		assert.LessOrEqual(t, cells(clipMiddle("記録abcdefghij記録klmnopqrst", n)), n)
	}
}

func TestConsoleOfALongSweep(t *testing.T) {
	t.Parallel()
	r := longSweep(120).report()
	var out, all bytes.Buffer
	require.NoError(t, Console(&out, r, ConsoleOptions{}))
	require.NoError(t, Console(&all, r, ConsoleOptions{Verbose: true}))
	assert.Contains(t, out.String(), "… 88 more points that passed (--verbose and the JSON report show them)")
	assert.Equal(t, passingRows, strings.Count(out.String(), "  ✓  UPDATE counters_"))
	assert.Equal(t, 2, strings.Count(out.String(), "  ✕  INSERT INTO orders_"))
	assert.NotContains(t, all.String(), "more points")
	assert.Equal(t, 118, strings.Count(all.String(), "  ✓  UPDATE counters_"))
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "counters_") {
			assert.LessOrEqual(t, cells(strings.TrimSuffix(line, "\n")), 100)
		}
	}
}

// Whatever budget a Markdown report has, what failed is in it before anything that passed.
func TestMarkdownShowsFailingPointsFirst(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{leastMarkdown, 6_000, 10_000, 20_000, MarkdownBudget} {
		var out bytes.Buffer
		require.NoError(t, MarkdownWithin(&out, longSweep(300).report(), budget))
		readMarkdown(t, out.String())
		assert.LessOrEqual(t, out.Len(), budget)
		if strings.Contains(out.String(), "| pass | UPDATE counters") {
			assert.Contains(t, out.String(), "| **fail** | INSERT INTO orders&#95;299#&#8203;1:after |")
			assert.Contains(t, out.String(), "more points are left out here")
		}
	}
	var out bytes.Buffer
	require.NoError(t, Markdown(&out, longSweep(300).report()))
	assert.Contains(t, out.String(), "| **fail** | INSERT INTO orders&#95;299#&#8203;1:after |")
	assert.Contains(t, out.String(), "| pass | UPDATE counters")
}

func TestFoldIsAsBadAsTheWorstPoint(t *testing.T) {
	t.Parallel()
	whole := sweep()
	var cut []Event
	for _, e := range whole.events {
		if e.Finding == nil && e.CaseEnded == nil && e.RunEnded == nil {
			cut = append(cut, e)
		}
	}
	c := Fold(cut).Cases[0]
	assert.Equal(t, Fail, c.Verdict)
	assert.Equal(t, "duplicate: INSERT INTO orders#1:after: 2 records for one key", c.Reason)
	assert.Equal(t, targets.Must, c.BrokenLevel())
	assert.Equal(t, ExitBroken, Fold(cut).Outcome.Exit)
	assert.Equal(t, whole.report().Cases[0].Points, c.Points)

	passed := append(cut[:len(cut):len(cut)], Event{Case: sweepID, Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass, Reason: "all well"}})
	assert.Equal(t, Fail, Fold(passed).Cases[0].Verdict, "no word makes a proven duplicate undone")

	weaker := append(cut[:len(cut):len(cut)], Event{Case: sweepID, Kind: KindFinding, Finding: &Finding{Kind: WrongStatus, Level: targets.Should, Message: "m"}})
	assert.Equal(t, targets.Must, Fold(weaker).Cases[0].BrokenLevel(), "another finding is not the point's")

	known := append(cut[:len(cut):len(cut)], Event{Case: sweepID, Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Level: targets.Must, Known: "ORD-1"}})
	assert.True(t, isKnown(Fold(known).Cases[0]))
}

func TestHTMLCrashTable(t *testing.T) {
	t.Parallel()
	r := sweep().report()
	h := newHTMLCase(r.About, r.Cases[0], htmlForm{}).Crash
	require.Len(t, h.Rows, 7)
	assert.True(t, h.Rows[3].First)
	assert.False(t, h.Rows[4].First)
	assert.Equal(t, h.Rows[3].Anchor, h.First)
	assert.Regexp(t, `^case-crash-at-every-point-kill-[0-9a-f]{6}~INSERT-INTO-orders-1-after-[0-9a-f]{6}$`, h.First)
	names := map[string]int{}
	assert.NotEqual(t, htmlPointAnchor("case-a", "b", names), htmlPointAnchor("case-a", "b", names), "no name is given twice")
	assert.Empty(t, h.Left)
	long := longSweep(500).report()
	assert.Equal(t, "198 more points that passed", newHTMLCase(long.About, long.Cases[0], htmlForm{}).Crash.Left)
}

// A sweep has more exchanges and faults than a drawing can show: it shows those around what proves something.
func TestHTMLTimelineOfALongSweep(t *testing.T) {
	t.Parallel()
	r := longSweep(60).report()
	d := newHTMLCase(r.About, r.Cases[0], htmlForm{}).Timeline
	assert.Less(t, len(d.Bars), 20)
	assert.Less(t, len(d.Faults), 20)
	evident := 0
	for _, b := range d.Bars {
		if b.Evidence {
			evident++
		}
	}
	assert.Equal(t, 4, evident, "the attempts of both points that fail")
	assert.Regexp(t, `^1\d\d exchanges, \d+ readings, 1\d\d faults$`, d.Left)

	r.Cases[0].Findings = nil
	d = newHTMLCase(r.About, r.Cases[0], htmlForm{}).Timeline
	assert.Len(t, d.Bars, lanesAtMost)
	assert.LessOrEqual(t, len(d.Faults), faultsAtMost)
	assert.Empty(t, newHTMLCase(r.About, sweep().report().Cases[0], htmlForm{}).Timeline.Left)
}

func TestCompareNamesTheFailingPoints(t *testing.T) {
	t.Parallel()
	held := sweep()
	for _, e := range held.events {
		if e.CrashPoint != nil {
			e.CrashPoint.Verdict = Pass
		}
	}
	c := Compare([]Report{held.report(), sweep().report()})
	assert.Equal(t, "INSERT INTO orders#1:after, UPDATE idempotency_keys#1:after", c.Cases[0].Cells[1].Points)
	assert.Equal(t, Differs, c.Cases[0].Change, "it fails elsewhere")
	moment := Case{CaseEnded: CaseEnded{Verdict: Fail}, Points: []CrashPoint{{Part: "at 1.2ms", Verdict: Fail}}}
	assert.Empty(t, comparedCell(moment, false).Points)
}

func TestCrashTextsAreBounded(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	planSweep(run, sweepID)
	long := strings.Repeat("x", 1<<17)
	for i := range 3 {
		run.emit(sweepID, Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: fmt.Sprint(long, i), Label: long, Fault: "kill", Saw: long, Expected: long,
			Verdict: Fail, Finding: Duplicate, Reason: long}})
	}
	run.emit(sweepID, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Reason: "r"}})
	for _, width := range []int{60, 100} {
		var out bytes.Buffer
		require.NoError(t, Console(&out, run.report(), ConsoleOptions{Width: width}))
		assert.Less(t, out.Len(), 64<<10)
	}
	for _, o := range []ConsoleOptions{{Width: 100}, {Width: 160, Verbose: true}} {
		var out bytes.Buffer
		require.NoError(t, Console(&out, sweep().report(), o))
		assert.NotContains(t, out.String(), "client saw no answer", "there is room for columns")
	}
}
