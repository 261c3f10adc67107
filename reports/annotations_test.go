package reports

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestAnnotations(t *testing.T) {
	t.Parallel()
	ciGoldens(t, Annotations, "annotations-%s.golden")
}

var workflowCommand = regexp.MustCompile(`^::(error|warning|notice) ((?:[a-z]+=[^,:\r\n]*)(?:,[a-z]+=[^,:\r\n]*)*)::(.+)$`)

// readAnnotations reads every line as the runner of GitHub does, and counts the commands.
func readAnnotations(t *testing.T, doc string) map[string]int {
	t.Helper()
	requirePrintable(t, doc)
	counts := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(doc, "\n"), "\n")
	for i, line := range lines {
		m := workflowCommand.FindStringSubmatch(line)
		require.NotNil(t, m, "%q is no workflow command", line)
		for _, property := range strings.Split(m[2], ",") {
			name, _, _ := strings.Cut(property, "=")
			require.Contains(t, []string{"file", "line", "title"}, name)
		}
		require.NotRegexp(t, `%(?:[^20]|2[^5C]|0[^AD]|$)`, m[3])
		require.Equal(t, i == len(lines)-1, m[1] == "notice", "one notice, at the end")
		counts[m[1]]++
	}
	return counts
}

func TestAnnotationsAreCommands(t *testing.T) {
	t.Parallel()
	for name, r := range ciRuns() {
		counts := readAnnotations(t, string(written(t, Annotations, r)))
		if r.Outcome.Exit != ExitPass {
			assert.Positive(t, counts["error"]+counts["warning"], name)
		}
	}
	counts := readAnnotations(t, string(written(t, Annotations, reportOf(markup))))
	assert.Equal(t, map[string]int{"error": 2, "warning": 2, "notice": 1}, counts)
	assert.Equal(t, `a%2Cb%3Ac%25\n`, annotationProperty("a,b:c%\n"))
	assert.Equal(t, `a,b:c%25%0Ad`, annotationMessage([]string{"a,b:c%", "d"}))
}

func TestAnnotationsStopAtTheLimit(t *testing.T) {
	t.Parallel()
	r := Report{Complete: true}
	for i := range 30 {
		r.Cases = append(r.Cases, outcomeCase(fmt.Sprintf("a%d", i), targets.Must, Fail, targets.Must),
			outcomeCase(fmt.Sprintf("b%d", i), targets.Should, Fail, targets.Should))
	}
	r.Outcome = ExitStatus(r)
	text := string(written(t, Annotations, r))
	assert.Equal(t, map[string]int{"error": 10, "warning": 10, "notice": 1}, readAnnotations(t, text))
	assert.Contains(t, text, "20 more errors are left out: GitHub shows 10%0A20 more warnings are left out")
}

func TestFileLine(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"features/a.feature:12": "features/a.feature 12", `C:\a.yaml:3`: `C:\a.yaml 3`,
		"": " 0", "a": " 0", ":3": " 0", "a:0": " 0", "a:-1": " 0", "a:b": " 0",
	} {
		file, line := fileLine(uri)
		assert.Equal(t, want, fmt.Sprintf("%s %d", file, line), uri)
	}
}

func FuzzAnnotations(f *testing.F) {
	for _, seed := range []string{"", "K1", hostile, markup, "%0A::error::", "a,b:c", "\r\n::notice::x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.NotContains(t, annotationProperty(text), ",")
		require.NotContains(t, annotationProperty(text), ":")
		readAnnotations(t, string(written(t, Annotations, reportOf(text))))
	})
}
