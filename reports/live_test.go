package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		run  *tape
		o    LiveOptions
	}{
		{"plain", failing(), LiveOptions{}},
		{"terminal", failing(), LiveOptions{Terminal: true, Color: true, Width: 60}},
		{"recount", recounted(), LiveOptions{Terminal: true}},
		{"untrusted", untrusted(), LiveOptions{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			progress := Live(&out, tt.o)
			for _, e := range tt.run.events {
				require.NoError(t, progress.Event(e))
			}
			golden(t, "live-"+tt.name+".golden", out.Bytes())
		})
	}
}

func TestLiveErasesItsStatusLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	progress := Live(&out, LiveOptions{Terminal: true, Width: 30})
	events := passing().events
	for _, e := range events {
		require.NoError(t, progress.Event(e))
	}
	assert.True(t, bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")))
	for _, line := range bytes.Split(out.Bytes(), []byte("\r\x1b[K")) {
		if !bytes.Contains(line, []byte("\n")) {
			assert.Less(t, cells(string(line)), 30, "a line that wraps cannot be erased")
		}
	}
}

func TestLiveSaysThatItCannotWrite(t *testing.T) {
	t.Parallel()
	s := NewStream("r-1", "", nil, Live(&fullDisk{}, LiveOptions{}))
	s.Emit(Event{Kind: KindRunStarted, RunStarted: &RunStarted{Tool: "idemcheck"}})
	require.ErrorIs(t, s.Err(), errDiskFull)
}

func TestWhatATargetAnswersIsBounded(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	run.plan("K1")
	long := strings.Repeat("x", 1<<17)
	run.emit("K1", Event{Kind: KindFinding, Finding: &Finding{
		Kind: Duplicate, Question: QuestionRecords, Message: long, Found: long, IDs: []string{long + "1", long + "2"}, Exchanges: []string{long},
	}})
	x := run.exchange(long, 1, key1, 1, 201, long+"1", Created)
	run.emit("K1", Event{Kind: KindExchange, Exchange: &x})
	run.reading("K1", long, long+"1", long+"2")
	run.emit("K1", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Error, Reason: long, Records: []Tally{tally("1", 2, long+"1", long+"2")}}})
	var out bytes.Buffer
	require.NoError(t, Console(&out, run.report(), ConsoleOptions{}))
	assert.Less(t, out.Len(), 64<<10)
}

func TestLiveProgress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		run *tape
		o   LiveOptions
	}{
		"terminal":   {sweep(), LiveOptions{Terminal: true}},
		"narrow":     {sweep(), LiveOptions{Terminal: true, Width: 50}},
		"short":      {sweep(), LiveOptions{}},
		"long-plain": {longSweep(24), LiveOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			progress := Live(&out, tt.o)
			for _, e := range tt.run.events {
				require.NoError(t, progress.Event(e))
			}
			golden(t, "live-sweep-"+name+".golden", out.Bytes())
		})
	}
}

// Whatever the width and the numbers, the status line does not wrap, and a case in a long step counts as any other.
func TestLiveProgressFitsTheLine(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 60, 80, 140} {
		for _, p := range []Progress{{"crash points", 7, 10}, {"", 0, 0}, {"x", -3, 10}, {"x", 12, 10}, {"x", 1, -1}, {strings.Repeat("long ", 40), 1, 2}, {"x", 1 << 62, 1 << 62}} {
			var out bytes.Buffer
			l := Live(&out, LiveOptions{Terminal: true, Width: width}).(*live)
			for _, id := range []string{"crash", "K1"} {
				require.NoError(t, l.Event(Event{Kind: KindCasePlanned, CasePlanned: &CasePlanned{ID: id}}))
				require.NoError(t, l.Event(Event{Case: id, Kind: KindCaseStarted}))
			}
			require.NoError(t, l.Event(Event{Case: "crash", Kind: KindProgress, Progress: &p}))
			assert.Less(t, cells(l.status()), width)
			assert.True(t, strings.HasPrefix(l.status(), "  0/2 · "))
			require.NoError(t, l.Event(Event{Case: "crash", Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass}}))
			assert.Equal(t, "  1/2 · K1", l.status())
		}
	}
	assert.Equal(t, "███████░░░", bar(0.7, 10))
	assert.Equal(t, "█████████░", bar(0.999, 10))
}

// A log is not flooded: four steps of a quarter at most, and none of a short step.
func TestLiveProgressInALog(t *testing.T) {
	t.Parallel()
	for of, want := range map[int]int{19: 0, 20: 3, 400: 3, 3: 0} {
		var out bytes.Buffer
		l := Live(&out, LiveOptions{})
		for i := range of + 1 {
			require.NoError(t, l.Event(Event{Case: "crash", Kind: KindProgress, Progress: &Progress{What: "crash points", Done: i, Of: of}}))
		}
		assert.Equal(t, want, strings.Count(out.String(), "\n"), of)
	}
	var out bytes.Buffer
	l := Live(&out, LiveOptions{})
	for _, what := range []string{"dry runs", "crash points"} {
		require.NoError(t, l.Event(Event{Case: "crash", Kind: KindProgress, Progress: &Progress{What: what, Done: 10, Of: 40}}))
	}
	assert.Equal(t, 2, strings.Count(out.String(), "10/40"), "the next step begins anew")
}
