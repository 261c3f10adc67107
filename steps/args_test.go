package steps

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/scenarios"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	a, err := decode[sendArgs](map[string]string{"as": "retry", "key": "same", "body": "changed:note"})
	require.NoError(t, err)
	assert.Equal(t, sendArgs{As: "retry", Key: "same", Body: "changed:note"}, a)
	_, err = decode[sendArgs](map[string]string{"key": "sane"})
	assert.ErrorContains(t, err, `"sane" is none of same`)
	_, err = decode[togetherArgs](map[string]string{"count": "two"})
	assert.ErrorContains(t, err, "no whole number")
}

// Every row of the table is complete: what is named in a sentence exists, and everything is documented.
func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	_, err := scenarios.Compile(Verbs())
	require.NoError(t, err)
	names := map[string]bool{}
	for _, r := range table() {
		assert.False(t, names[r.Name], "the verb %s stands twice", r.Name)
		names[r.Name] = true
		assert.NotEmpty(t, r.Doc, r.Name)
		assert.NotEmpty(t, r.Sentences, r.Name)
		for _, a := range r.Args {
			assert.NotEmpty(t, a.Name, r.Name)
			assert.NotEmpty(t, a.Doc, "%s %s", r.Name, a.Name)
		}
		for _, s := range r.Sentences {
			for name, value := range s.Set {
				require.NotNil(t, argOf(r.Verb, name), "%s implies %s", r.Name, name)
				_ = value
			}
		}
	}
}

func argOf(v scenarios.Verb, name string) *scenarios.Arg {
	for i := range v.Args {
		if v.Args[i].Name == name {
			return &v.Args[i]
		}
	}
	return nil
}

func TestVerbGivesTypedArguments(t *testing.T) {
	t.Parallel()
	var got recordsArgs
	r := verb("records", "", func(_ *world, _ context.Context, a recordsArgs) error { got = a; return nil })
	require.NoError(t, r.do(t.Context(), nil, map[string]string{"count": "3", "namespace": "other_tenant"}))
	assert.Equal(t, recordsArgs{Count: 3, Namespace: "other_tenant"}, got)
}

// A word is found where it stands alone, and never inside a longer one.
func TestContainsWord(t *testing.T) {
	t.Parallel()
	assert.True(t, containsWord(`{"id":"12"}`, "12"))
	assert.False(t, containsWord(`{"id":"3123"}`, "12"))
	assert.True(t, containsWord(`{"a":"3123","id":12}`, "12"))
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9]{1,6}`).Draw(t, "word")
		left := rapid.StringMatching(`[a-z0-9]{1,3}`).Draw(t, "left")
		if containsWord("/"+left+word, word) && left+word != word {
			// only if the word also stands at the left border of what precedes it
			if containsWord("/"+left+word, word) != (word == left+word) {
				t.Fatalf("%q found in %q", word, left+word)
			}
		}
	})
}
