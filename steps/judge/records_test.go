package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func reading(n int) targets.Reading { return targets.Reading{Observer: "tasks", Count: n} }

func TestRecords(t *testing.T) {
	t.Parallel()
	inferred := targets.Reading{Observer: "answers", Count: 1, Inferred: true}
	for name, c := range map[string]struct {
		in      Counted
		kind    reports.FindingKind
		unclear bool
	}{
		"right":                               {in: Counted{Reading: reading(1), Expect: Exactly(1)}},
		"two for one":                         {in: Counted{Reading: reading(2), Expect: Exactly(1), Claimed: true}, kind: reports.Duplicate},
		"two for one, one of them refused":    {in: Counted{Reading: reading(2), Expect: Exactly(1), Claimed: true, Refused: true, Answered: []string{"a"}}, kind: reports.Phantom},
		"two ids answered, one more refused":  {in: Counted{Reading: reading(2), Expect: Exactly(1), Claimed: true, Refused: true, Answered: []string{"a", "b"}}, kind: reports.Duplicate},
		"one where none is right":             {in: Counted{Reading: reading(1), Expect: Exactly(0)}, kind: reports.Phantom},
		"one where none is right, claimed":    {in: Counted{Reading: reading(1), Expect: Exactly(0), Claimed: true, Answered: []string{"a"}}, kind: reports.Duplicate},
		"claimed and not there":               {in: Counted{Reading: reading(0), Expect: Exactly(1), Claimed: true}, kind: reports.Lost},
		"not claimed and not there":           {in: Counted{Reading: reading(0), Expect: Exactly(1)}, unclear: true},
		"two mails for one record":            {in: Counted{Reading: reading(2), Expect: Exactly(1), SideEffect: true}, kind: reports.SideEffectRepeated},
		"no mail for one record":              {in: Counted{Reading: reading(0), Expect: Exactly(1), SideEffect: true}, kind: reports.Lost},
		"could not be counted":                {in: Counted{Reading: targets.Reading{Err: "HTML"}, Expect: Exactly(0)}, unclear: true},
		"answers only, all answered":          {in: Counted{Reading: inferred, Expect: Exactly(1), Claimed: true}},
		"answers only, one without an answer": {in: Counted{Reading: inferred, Expect: Exactly(1), Claimed: true, Unanswered: true}, unclear: true},
		"answers only, too few":               {in: Counted{Reading: inferred, Expect: Exactly(2), Claimed: true}, unclear: true},
		"answers only, two ids":               {in: Counted{Reading: targets.Reading{Count: 2, Inferred: true}, Expect: Exactly(1), Claimed: true, Unanswered: true}, kind: reports.Duplicate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.in.Level = targets.Must
			o := Records(c.in)
			assert.Equal(t, c.unclear, o.Unclear != "", o.Unclear)
			if c.kind == "" {
				assert.Empty(t, o.Findings)
				return
			}
			require.Len(t, o.Findings, 1)
			assert.Equal(t, c.kind, o.Findings[0].Kind)
			assert.Equal(t, targets.Must, o.Findings[0].Level)
		})
	}
}

// A count that is not the expected one is never silent, and the expected one never complains.
func TestRecordsNeverSilent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(0, 5).Draw(t, "min")
		c := Counted{
			Reading: reading(rapid.IntRange(0, 12).Draw(t, "count")),
			Expect:  Expectation{low, low + rapid.IntRange(0, 3).Draw(t, "more")},
			Claimed: rapid.Bool().Draw(t, "claimed"), Refused: rapid.Bool().Draw(t, "refused"),
			SideEffect: rapid.Bool().Draw(t, "side effect"), Unanswered: rapid.Bool().Draw(t, "unanswered"),
		}
		o := Records(c)
		right := c.Reading.Count >= c.Expect.Min && c.Reading.Count <= c.Expect.Max
		silent := len(o.Findings) == 0 && o.Unclear == ""
		if right != silent {
			t.Fatalf("count %d for %s: %+v", c.Reading.Count, c.Expect, o)
		}
	})
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	duplicate := reports.Finding{Kind: reports.Duplicate, Level: targets.Must, Message: "2 records"}
	status := reports.Finding{Kind: reports.WrongStatus, Level: targets.Should, Message: "409"}
	excused := duplicate
	excused.Known = "ORD-1"
	for name, c := range map[string]struct {
		in     Evidence
		want   reports.Verdict
		broken targets.Level
	}{
		"nothing could fail":         {Evidence{}, reports.NotApplicable, ""},
		"judged and clean":           {Evidence{Judged: true}, reports.Pass, ""},
		"unclear":                    {Evidence{Judged: true, Unclear: []string{"?"}}, reports.Inconclusive, ""},
		"error outranks unclear":     {Evidence{Errors: []string{"!"}, Unclear: []string{"?"}}, reports.Error, ""},
		"finding outranks all":       {Evidence{Findings: []reports.Finding{duplicate}, Errors: []string{"!"}, Unclear: []string{"?"}}, reports.Fail, targets.Must},
		"the strictest finding":      {Evidence{Findings: []reports.Finding{status, duplicate}}, reports.Fail, targets.Must},
		"a known one breaks nothing": {Evidence{Judged: true, Findings: []reports.Finding{excused}}, reports.Fail, ""},
		"a known one, and unclear":   {Evidence{Judged: true, Findings: []reports.Finding{excused}, Unclear: []string{"?"}}, reports.Inconclusive, ""},
		"a known one hides no other": {Evidence{Judged: true, Findings: []reports.Finding{excused, status}}, reports.Fail, targets.Should},
		"missing":                    {Evidence{Missing: "no clock"}, reports.NotApplicable, ""},
		"never started":              {Evidence{NotRun: "replay-once failed"}, reports.NotRun, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _, broken := Verdict(c.in)
			assert.Equal(t, c.want, v)
			assert.Equal(t, c.broken, broken)
		})
	}
}

func TestOneRecord(t *testing.T) {
	t.Parallel()
	assert.Empty(t, OneRecord(targets.Must, map[string][]string{"a": {"worker 1", "worker 2"}}))
	f := OneRecord(targets.Must, map[string][]string{"b": {"worker 2"}, "a": {"worker 1"}})
	require.Len(t, f, 1)
	assert.Equal(t, reports.Duplicate, f[0].Kind)
	assert.Equal(t, []string{"a", "b"}, f[0].IDs)
}
