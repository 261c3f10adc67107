package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// The changes follow from the request: every member, spelling and query that it has, and none that it has not.
func TestComparisons(t *testing.T) {
	t.Parallel()
	body, err := targets.NewBody([]byte(`{"note":"{{marker}}","amount":1,"tags":["a","b"],"customer":{"name":"x"}}`))
	require.NoError(t, err)
	op := targets.Operation{Request: targets.Request{Line: "POST /orders", Body: body}, Material: targets.Strings{"amount", "/customer/name", "?dry=1"}}
	want := map[string]judge.Situation{
		"amount": judge.Mismatch, "/customer/name": judge.Mismatch, "note": "", "tags": "", "member added": "", "member removed": "",
		"order of members": judge.Replay, "spacing": judge.Replay, "unicode escapes": judge.Replay, "1.0": "", "1e0": "", "array order": "",
		"query dry=1": judge.Mismatch, "query": "", "path": "",
	}
	got := map[string]judge.Situation{}
	for _, c := range comparisons(op, targets.Clause{}) {
		got[c.part] = c.expect
		if c.part == "member removed" {
			assert.Equal(t, "removed:customer", c.vary, "the marker stays")
		}
	}
	assert.Equal(t, want, got)

	var parts []string
	for _, c := range comparisons(targets.Operation{Request: targets.Request{Line: "POST /notes", Body: targets.NewTextBody("{{marker}}")}}, targets.Clause{}) {
		parts = append(parts, c.part)
	}
	assert.Equal(t, []string{"body", "query", "path"}, parts)
}

func TestTold(t *testing.T) {
	t.Parallel()
	row := func(part string, d reports.Disposition, status int) compared {
		return compared{comparison{part: part}, &sent{Exchange: targets.Exchange{Status: status}, disposition: d}}
	}
	assert.Equal(t, []string{
		"this target ignores changes in: note (201), spacing (201)",
		"it takes for another request under the key: amount (422)",
		"it said nothing that settles: path (no-answer)",
	}, told([]compared{row("note", reports.Replayed, 201), row("amount", reports.Conflict, 422), row("spacing", reports.Replayed, 201), row("path", reports.NoAnswer, 0)}))
}

func TestOtherAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, kind, arg, want string }{
		{"http://h/orders", "query", "dry=1", "http://h/orders?dry=1"},
		{"http://h/orders?a=1", "query", "dry=1", "http://h/orders?a=1&dry=1"},
		{"http://h/a%2Fb", "slash", "", "http://h/a%2Fb/"},
		{"http://h/a/?q=1", "slash", "", "http://h/a?q=1"},
	} {
		got, err := otherAddress(c.address, c.kind, c.arg)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

// What the profile documents of the compared parts goes before what the target file calls material.
func TestComparedParts(t *testing.T) {
	t.Parallel()
	body := comparison{vary: "changed:/note", expect: judge.Mismatch}
	query := comparison{vary: "query:source=import", expect: judge.Mismatch}
	for name, c := range map[string]struct {
		change comparison
		parts  []string
		want   judge.Situation
	}{
		"body":             {body, []string{"body"}, judge.Mismatch},
		"not the body":     {body, []string{"path"}, judge.Replay},
		"nothing":          {body, []string{"nothing"}, judge.Replay},
		"the member":       {body, []string{"/note", "/amount"}, judge.Mismatch},
		"other members":    {body, []string{"/amount"}, judge.Replay},
		"query interface":  {body, []string{"query"}, judge.Mismatch},
		"query":            {query, []string{"query"}, judge.Mismatch},
		"not the query":    {query, []string{"path", "body"}, judge.Replay},
		"spelling":         {comparison{vary: "spaced", expect: judge.Replay}, []string{"body"}, judge.Replay},
		"not material":     {comparison{vary: "changed:/owner"}, []string{"nothing"}, ""},
		"member, unlisted": {comparison{vary: "changed:owner"}, []string{"/owner"}, judge.Mismatch},
	} {
		assert.Equal(t, c.want, byComparedParts(c.change, c.parts), name)
	}
}
