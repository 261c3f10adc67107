package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func compared(t *testing.T, reports ...Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, CompareMarkdown(&out, Compare(reports)))
	return out.String()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string][]Report{
		"versions": {passing().report(), failing().report()},
		"targets":  {failing().report(), answersOnly().report(), untrusted().report()},
		"sweeps":   {passingSweep().report(), sweep().report()},
		"same":     {passing().report(), passing().report()},
		"nothing":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "compare-"+name+".golden.md", []byte(compared(t, runs...)))
			var page bytes.Buffer
			require.NoError(t, CompareHTML(&page, Compare(runs)))
			_, body, _ := strings.Cut(page.String(), "</style>")
			golden(t, "compare-"+name+".golden.html", []byte(body))
		})
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	cell := func(v Verdict, kinds ...FindingKind) ComparedCell {
		c := outcomeCase("a", targets.Must, v, "")
		for _, k := range kinds {
			c.Findings = append(c.Findings, Finding{Kind: k, Level: targets.Must})
		}
		return comparedCell(c, false)
	}
	missing := ComparedCell{Missing: true}
	for _, tt := range []struct {
		name  string
		cells []ComparedCell
		want  Change
	}{
		{"nowhere", []ComparedCell{missing, missing}, Unchanged},
		{"in one run only", []ComparedCell{missing, cell(Fail)}, Unchanged},
		{"the same", []ComparedCell{cell(Fail, Duplicate), missing, cell(Fail, Duplicate)}, Unchanged},
		{"broke", []ComparedCell{cell(Pass), cell(Fail)}, Broke},
		{"broke, with a doubt between", []ComparedCell{cell(Pass), cell(Inconclusive), cell(Fail), missing}, Broke},
		{"fixed", []ComparedCell{cell(NotRun), cell(Fail), cell(Pass)}, Fixed},
		{"broke for a while", []ComparedCell{cell(Pass), cell(Fail), cell(Pass)}, Differs},
		{"fails otherwise", []ComparedCell{cell(Fail, Duplicate), cell(Fail, Lost)}, Differs},
		{"can no longer be told", []ComparedCell{cell(Pass), cell(Inconclusive)}, Differs},
		{"does not apply to all", []ComparedCell{cell(NotApplicable), cell(Pass)}, Differs},
	} {
		assert.Equal(t, tt.want, changeOf(tt.cells), tt.name)
	}
}

func TestComparedRunsAreToldApart(t *testing.T) {
	t.Parallel()
	c := Compare([]Report{passing().report(), passing().report(), answersOnly().report()})
	assert.NotEqual(t, c.Runs[0].Name, c.Runs[1].Name)
	assert.Equal(t, "orders-staging", c.Runs[2].Name)
	later := passing().report()
	later.Started = later.Started.Add(1e12)
	c = Compare([]Report{passing().report(), later})
	assert.Equal(t, []string{"reference · 2026-03-04 05:06", "reference · 2026-03-04 05:22"}, []string{c.Runs[0].Name, c.Runs[1].Name})
}

func TestComparisonIsClosed(t *testing.T) {
	t.Parallel()
	text := compared(t, manyCases(2_000, markup), manyCases(1_900, ""), reportOf(markup))
	assert.LessOrEqual(t, len(text), MarkdownBudget)
	assert.Contains(t, text, "left out here")
	requirePrintable(t, text)
	assert.NotContains(t, text, "<script")
	assert.NotContains(t, text, "@octocat")
}
