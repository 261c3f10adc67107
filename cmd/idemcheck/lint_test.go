package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each wrong example in testdata/lint, with what lint says about it.
func TestLintGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/lint/*.[yf]*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for format, golden := range map[string]string{"text": "testdata/lint/golden.txt", "github": "testdata/lint/golden.github.txt"} {
		var out bytes.Buffer
		for _, file := range files {
			problems, err := lint([]string{file})
			require.NoError(t, err)
			for _, p := range problems {
				lintFormats[format](&out, p)
				assert.NotZero(t, p.line, p.text)
			}
			assert.Equal(t, strings.Contains(file, "fine"), verdictOf(problems) == nil, file)
		}
		if *update {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), out.String(), "go test ./cmd/idemcheck -run Lint -update writes it anew")
	}
}

// What is delivered has no mistakes.
func TestLintOfWhatIsDelivered(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"../../scenarios", "../../targets/examples", "../../targets/profiles"} {
		problems, err := lint([]string{folder})
		require.NoError(t, err)
		assert.Empty(t, problems)
	}
}

// A file that is too large is one message.
func TestLintOfALargeFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"large.yaml", "large.feature"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("scenarios: [] # \n"), 100_000), 0o600))
		problems, err := lint([]string{path})
		if err != nil {
			assert.ErrorContains(t, err, "larger than 1 MiB")
			continue
		}
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].text, "larger than 1 MiB")
	}
}
