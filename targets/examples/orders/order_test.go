package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHeaderKey(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 255)
	for _, tc := range []struct {
		name  string
		lines []string
		key   string
		code  string
	}{
		{"none", nil, "", "idempotency_key_missing"},
		{"empty", []string{""}, "", "idempotency_key_missing"},
		{"blank", []string{" \t"}, "", "idempotency_key_missing"},
		{"empty string", []string{`""`}, "", "idempotency_key_missing"},
		{"bare", []string{"k-1"}, "k-1", ""},
		{"string", []string{`"k-1"`}, "k-1", ""},
		{"blanks around", []string{` "k-1" `}, "k-1", ""},
		{"blanks inside", []string{`" k-1 "`}, " k-1 ", ""},
		{"escapes", []string{`"a\"b\\c"`}, `a"b\c`, ""},
		{"an escape that is none", []string{`"a\b"`}, "", "idempotency_key_invalid"},
		{"an escape of nothing", []string{`"a\`}, "", "idempotency_key_invalid"},
		{"no end", []string{`"a`}, "", "idempotency_key_invalid"},
		{"a quote alone", []string{`"`}, "", "idempotency_key_invalid"},
		{"parameters", []string{`"a";p=1`}, "", "idempotency_key_invalid"},
		{"a parameter behind nothing", []string{`"";p=1`}, "", "idempotency_key_invalid"},
		{"not ASCII", []string{"é"}, "", "idempotency_key_invalid"},
		{"a control character", []string{"a\tb"}, "", "idempotency_key_invalid"},
		{"the longest", []string{`"` + long + `"`}, long, ""},
		{"too long", []string{long + "x"}, "", "idempotency_key_invalid"},
		{"two lines", []string{"a", "a"}, "", "idempotency_key_invalid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			key, err := headerKey(http.Header{"Idempotency-Key": tc.lines})
			assert.Equal(t, tc.key, key)
			if tc.code == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, tc.code, problemOf(err).code)
			assert.Equal(t, http.StatusBadRequest, problemOf(err).status)
		})
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	const body = `{"customer": "c", "amount": 1, "more": {"a": [1, 2], "b": "é"}}`
	sum, err := digest([]byte(body))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		body string
		same bool
	}{
		"itself":                {body, true},
		"another order":         {`{"more": {"b": "é", "a": [1, 2]}, "amount": 1, "customer": "c"}`, true},
		"other white space":     {"{\"customer\":\"c\",\n\t\"amount\":1,\"more\":{\"a\":[1,2],\"b\":\"é\"}}\n", true},
		"escaped text":          {`{"customer": "\u0063", "amount": 1, "more": {"a": [1, 2], "b": "\u00e9"}}`, true},
		"another value":         {`{"customer": "d", "amount": 1, "more": {"a": [1, 2], "b": "é"}}`, false},
		"another order of list": {`{"customer": "c", "amount": 1, "more": {"a": [2, 1], "b": "é"}}`, false},
		"a text for a number":   {`{"customer": "c", "amount": "1", "more": {"a": [1, 2], "b": "é"}}`, false},
		"a member more":         {`{"customer": "c", "amount": 1, "more": {"a": [1, 2], "b": "é"}, "x": null}`, false},
	} {
		other, err := digest([]byte(tc.body))
		require.NoError(t, err, name)
		assert.Equal(t, tc.same, string(sum) == string(other), name)
	}
	large, err := digest([]byte(`9007199254740993`))
	require.NoError(t, err)
	next, err := digest([]byte(`9007199254740992`))
	require.NoError(t, err)
	assert.NotEqual(t, large, next, "numbers that a float cannot tell apart")
}

func TestParseOrder(t *testing.T) {
	t.Parallel()
	o, err := parseOrder([]byte(`{"reference": "r", "customer": "c", "note": "n", "amount": 3, "other": true}`))
	require.NoError(t, err)
	assert.Equal(t, order{Reference: "r", Customer: "c", Note: "n", Amount: 3}, o)
	for body, code := range map[string]string{
		``:                                 "malformed_body",
		`[]`:                               "malformed_body",
		`{"customer": "c", "amount": 1`:    "malformed_body",
		`{"customer": "c", "amount": 1}}`:  "malformed_body",
		`{"customer": 1, "amount": 1}`:     "malformed_body",
		`{"customer": "c", "amount": 1.5}`: "malformed_body",
		`null`:                             "invalid_order",
		`{"amount": 1}`:                    "invalid_order",
		`{"customer": "c"}`:                "invalid_order",
		`{"customer": "c", "amount": -1}`:  "invalid_order",
		`{"customer": "c", "amount": 1, "note": "\u0000"}`: "invalid_order",
	} {
		_, err := parseOrder([]byte(body))
		require.Error(t, err, body)
		assert.Equal(t, code, problemOf(err).code, body)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	env := map[string]string{"ADDR": ":1", "DATABASE_URL": "postgres://a", "VARIANT": "stuck-in-progress", "POOL": "8", "BACKGROUND": "1", "SCHEMA": "s"}
	o, err := parse([]string{"-addr", ":2", "-pool", "2"}, func(name string) string { return env[name] }, t.Output())
	require.NoError(t, err)
	assert.Equal(t, options{addr: ":2", dsn: "postgres://a", schema: "s", variant: "stuck-in-progress", pool: 2, background: true}, o)
	for _, args := range [][]string{{"-pool", "0"}, {"-variant", "lucky"}, {"-database", "postgres://h:port/"}} {
		err := run(t.Context(), args, func(string) string { return "" }, t.Output())
		assert.Error(t, err, args)
	}
	_, err = parse(nil, func(name string) string { return map[string]string{"POOL": "many"}[name] }, t.Output())
	assert.ErrorContains(t, err, "read POOL")
}
