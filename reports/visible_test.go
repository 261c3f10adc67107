package reports

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// hostile is what a target may answer to the one who looks at the report.
const hostile = "\x1b[2J\x1b]0;owned\x07\r\nK1  pass\u202egnp\u2066\u200b\u2028\u009b31m\x7f\xff\U000e0041 end"

func requirePrintable(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Fatalf("%q is on the screen", text[i:min(i+20, len(text))])
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":            "",
		"plain – ünï": "plain – ünï",
		"a\nb\r\tc":   `a\nb\r\tc`,
		"\x1b[31m":    `\x1b[31m`,
		"\u202eabc":   `\u202eabc`,
		"\u2067a":     `\u2067a`,
		"\u009b31m":   `\u009b31m`,
		"\xffa":       `\xffa`,
		"\U000e0041":  `\U000e0041`,
		"a\u00a0b":    `a\u00a0b`,
	} {
		assert.Equal(t, want, visible(in))
	}
	requirePrintable(t, visible(hostile))
}

// hostileRun has the hostile text in every place that a target can fill.
func hostileRun() *tape {
	run := newTape()
	run.start()
	run.plan("K1")
	run.emit("K1", Event{Kind: KindCaseStarted})
	x := run.exchange("first", 1, key1, 3, 201, hostile, Created)
	bad := targets.Exchange{
		Attempt: targets.Attempt{Name: "first", Method: "POST", URL: "http://127.0.0.1/" + hostile, Body: []byte(hostile)},
		Began:   run.now, Ended: run.now, Answer: map[string][]string{"X-" + hostile: {hostile}}, Content: []byte(hostile[:20]), Err: hostile,
	}
	y := Redacted(bad, run.Began(), nil, 0)
	y.ID, y.Purpose = hostile+"2", PurposeAttempt
	run.emit("K1", Event{Kind: KindExchange, Exchange: &x})
	run.emit("K1", Event{Kind: KindExchange, Exchange: &y})
	run.reading("K1", hostile, hostile, hostile+"2")
	run.emit("K1", Event{Kind: KindStep, Step: &Step{Text: "When it is sent", Err: hostile}})
	run.emit("K1", Event{Kind: KindNote, Note: &Note{Text: hostile, Warning: true}})
	run.emit("K1", Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Message: hostile, Found: hostile, IDs: []string{hostile}, Exchanges: []string{"first"}}})
	run.emit("K1", Event{Kind: KindProgress, Progress: &Progress{What: hostile, Done: 10, Of: 40}})
	run.emit("K1", Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: hostile, Label: hostile, Side: hostile, Fault: hostile, Saw: hostile, Expected: hostile, Verdict: Fail, Finding: Duplicate, Reason: hostile}})
	run.emit("K1", Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: hostile + "2", Fault: "kill", Saw: hostile, Expected: "1", Verdict: Pass}})
	run.emit("K1", Event{Kind: KindPayloadChange, PayloadChange: &PayloadChange{Part: hostile, Change: hostile, Expected: hostile, Disposition: Conflict, Status: 422, Verdict: Fail}})
	run.emit("K1", Event{Kind: KindPayloadChange, PayloadChange: &PayloadChange{Part: "a", Change: hostile, Disposition: Replayed, Status: 201, Verdict: NotApplicable}})
	run.emit("K1", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: hostile, Records: []Tally{tally("1", 2, hostile)}}})
	run.record(KindRecordCreated, hostile, "K1", "")
	run.record(KindRecordLeft, hostile, "K1", hostile)
	run.end(hostile)
	return run
}

func TestNothingFromATargetSteersTheTerminal(t *testing.T) {
	t.Parallel()
	run := hostileRun()
	for _, width := range []int{40, 100, 180} {
		var out bytes.Buffer
		require.NoError(t, Console(&out, run.report(), ConsoleOptions{Width: width, Verbose: true}))
		requirePrintable(t, out.String())
		for line := range strings.Lines(out.String()) {
			require.False(t, strings.HasPrefix(line, "K1  pass"), "a target wrote a line of its own")
		}
	}
	var out bytes.Buffer
	progress := Live(&out, LiveOptions{})
	for _, e := range run.events {
		require.NoError(t, progress.Event(e))
	}
	requirePrintable(t, out.String())
	out.Reset()
	require.NoError(t, JSON(&out, run.report()))
	requirePrintable(t, out.String())
}

func TestConsoleDoesNotChangeTheReport(t *testing.T) {
	t.Parallel()
	var before, after bytes.Buffer
	r := hostileRun().report()
	require.NoError(t, JSON(&before, r))
	require.NoError(t, Console(&bytes.Buffer{}, r, ConsoleOptions{Color: true}))
	require.NoError(t, JSON(&after, r))
	require.Equal(t, before.String(), after.String())
}
