package targets

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlaceInADirective(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ query, want string }{
		"added to a field":           {`mutation { refund { id } }`, `mutation { refund @idempotent(key: "k\"1") { id } }`},
		"behind arguments":           {`mutation R($in: I = {a: 1}) { r: refund(input: {note: "a ) b", list: [1]}) { id } }`, `mutation R($in: I = {a: 1}) { r: refund(input: {note: "a ) b", list: [1]}) @idempotent(key: "k\"1") { id } }`},
		"a comment with a brace":     {"mutation # {x}\n{ refund }", "mutation # {x}\n{ refund @idempotent(key: \"k\\\"1\") }"},
		"a block of text":            {`mutation { refund(note: """ a " ) """) { id } }`, `mutation { refund(note: """ a " ) """) @idempotent(key: "k\"1") { id } }`},
		"one that is there":          {`mutation { refund @idempotent(key: "old") { id } }`, `mutation { refund @idempotent(key: "k\"1") { id } }`},
		"another argument before it": {`mutation { refund @idempotent(ttl: 5, key: "old") { id } }`, `mutation { refund @idempotent(ttl: 5, key: "k\"1") { id } }`},
	} {
		body, err := json.Marshal(map[string]string{"query": c.query})
		require.NoError(t, err)
		a := Attempt{Body: body}
		k := Key{In: InDirective, Name: "idempotent(key)"}
		require.NoError(t, Place(k, `k"1`, &a), name)
		var got struct{ Query string }
		require.NoError(t, json.Unmarshal(a.Body, &got))
		assert.Equal(t, c.want, got.Query, name)
		first := string(a.Body)
		require.NoError(t, Place(k, `k"1`, &a))
		assert.Equal(t, first, string(a.Body), "%s: placing twice is placing once", name)
	}
	variable := Attempt{Body: []byte(`{"query":"mutation M($k: String!) { refund @idempotent(key: $k) { id } }","variables":{"a":1}}`)}
	require.NoError(t, Place(Key{In: InDirective, Name: "@idempotent(key:)"}, "k1", &variable))
	assert.JSONEq(t, `{"query":"mutation M($k: String!) { refund @idempotent(key: $k) { id } }","variables":{"a":1,"k":"k1"}}`, string(variable.Body))
}

func TestPlaceInADirectiveRefuses(t *testing.T) {
	t.Parallel()
	k := Key{In: InDirective, Name: "idempotent(key)"}
	for body, want := range map[string]string{
		`{}`:                           "holds no member query",
		`no JSON`:                      "holds no member query",
		`{"query":""}`:                 "holds no field",
		`{"query":"mutation {"}`:       "holds no field",
		`{"query":"mutation { r(a: "}`: "do not end",
	} {
		assert.ErrorContains(t, Place(k, "k1", &Attempt{Body: []byte(body)}), want, body)
	}
	assert.ErrorContains(t, Place(Key{In: InDirective, Name: "idempotent"}, "k1", &Attempt{}), "no GraphQL directive")
}

// FuzzDirective: no panic, and what was a JSON body stays one.
func FuzzDirective(f *testing.F) {
	for _, s := range []string{`mutation { a(b: "c") { d } }`, `{a}`, `"""`, `@x(y:`, `{ a: b( }`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		body, err := json.Marshal(map[string]string{"query": query})
		require.NoError(t, err)
		a := Attempt{Body: body}
		if Place(Key{In: InDirective, Name: "x(y)"}, "k", &a) == nil && !json.Valid(a.Body) {
			t.Fatalf("%q gave %q", query, a.Body)
		}
	})
}
