package discover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

func attempt(name string, status int, id string) reports.Exchange {
	return reports.Exchange{Name: name, Purpose: reports.PurposeAttempt, Status: status, ID: id}
}

// ran is a case that was run, with its count and attempts.
func ran(id string, v reports.Verdict, count int, exchanges ...reports.Exchange) reports.Case {
	c := reports.Case{Exchanges: exchanges}
	c.ID, c.Verdict = id, v
	if count >= 0 {
		c.Records = []reports.Tally{{Observer: "records", Found: &count}}
	}
	return c
}

func together(overlapped, raced int, v reports.Verdict) reports.Case {
	c := ran(burstCase(false), v, 1)
	c.Overlap = &reports.Overlap{Sends: 10, Rounds: 20, Planned: 20, Overlapped: overlapped, Raced: raced, Overlapping: overlapped >= 20}
	return c
}

// sound is what the cases come to at a vendor that honours the key.
func sound() map[string]reports.Case {
	return map[string]reports.Case{
		"replay":   ran(caseReplay, reports.Pass, 1, attempt("first", 201, "a"), attempt("again", 201, "a")),
		"control":  ran(caseControl, reports.Pass, 2, attempt("second order", 201, "c")),
		"mismatch": ran(caseMismatch, reports.Pass, 1, attempt("revised", 422, "")),
		"burst":    together(20, 0, reports.Pass),
	}
}

func conclusion(t *testing.T, strength Strength, change func(map[string]reports.Case)) Result {
	t.Helper()
	cases := sound()
	if change != nil {
		change(cases)
	}
	e := evidence{strength: strength, asked: map[string]int{}}
	for _, c := range cases {
		e.report.Cases = append(e.report.Cases, c)
	}
	r := Result{Strength: strength}
	e.conclude(&r)
	return r
}

// HONOURED needs each of its four proofs; what is missing takes it away.
func TestConclude(t *testing.T) {
	t.Parallel()
	type cases = map[string]reports.Case
	duplicate := reports.Finding{Kind: reports.Duplicate}
	for name, c := range map[string]struct {
		change func(cases)
		want   Verdict
		says   string
	}{
		"all four": {nil, Honoured, ""},
		"two records for one key": {func(m cases) {
			m["replay"] = ran(caseReplay, reports.Fail, 2, attempt("first", 201, "a"), attempt("again", 201, "b"))
		}, Ignored, "made 2 records"},
		"no count":                 {func(m cases) { m["replay"] = ran(caseReplay, reports.Inconclusive, -1) }, CouldNotTell, "could not be counted"},
		"nothing counted":          {func(m cases) { m["replay"] = ran(caseReplay, reports.Inconclusive, 0) }, CouldNotTell, "could not be counted"},
		"no control":               {func(m cases) { delete(m, "control") }, CouldNotTell, "second key"},
		"equal contents collapse":  {func(m cases) { m["control"] = ran(caseControl, reports.Fail, 1) }, Partly, "different keys"},
		"no mismatch":              {func(m cases) { delete(m, "mismatch") }, CouldNotTell, "another payload"},
		"a mismatch that creates":  {func(m cases) { m["mismatch"] = ran(caseMismatch, reports.Fail, 2, attempt("revised", 201, "b")) }, Partly, "made a second record"},
		"a mismatch that replays":  {func(m cases) { m["mismatch"] = ran(caseMismatch, reports.Pass, 1, attempt("revised", 201, "a")) }, Partly, "as if it had been carried out"},
		"a mismatch not looked at": {func(m cases) { m["mismatch"] = ran(caseConflict, reports.Pass, 1, attempt("revised", 422, "")) }, CouldNotTell, "read back"},
		"no burst":                 {func(m cases) { delete(m, "burst") }, CouldNotTell, "could not be tried"},
		"a burst without overlap":  {func(m cases) { m["burst"] = together(3, 0, reports.Inconclusive) }, CouldNotTell, "no 20 rounds"},
		"a race":                   {func(m cases) { m["burst"] = together(1, 1, reports.Fail) }, Partly, "concurrency"},
		"a race, and no control":   {func(m cases) { m["burst"] = together(1, 1, reports.Fail); delete(m, "control") }, Partly, "concurrency"},
		"a repeat that is refused": {func(m cases) {
			m["replay"] = ran(caseReplay, reports.Pass, 1, attempt("first", 201, "a"), attempt("again", 409, ""))
		}, Partly, "the first answer"},
		"a repeat that names another": {func(m cases) {
			m["replay"] = ran(caseReplay, reports.Pass, 1, attempt("first", 201, "a"), attempt("again", 201, "b"))
		}, Partly, "names b"},
		"the key does nothing": {func(m cases) {
			m["control"] = ran(caseControl, reports.Fail, 1)
			m["mismatch"] = ran(caseMismatch, reports.Fail, 2, attempt("revised", 201, "b"))
		}, Ignored, "makes no difference"},
		"a retry that creates": {func(m cases) {
			lost := ran(caseLost, reports.Fail, 2)
			lost.Findings = []reports.Finding{duplicate}
			m["lost"] = lost
		}, Partly, "retries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := conclusion(t, Counted, c.change)
			assert.Equal(t, c.want, r.Verdict)
			all := strings.Join(append(append([]string{r.Why}, r.Missing...), r.Untold...), " · ")
			assert.Contains(t, all, c.says)
			assert.NotEmpty(t, next(r), "whatever it ends in, there is something to do")
		})
	}
}

