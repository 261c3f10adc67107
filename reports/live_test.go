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
