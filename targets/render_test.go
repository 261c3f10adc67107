package targets

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuild(t *testing.T) {
	t.Parallel()
	r := Request{Line: "POST /v1/{{id}}/tasks?q={{marker}}&x=1", Headers: map[string]string{"x-run": "{{marker}}", "authorization": "Bearer own"},
		Body: mustBody(t, `{"n":"{{marker}}"}`)}
	a, err := r.Build("https://user:pa%2Fss@api.example.com/base/?v=2", map[string]string{"Authorization": "Bearer outer", "X-Gone": ""},
		Vars{"id": "a/b c", "marker": "m&1 +"})
	require.NoError(t, err)
	assert.Equal(t, "POST", a.Method)
	assert.Equal(t, "https://api.example.com/base/v1/a%2Fb%20c/tasks?v=2&q=m%261%20%2B&x=1", a.URL)
	assert.Equal(t, http.Header{"X-Run": {"m&1 +"}, "Authorization": {"Bearer own"}, "Content-Type": {"application/json"}}, a.Header)
	assert.Equal(t, `{"n":"m&1 +"}`, string(a.Body))

	a, err = Request{Line: "GET /x"}.Build("http://user:pass@127.0.0.1:1", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "Basic dXNlcjpwYXNz", a.Header.Get("Authorization"), "what stands in the address travels as a header")
	assert.Empty(t, a.Header.Get("Content-Type"))

	a, err = r.BuildBody("http://h", nil, Vars{"id": "1", "marker": "m"}, []byte("{ }"))
	require.NoError(t, err)
	assert.Equal(t, "{ }", string(a.Body))
}

