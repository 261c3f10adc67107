package steps

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/scenarios"
)

// hostile are texts that mean something to YAML, to Gherkin, to JSON or to an outline.
var hostile = []string{`"`, `""`, `"""`, "```", "|", `\|`, `\`, `\n`, "<a>", "<b>", "<as>", "<the variant>", "< a >", "#", "@x", ":", "- x", "{{a}}", "{", "}",
	"[1]", `{"a":"<b>"}`, "'", "*", "&x", "!", "%", "\n", "\t", " ", "  two  ", "Given x", "Scenario: x", "null", "true", "007", "1e3", "é", "\u2028", "\u00a0", "", "the same key",
	`\u003c`, "&lt;", "in the end, "}

func hostileText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(hostile, "word", "a b")), 0, 3).Draw(t, "text"), "")
}

// argValue draws a value that an argument takes.
func argValue(t *rapid.T, a scenarios.Arg) string {
	switch {
	case a.Number:
		return fmt.Sprint(rapid.IntRange(0, 500).Draw(t, "number"))
	case len(a.Choices) > 0:
		value := rapid.SampledFrom(a.Choices).Draw(t, "choice").Value
		if strings.HasSuffix(value, ":") {
			value += hostileText(t)
		}
		return value
	case a.JSON && rapid.Bool().Draw(t, "nested"):
		b, err := json.Marshal(map[string]any{"x": hostileText(t), "y": []any{1, hostileText(t), nil}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return hostileText(t)
}

// wholeUse draws the use of a verb with all that its sentence needs, and some of the rest.
func wholeUse(t *rapid.T) (scenarios.Verb, map[string]string) {
	v := rapid.SampledFrom(Verbs()).Draw(t, "verb")
	s := rapid.SampledFrom(v.Sentences).Draw(t, "sentence")
	args := map[string]string{}
	for _, a := range v.Args {
		if strings.Contains(s.Text, "{"+a.Name+"}") || rapid.IntRange(0, 3).Draw(t, "given") == 0 {
			args[a.Name] = argValue(t, a)
		}
	}
	maps.Copy(args, s.Set)
	return v, args
}

// Whatever loads reads in Gherkin as the same steps with the same arguments, in each variant.
func TestCompiledScenariosReadTheSame(t *testing.T) {
	t.Parallel()
	l := language(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := drawFile(rt)
		f, err := l.Load("x.yaml", []byte(text))
		if err != nil {
			return // a draw that does not fit together, such as a combination that no sentence says
		}
		if err := sameInGherkin(t, f); err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
	})
}

// drawFile writes a file with one scenario, which may have variants.
func drawFile(t *rapid.T) string {
	scenario := map[string]any{"id": "x", "title": "T " + hostileText(t), "level": "must", "why": hostileText(t)}
	parts := map[string][]any{}
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		v, args := wholeUse(t)
		given := map[string]any{}
		for name, value := range args {
			given[name] = value
			if rapid.IntRange(0, 4).Draw(t, "variable") == 0 {
				given[name] = rapid.SampledFrom([]string{"<a>", "<b>", "x <a> <b>"}).Draw(t, "column")
			}
		}
		part := rapid.SampledFrom([]string{"given", "when", "then", "cleanup"}).Draw(t, "part")
		parts[part] = append(parts[part], map[string]any{v.Name: given})
	}
	for name, steps := range parts {
		scenario[name] = steps
	}
	if rapid.Bool().Draw(t, "variants") {
		scenario["each"] = []any{
			map[string]any{"label": "one", "a": hostileText(t), "b": "same"},
			map[string]any{"label": "two", "a": rapid.SampledFrom([]string{"own", "3", "main"}).Draw(t, "a"), "b": hostileText(t)},
		}
	}
	text, err := yaml.Marshal(map[string]any{"scenarios": []any{scenario}, "about": hostileText(t)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameInGherkin compares what a file says with what its Gherkin says.
func sameInGherkin(t testing.TB, f *scenarios.File) error {
	g, err := f.Compile()
	if err != nil {
		return err
	}
	set := &scenarios.Set{}
	require.NoError(t, set.Add(g))
	got := read(t, set)
	for _, s := range f.Scenarios {
		cases := s.Each
		if len(cases) == 0 {
			cases = []scenarios.Variant{{}}
		}
		for _, v := range cases {
			id := s.ID
			if v.Label != "" {
				id += "[" + v.Label + "]"
			}
			if len(got[id]) != len(s.Steps) {
				return fmt.Errorf("%s has %d steps and not %d:\n%s", id, len(got[id]), len(s.Steps), g.Text)
			}
			for i, step := range s.Steps {
				if err := sameStep(step, v, got[id][i]); err != nil {
					return fmt.Errorf("%s: %w\n%s", id, err, g.Text)
				}
			}
		}
	}
	return nil
}

func sameStep(s scenarios.Step, v scenarios.Variant, got understood) error {
	if got.verb != s.Verb.Name || got.later != s.Later {
		return fmt.Errorf("%s was read as %s (later %v)", s.Verb.Name, got.verb, got.later)
	}
	want := s.In(v)
	for name, text := range want {
		if found, ok := got.args[name]; !ok || found != text && !sameJSON(s.Verb, name, found, text) {
			return fmt.Errorf("%s.%s is %q, and was read as %q", s.Verb.Name, name, text, found)
		}
	}
	for name, text := range got.args {
		a := s.Verb.Args[slices.IndexFunc(s.Verb.Args, func(a scenarios.Arg) bool { return a.Name == name })]
		if _, given := want[name]; !given && text != a.Default {
			return fmt.Errorf("%s.%s was read as %q, and nothing was said", s.Verb.Name, name, text)
		}
	}
	return nil
}

func sameJSON(v *scenarios.Verb, name, a, b string) bool {
	arg := v.Args[slices.IndexFunc(v.Args, func(a scenarios.Arg) bool { return a.Name == name })]
	var x, y any
	return arg.JSON && json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// Whatever bytes a scenario file holds: it is refused with places, or it loads, and then it reads the same in Gherkin.
func FuzzScenarioFile(f *testing.F) {
	for _, pattern := range []string{"../scenarios/*.yaml", "../scenarios/skeleton.txt", "testdata/twins.yaml", "../cmd/idemcheck/testdata/lint/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	l := language(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := l.Load("x.yaml", data)
		if err != nil {
			var list scenarios.FileErrors
			require.ErrorAs(t, err, &list)
			for _, e := range list {
				require.Positive(t, e.Line, e.Msg)
				require.Positive(t, e.Column, e.Msg)
			}
			return
		}
		ids := map[string]bool{}
		for _, s := range file.Scenarios {
			if ids[s.ID] {
				return // planning refuses it
			}
			ids[s.ID] = true
		}
		require.NoError(t, sameInGherkin(t, file))
	})
}
