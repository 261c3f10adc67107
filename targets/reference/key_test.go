package reference

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`k`: "k", `"k"`: "k", ` "k" `: "k", `" k "`: " k ", `a b`: "a b", `a"b`: `a"b`, `"a\"b\\c"`: `a"b\c`, `a, b`: "a, b", `" "`: " ",
		strings.Repeat("x", 255): strings.Repeat("x", 255), `"` + strings.Repeat("x", 255) + `"`: strings.Repeat("x", 255),
	} {
		if got, err := parseKey(value); err != nil || got != want {
			t.Errorf("parseKey(%q) = %q, %v, want %q", value, got, err, want)
		}
	}
	for value, want := range map[string]error{
		``: errKeyEmpty, ` `: errKeyEmpty, `""`: errKeyEmpty, `"`: errKeyFormat, `"a`: errKeyFormat, `"a"b`: errKeyFormat,
		`"a";p=1`: errKeyFormat, `"a\b"`: errKeyFormat, `"a\`: errKeyFormat, "a\tb": errKeyFormat, "é": errKeyFormat, "a\x7f": errKeyFormat,
		strings.Repeat("x", 256): errKeyLong, `"` + strings.Repeat("x", 256) + `"`: errKeyLong,
	} {
		if got, err := parseKey(value); !errors.Is(err, want) {
			t.Errorf("parseKey(%q) = %q, %v, want %v", value, got, err, want)
		}
	}
	if _, err := headerKey(http.Header{}); !errors.Is(err, errKeyMissing) {
		t.Errorf("no header: %v", err)
	}
}

// FuzzParseKey checks that a key that is accepted stays the same when it is
// written as a structured-field string, and that nothing else gets in.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{`k`, `"k"`, `""`, `"a\"b"`, ` x `, "é", `"a";p`, `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key, err := parseKey(value)
		if err != nil {
			return
		}
		if key == "" || len(key) > maxKey {
			t.Errorf("parseKey(%q) accepts %q", value, key)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := parseKey(quoted); err != nil || again != key {
			t.Errorf("parseKey(%q) = %q, %v, want %q", quoted, again, err, key)
		}
	})
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	s := &Server{}
	take := func(method, target, body string) string {
		t.Helper()
		got, err := s.fingerprintOf(httptest.NewRequest(method, target, nil), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	base := take("POST", "/a?x=1&y=2", `{"a":1,"b":["é",2]}`)
	for _, same := range []string{`{"b":["\u00e9",2.0],"a":1e0}`, ` { "a" : 1 , "b" : [ "é" , 2 ] } `} {
		equal(t, same, take("POST", "/a?y=2&x=1", same), base)
	}
	for _, other := range [][3]string{
		{"PUT", "/a?x=1&y=2", `{"a":1,"b":["é",2]}`}, {"POST", "/b?x=1&y=2", `{"a":1,"b":["é",2]}`},
		{"POST", "/a?x=1", `{"a":1,"b":["é",2]}`}, {"POST", "/a?x=1&y=2", `{"a":1,"b":[2,"é"]}`},
		{"POST", "/a?x=1&y=2", `{"a":"1","b":["é",2]}`}, {"POST", "/a?x=1&y=2", ``},
	} {
		if take(other[0], other[1], other[2]) == base {
			t.Errorf("%v has the fingerprint of another request", other)
		}
	}
}

// FuzzCanonicalBody checks that the canonical form of a body is a fixed point.
func FuzzCanonicalBody(f *testing.F) {
	for _, seed := range []string{`{}`, `{"b":1,"a":[true,null,"\u00e9"]}`, `[1e3, -0.0]`, `{"a":{"b":{}}}`, `"x"`, `{`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		once, err := canonicalBody(body)
		if err != nil {
			return
		}
		twice, err := canonicalBody(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%q: %q, then %q, %v", body, once, twice, err)
		}
	})
}