func mustBody(t *testing.T, text string) *Body {
	t.Helper()
	b, err := NewBody([]byte(text))
	require.NoError(t, err)
	return b
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	vars := Vars{"id": "..", "marker": "m", "key": ""}
	for name, c := range map[string]struct {
		line string
		want string
	}{
		"unknown name":   {"GET /x/{{recrod}}", "{{recrod}} has no value here (known: id, key, marker)"},
		"dot segment":    {"DELETE /x/{{id}}", `{{id}} must not be filled with ".."`},
		"empty segment":  {"DELETE /x/{{key}}", `{{key}} must not be filled with ""`},
		"other host":     {"GET https://evil.example.com/x", "is another host than http://h:1: not followed"},
		"other scheme":   {"GET https://h:1/x", "not followed"},
		"no method":      {"/x", "expected METHOD /path"},
		"white space":    {"GET /x y", "white space"},
		"fragment":       {"GET /x#y", "fragment"},
		"relative":       {"GET x", "must begin with /"},
		"bad escape":     {"GET /%zz", "the address is not valid"},
		"control":        {"GET /\x01", "the address is not valid"},
		"small letters":  {"get /x", "capital letters"},
		"nothing at all": {"", "no request line"},
	} {
		_, err := Request{Line: c.line}.Build("http://h:1", nil, vars)
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err := Request{Line: "GET /x", Headers: map[string]string{"A": "{{v}}"}}.Build("http://h", nil, Vars{"v": "a\r\nB: c"})
	assert.ErrorContains(t, err, "line break")
	_, err = Request{Line: "GET /x"}.Build("nowhere", nil, nil)
	assert.ErrorContains(t, err, "no absolute address")
	a, err := Request{Line: "GET http://h:1/page?c=2"}.Build("http://h:1/base", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "http://h:1/page?c=2", a.URL)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key  Key
		want Attempt
	}{
		"header": {Key{In: InHeader, Name: "idempotency-key", Quoting: QuotingBare, Companions: map[string]string{"Prefer": "respond-async"}},
			Attempt{Key: `k"1`, URL: "http://h/x?a=1", Header: http.Header{"A": {"1"}, "Idempotency-Key": {`k"1`}, "Prefer": {"respond-async"}}, Body: []byte(`{"a":1}`)}},
		"quoted": {Key{In: InHeader, Name: "Idempotency-Key", Quoting: QuotingSFString},
			Attempt{Key: `k"1`, URL: "http://h/x?a=1", Header: http.Header{"A": {"1"}, "Idempotency-Key": {`"k\"1"`}}, Body: []byte(`{"a":1}`)}},
		"body": {Key{In: InBody, Name: "/meta/key"},
			Attempt{Key: `k"1`, URL: "http://h/x?a=1", Header: http.Header{"A": {"1"}}, Body: []byte(`{"a":1,"meta":{"key":"k\"1"}}`)}},
		"query": {Key{In: InQuery, Name: "Client Token"},
			Attempt{Key: `k"1`, URL: "http://h/x?a=1&Client%20Token=k%221", Header: http.Header{"A": {"1"}}, Body: []byte(`{"a":1}`)}},
		"none": {Key{In: InNone}, Attempt{URL: "http://h/x?a=1", Header: http.Header{"A": {"1"}}, Body: []byte(`{"a":1}`)}},
	} {
		shared := http.Header{"A": {"1"}}
		a := Attempt{URL: "http://h/x?a=1", Header: shared, Body: []byte(`{"a":1}`)}
		require.NoError(t, Place(c.key, `k"1`, &a), name)
		assert.Equal(t, c.want, a, name)
		assert.Equal(t, http.Header{"A": {"1"}}, shared, "%s: the header was shared", name)
		first := a
		require.NoError(t, Place(c.key, `k"1`, &a))
		assert.Equal(t, first, a, "%s: placing twice is placing once", name)
	}
	form := Attempt{Body: []byte("a=1&token=old")}
	require.NoError(t, Place(Key{In: InForm, Name: "token"}, "n&w", &form))
	assert.Equal(t, "a=1&token=n%26w", string(form.Body))
	assert.Equal(t, formType, form.Header.Get("Content-Type"))
	json := Attempt{Header: http.Header{"Content-Type": {"application/json"}}}
	assert.ErrorContains(t, Place(Key{In: InForm, Name: "t"}, "k", &json), "sent as application/json")
	assert.ErrorContains(t, Place(Key{In: InHeader, Name: "K"}, "a\nb", &json), "line break")
	assert.ErrorContains(t, Place(Key{In: InBody, Name: "/k"}, "a", &Attempt{}), "not JSON")
	empty := Attempt{}
	require.NoError(t, Place(Key{In: InHeader, Name: "K", Quoting: QuotingSFString}, "", &empty))
	assert.Equal(t, []string{`""`}, empty.Header["K"])
}

func TestQuoteSF(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"a\"b\\c"`, QuoteSF(`a"b\c`))
}

func TestExpand(t *testing.T) {
	t.Parallel()
	got, err := Expand("{{a}}-{{ b }} {{#x}} {{}} {{{a}}} {{a b}}", Vars{"a": "{{b}}", "b": "2"})
	require.NoError(t, err)
	assert.Equal(t, "{{b}}-2 {{#x}} {{}} {{{b}}} {{a b}}", got, "values are not expanded again")
}

// FuzzExpand: no panic; known names vanish, everything else stays.
func FuzzExpand(f *testing.F) {
	f.Add("{{marker}} and {{ key }}", "v")
	f.Add("{{{{marker}}}}", "{{marker}}")
	f.Add("{{nope}}", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		got, err := Expand(text, Vars{"marker": value, "key": value})
		names := templateNames(text)
		unknown := false
		for _, n := range names {
			unknown = unknown || (n != "marker" && n != "key")
		}
		if (err != nil) != unknown {
			t.Fatalf("Expand(%q): error %v, unknown names %v", text, err, unknown)
		}
		if err == nil && len(names) == 0 && got != text {
			t.Fatalf("Expand(%q) changed it to %q", text, got)
		}
		if err == nil && strings.Count(got, value) < len(names) && value != "" {
			t.Fatalf("Expand(%q) with %q gave %q", text, value, got)
		}
	})
}
