package steps

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/scenarios"
)

var compiledLanguage = sync.OnceValues(func() (*scenarios.Language, error) { return scenarios.Compile(Verbs()) })

func language(t testing.TB) *scenarios.Language {
	t.Helper()
	l, err := compiledLanguage()
	require.NoError(t, err)
	return l
}

// understood is what a scenario says, whatever it is written in.
type understood struct {
	setup bool // a Given: its failure is inconclusive; When and Then are told apart by their verbs
	verb  string
	args  map[string]string
	later bool
}

// read gives the steps of each case of a set by its id.
func read(t testing.TB, set *scenarios.Set) map[string][]understood {
	t.Helper()
	suite := godog.TestSuite{Options: &godog.Options{FS: set, Paths: set.Paths(), Strict: true}}
	files, err := suite.RetrieveFeatures()
	require.NoError(t, err)
	out := map[string][]understood{}
	l := language(t)
	for _, f := range files {
		for _, p := range f.Pickles {
			id := ""
			for _, tag := range p.Tags {
				if name, ok := strings.CutPrefix(tag.Name, "@id:"); ok {
					id = name
				}
			}
			for _, s := range p.Steps {
				m, err := understand(l, s)
				require.NoError(t, err, "%s: %s", f.Uri, s.Text)
				out[id] = append(out[id], understood{s.Type == messages.PickleStepType_CONTEXT, m.Verb.Name, m.Args, m.Later})
			}
		}
	}
	return out
}

// compiled loads YAML scenarios and gives them as a set.
func compiled(t testing.TB, path, text string) *scenarios.Set {
	t.Helper()
	f, err := language(t).Load(path, []byte(text))
	require.NoError(t, err)
	g, err := f.Compile()
	require.NoError(t, err)
	set := &scenarios.Set{}
	require.NoError(t, set.Add(g))
	return set
}

// asYAML writes the steps of a case as a scenario in YAML.
func asYAML(t testing.TB, id string, steps []understood) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "scenarios:\n  - id: %s\n    title: It is the same\n    level: must\n", id)
	last := ""
	for _, s := range steps {
		part := "when" // which may hold expectations, where a case looks in between
		if s.setup {
			part = "given"
		}
		if part != last {
			fmt.Fprintf(&b, "    %s:\n", part)
			last = part
		}
		v := language(t).Verbs()[slices.IndexFunc(language(t).Verbs(), func(v *scenarios.Verb) bool { return v.Name == s.verb })]
		line, err := v.YAML(s.args)
		require.NoError(t, err)
		fmt.Fprintf(&b, "      %s\n", strings.ReplaceAll(line, "\n", "\n      "))
	}
	return b.String()
}

// Everything that the built-in features do can be written in YAML, and says the same there: YAML, Gherkin and back.
func TestBuiltInCasesInYAML(t *testing.T) {
	t.Parallel()
	set := &scenarios.Set{}
	require.NoError(t, set.AddFeatures(features.FS, features.Paths()))
	cases := read(t, set)
	require.Greater(t, len(cases), 60)
	for id, steps := range cases {
		again := read(t, compiled(t, "x.yaml", asYAML(t, id, steps)))
		assert.Equal(t, steps, again[id], id)
	}
}

// Each sentence of each verb says in YAML what it says in Gherkin.
func TestEverySpelling(t *testing.T) {
	t.Parallel()
	l := language(t)
	for _, v := range l.Verbs() {
		list, err := v.Spellings()
		require.NoError(t, err)
		require.Len(t, list, len(v.Sentences))
		for _, s := range list {
			set := compiled(t, "x.yaml", "scenarios:\n  - id: x\n    title: T\n    level: must\n    when:\n      "+strings.ReplaceAll(s.YAML, "\n", "\n      ")+"\n")
			got := read(t, set)["x"]
			require.Len(t, got, 1, s.YAML)
			assert.Equal(t, v.Name, got[0].verb, s.YAML)
		}
	}
}

// The twins of hand-written features: each file in testdata says in YAML what the features say, and all of them together
// use every verb that the features use.
func TestTwins(t *testing.T) {
	t.Parallel()
	set := &scenarios.Set{}
	require.NoError(t, set.AddFeatures(features.FS, features.Paths()))
	written := read(t, set)
	used := map[string]bool{}
	text, err := os.ReadFile("testdata/twins.yaml")
	require.NoError(t, err)
	for id, steps := range read(t, compiled(t, "twins.yaml", string(text))) {
		assert.Equal(t, written[id], steps, id)
		for _, s := range steps {
			used[s.verb] = true
		}
	}
	for id, steps := range written {
		for _, s := range steps {
			assert.True(t, used[s.verb], "no twin uses %s, as %s does", s.verb, id)
		}
	}
}