// A run that stopped says nothing, whatever its cases have come to.
func TestConcludeStopped(t *testing.T) {
	t.Parallel()
	for _, report := range []reports.Report{
		{Stopped: "interrupted by the user"},
		{Preflight: &reports.Preflight{Reason: "the observer records is not to be trusted"}},
	} {
		report.Cases = []reports.Case{sound()["replay"]}
		r := Result{}
		evidence{report: report, strength: Counted}.conclude(&r)
		assert.Equal(t, CouldNotTell, r.Verdict)
		assert.NotEmpty(t, r.Why)
	}
}

func TestVerdictExits(t *testing.T) {
	t.Parallel()
	for v, want := range map[Verdict]int{Honoured: 0, Partly: 1, Ignored: 1, Refused: 1, CouldNotTell: 3} {
		assert.Equal(t, want, v.Exit(), v)
	}
}

// A profile that was seen is read again as it was written.
func TestProfileYAML(t *testing.T) {
	t.Parallel()
	var e evidence
	e.strength = Counted
	first, again := attempt("first", 201, "a"), attempt("again", 201, "a")
	again.Answer = map[string][]string{"Idempotent-Replayed": {"true"}, "X-Request-Id": {"2"}}
	first.Answer = map[string][]string{"X-Request-Id": {"1"}}
	revised := attempt("revised", 422, "")
	revised.Content = reports.Text{Text: `{"error":{"code":"key_reused: no"},"code":"reused"}`}
	e.report.Cases = []reports.Case{
		ran(caseReplay, reports.Pass, 1, first, again), ran(caseMismatch, reports.Pass, 1, revised), together(20, 0, reports.Pass),
		ran(caseMissing, reports.Pass, 1, attempt("keyless", 201, "k")),
		ran(keyLength(255), reports.Pass, 1, attempt("first", 201, "l")), ran(keyLength(256), reports.Pass, 0, attempt("first", 400, "")),
		ran(caseInvalid, reports.Pass, 1, attempt("invalid", 400, ""), attempt("corrected", 400, "")),
	}
	d := intake.New("a test")
	require.NoError(t, d.SetRequest("POST", "https://v.example/orders"))
	d.Key = targets.Key{In: targets.InHeader, Name: "Idempotency-Key", Companions: map[string]string{"Prefer": "respond-async"}}
	seen := e.contract(d, time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC))
	text, err := ProfileYAML(seen)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "p.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	read, err := targets.ProfileNamed(path, "")
	require.NoError(t, err, "%s", text)
	assert.Equal(t, 255, read.Key.MaxLength)
	assert.Equal(t, "respond-async", read.Key.Companions["Prefer"])
	assert.Equal(t, targets.Strings{targets.ModeIdentical}, read.Replay.Mode)
	assert.Equal(t, targets.Strings{"true"}, read.Replay.Marker.Value)
	assert.Equal(t, &targets.Code{At: "$.code", In: targets.Strings{"reused"}}, read.Mismatch.Code)
	assert.Equal(t, targets.Strings{targets.ModeWait}, read.InFlight.Mode)
	assert.Equal(t, targets.Strings{targets.ModeExecutes}, read.Missing.Mode)
	assert.Equal(t, targets.Strings{targets.ModeStored}, read.Failures.Validation.Mode)
	assert.Equal(t, targets.Observed, read.Replay.Provenance)
	assert.Equal(t, "2026-11-30", read.Replay.Date)
}

// What a vendor sends never drives the terminal.
func TestPrintable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `a \x1b[31m"b" c…`, printable("a \x1b[31m\"b\"\n\tc and more", 12))
}

func TestGuessID(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"a"}`: "$.id", `{"data":{"id":7}}`: "$.data.id", `{"order":{"uuid":"x"},"n":1}`: "$.order.uuid",
		`{"order_id":"x"}`: "$.order_id", `{"id":null,"ok":true}`: "", `[1]`: "", `<html>`: "", `{"a b":{"id":"x"}}`: "",
	} {
		assert.Equal(t, want, guessID(targets.Exchange{Content: []byte(body)}), body)
	}
}
