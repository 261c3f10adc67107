package reports

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

func TestTAP(t *testing.T) {
	t.Parallel()
	ciGoldens(t, TAP, "tap-%s.golden")
}

var (
	tapPointLine = regexp.MustCompile(`^(ok|not ok) (\d+) - (.*)$`)
	tapDirective = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*#`)
)

// readTAP reads a TAP document as a harness does, strictly, and gives the test points that failed.
func readTAP(t *testing.T, doc string) (failed int) {
	t.Helper()
	requirePrintable(t, doc)
	lines := strings.Split(strings.TrimSuffix(doc, "\n"), "\n")
	require.Equal(t, "TAP version 14", lines[0])
	points := 0
	for i := 2; i < len(lines); i++ {
		switch line := lines[i]; {
		case line == "  ---":
			end := i + 1
			for lines[end] != "  ..." {
				require.True(t, strings.HasPrefix(lines[end], "  "), "%q leaves the block", lines[end])
				end++
			}
			var d tapDiagnostic
			require.NoError(t, yaml.Unmarshal([]byte(strings.Join(lines[i+1:end], "\n")), &d))
			require.NotEmpty(t, d.Verdict)
			i = end
		case strings.HasPrefix(line, "# exit "):
			require.Equal(t, len(lines)-1, i, "the last line")
		default:
			m := tapPointLine.FindStringSubmatch(line)
			require.NotNil(t, m, "%q is no test point", line)
			points++
			require.Equal(t, fmt.Sprint(points), m[2])
			marks := len(tapDirective.FindAllString(m[3], -1))
			require.LessOrEqual(t, marks, 1, line)
			if m[1] == "not ok" && !strings.Contains(line, " # TODO ") {
				failed++
			}
		}
	}
	require.Equal(t, fmt.Sprintf("1..%d", points), lines[1])
	require.Positive(t, points)
	return failed
}

func TestTAPIsRead(t *testing.T) {
	t.Parallel()
	for name, r := range ciRuns() {
		failed := readTAP(t, string(written(t, TAP, r)))
		if r.Outcome.Exit != ExitPass {
			assert.Positive(t, failed, name)
		}
	}
	assert.Zero(t, readTAP(t, string(written(t, TAP, passing().report()))))
	assert.Equal(t, 4, readTAP(t, string(written(t, TAP, reportOf(markup)))), "preflight, run, the fail, the doubt")
	assert.Equal(t, `a \\\\ \# SKIP`, tapText(`a \\ # SKIP`))
}

func FuzzTAP(f *testing.F) {
	for _, seed := range []string{"", "K1", hostile, markup, "# SKIP", `\# TODO`, "...", "---", "- a: b", "{", "!!binary x", "|"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Zero(t, len(tapDirective.FindAllString(tapText(text), -1)))
		readTAP(t, string(written(t, TAP, reportOf(text))))
	})
}
