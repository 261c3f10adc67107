package targets

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpelled(t *testing.T) {
	t.Parallel()
	b, err := NewBody([]byte(`{"a":"x{{marker}}","n":1,"f":1.5,"list":[1,{"b":"😀"}],"empty":""}`))
	require.NoError(t, err)
	vars := Vars{"marker": "M"}
	plain, err := b.Render(vars)
	require.NoError(t, err)
	for s, want := range map[Spelling]string{
		OtherOrder:    `{"empty":"","list":[1,{"b":"😀"}],"f":1.5,"n":1,"a":"xM"}`,
		Escaped:       `{"a":"\u0078M","n":1,"f":1.5,"list":[1,{"b":"\ud83d\ude00"}],"empty":""}`,
		WithPoint:     `{"a":"xM","n":1.0,"f":1.5,"list":[1.0,{"b":"😀"}],"empty":""}`,
		WithExponent:  `{"a":"xM","n":1e0,"f":1.5,"list":[1e0,{"b":"😀"}],"empty":""}`,
		OtherSequence: `{"a":"xM","n":1,"f":1.5,"list":[{"b":"😀"},1],"empty":""}`,
	} {
		got, err := b.Spelled(vars, s)
		require.NoError(t, err, s)
		assert.Equal(t, want, string(got), s)
		assert.True(t, b.Spells(s), s)
		assert.Equal(t, s != OtherSequence, sameJSON(t, plain, got), s)
	}
	spaced, err := b.Spelled(vars, Spaced)
	require.NoError(t, err)
	assert.True(t, sameJSON(t, plain, spaced))
	assert.NotEqual(t, string(plain), string(spaced))
	again, err := b.Render(vars)
	require.NoError(t, err)
	assert.Equal(t, string(plain), string(again), "the body itself stays as it is")
	_, err = NewTextBody("x").Spelled(vars, Spaced)
	assert.ErrorContains(t, err, "not JSON")
	_, err = b.Spelled(vars, "loud")
	assert.ErrorContains(t, err, "no spelling")
}

func TestSpellsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	b, err := NewBody([]byte(`{"a":"","list":[1.5]}`))
	require.NoError(t, err)
	for s, want := range map[Spelling]bool{OtherOrder: true, Spaced: true, Escaped: false, WithPoint: false, WithExponent: false, OtherSequence: false} {
		assert.Equal(t, want, b.Spells(s), s)
	}
	assert.False(t, NewTextBody("x").Spells(Spaced))
	assert.False(t, b.Form().Spells(Spaced))
}

func TestMembersAddedAndLeftOut(t *testing.T) {
	t.Parallel()
	b, err := NewBody([]byte(`{"a":"{{marker}}","n":1}`))
	require.NoError(t, err)
	vars := Vars{"marker": "M"}
	added, err := b.Added(vars, "extra", "yes")
	require.NoError(t, err)
	assert.Equal(t, `{"a":"M","n":1,"extra":"yes"}`, string(added))
	without, err := b.Without(vars, "n")
	require.NoError(t, err)
	assert.Equal(t, `{"a":"M"}`, string(without))
	_, err = b.Without(vars, "x")
	assert.ErrorContains(t, err, "no such member")
	assert.True(t, b.MemberMentions("a", "marker"))
	assert.False(t, b.MemberMentions("n", "marker"))
	reworded, err := NewTextBody("hello {{marker}}").Reworded(vars)
	require.NoError(t, err)
	assert.Equal(t, "hello M (changed)", string(reworded))
	_, err = b.Reworded(vars)
	assert.ErrorContains(t, err, "no plain text")
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	require.NoError(t, json.Unmarshal(a, &x))
	require.NoError(t, json.Unmarshal(b, &y))
	return assert.ObjectsAreEqual(x, y)
}
