package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func verbs() []Verb {
	return []Verb{
		{
			Name: "send", Doc: "Sends.",
			Sentences: []Sentence{
				{Text: `the operation is sent as "{as}" with {key}`},
				{Text: `the operation is sent as "{as}"`, Set: map[string]string{"key": "own"}},
			},
			Args: []Arg{
				{Name: "as"},
				{Name: "key", Default: "own", Choices: []Choice{{"its own", "own"}, {"the same key", "same"}, {"no key (at all)", "none"}}},
				{Name: "target_record"},
			},
		},
		{
			Name: "records", Doc: "Counts.",
			Sentences: []Sentence{{Text: "exactly {count} record(s) exist(s)"}},
			Args:      []Arg{{Name: "count", Number: true}},
		},
	}
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	l, err := Compile(verbs())
	require.NoError(t, err)
	for text, want := range map[string]map[string]string{
		`the operation is sent as "retry"`:                         {"as": "retry", "key": "own"},
		`the operation is sent as "a + b" with the same key`:       {"as": "a + b", "key": "same"},
		`the operation is sent as "first" with no key (at all)`:    {"as": "first", "key": "none"},
		"exactly 1 record exists":                                  {"count": "1"},
		"exactly 12 records exist":                                 {"count": "12"},
		"exactly one record exists":                                nil,
		`the operation is sent as "first" with another key`:        nil,
		`the operation is sent as "fir"st" with the same key`:      nil,
		"and exactly 1 record exists":                              nil,
		`the operation is sent as "first" with the same key again`: nil,
	} {
		m, err := l.Recognise(text)
		if want == nil {
			assert.ErrorContains(t, err, "no step reads", text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want, m.Args, text)
	}
}

func TestRecogniseRefusesTwoReadings(t *testing.T) {
	t.Parallel()
	list := append(verbs(), Verb{Name: "other", Sentences: []Sentence{{Text: "exactly 1 record exists"}}})
	l, err := Compile(list)
	require.NoError(t, err)
	_, err = l.Recognise("exactly 1 record exists")
	assert.ErrorContains(t, err, "reads as")
}

func TestCompileRefusesAnUnknownArgument(t *testing.T) {
	t.Parallel()
	_, err := Compile([]Verb{{Name: "send", Sentences: []Sentence{{Text: `sent as "{name}"`}}}})
	assert.ErrorContains(t, err, `no argument "name"`)
}

func TestTable(t *testing.T) {
	t.Parallel()
	l, err := Compile(verbs())
	require.NoError(t, err)
	m, err := l.Recognise(`the operation is sent as "retry"`)
	require.NoError(t, err)
	require.NoError(t, m.Verb.CheckTable([][]string{{"target record", "A81"}, {"key", "the same key"}}))
	m.Fill([][]string{{"target record", "A81"}, {"key", "the same key"}})
	assert.Equal(t, map[string]string{"as": "retry", "key": "same", "target_record": "A81"}, m.Args)
	assert.ErrorContains(t, m.Verb.CheckTable([][]string{{"record", "A81"}}), `takes no "record"`)
	assert.ErrorContains(t, m.Verb.CheckTable([][]string{{"as"}}), "two columns")
}

// Whatever a step says, it is read in one way, or refused with its own words.
func FuzzRecognise(f *testing.F) {
	l, err := Compile(verbs())
	require.NoError(f, err)
	f.Add(`the operation is sent as "retry" with the same key`)
	f.Add("exactly 1 record exists")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := l.Recognise(text)
		if err == nil && m.Args["as"] != "" && !strings.Contains(text, m.Args["as"]) {
			t.Errorf("%q was read as %v", text, m.Args)
		}
	})
}
