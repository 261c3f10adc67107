package targets

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plantedForms are the ways in which a text may hold a secret, made apart from the code under test.
func plantedForms(secret string) []string {
	inJSON, _ := json.Marshal(secret)
	return []string{secret, string(inJSON), url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)), "Bearer " + secret}
}

// TestRedactLeavesNoSecret plants secrets in every form among noise, next to and inside each other.
func TestRedactLeavesNoSecret(t *testing.T) {
	t.Parallel()
	// Brackets could build a secret out of "[redacted]" itself and its neighbours.
	secret := rapid.StringMatching(`[ -Z\\^-~äß€]{4,24}`).Filter(func(s string) bool { return !strings.Contains(Redacted, s) })
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(secret, 1, 4).Draw(t, "secrets")
		if rapid.Bool().Draw(t, "nested") {
			secrets = append(secrets, secrets[0]+secrets[len(secrets)-1], secrets[0][:len(secrets[0])/2])
		}
		s := NewSecrets()
		s.Add(secrets...)
		var text strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			text.WriteString(rapid.StringMatching(`[a-z "=&]{0,6}`).Draw(t, "noise"))
			forms := plantedForms(rapid.SampledFrom(secrets).Draw(t, "planted"))
			text.WriteString(rapid.SampledFrom(forms).Draw(t, "form"))
		}
		got := s.Redact(text.String())
		for _, one := range secrets {
			for _, form := range plantedForms(one) {
				form = strings.TrimPrefix(strings.Trim(form, `"`), "Bearer ")
				if len(one) >= shortSecret && len(form) >= shortSecret && strings.Contains(strings.ReplaceAll(got, Redacted, "\x00"), form) {
					t.Fatalf("%q still holds %q in %q", text.String(), form, got)
				}
			}
		}
	})
}

// FuzzRedact: no panic, the secret is gone, and redacting again changes nothing.
func FuzzRedact(f *testing.F) {
	f.Add("Authorization: Bearer tok_123456", "tok_123456")
	f.Add("aaaaaaa", "aaaa")
	f.Add("[redacted]", "redacted")
	f.Add(`{"a":"x\"yz"}`, `x"yz`)
	f.Fuzz(func(t *testing.T, text, secret string) {
		s := NewSecrets()
		s.Add(secret)
		got := s.Redact(text)
		if len(secret) >= shortSecret && strings.Contains(strings.ReplaceAll(got, Redacted, "\x00"), secret) && !strings.Contains(secret, "\x00") {
			t.Fatalf("Redact(%q) with %q left %q", text, secret, got)
		}
		s.RedactURL(text)
		s.RedactHeader(http.Header{secret: {text}})
		s.Placeholder(secret, text)
	})
}

func TestRedactTakesTheLongestFirst(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	s.Add("token", "token-of-ana", "", "ana-and-ben")
	assert.Equal(t, "x [redacted] y [redacted] [redacted] z", s.Redact("x token-of-ana y token token-of-ana-and-ben z"))
	assert.Equal(t, "[redacted]", s.Redact("[redacted]"), "what is hidden already is left alone")
}

func TestRedactForms(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	s.Add(`p/w"é<1>`)
	for _, form := range []string{`p/w"é<1>`, `p/w\"é<1>`, `p\/w\"é<1>`, `p/w\"\u00e9<1>`, `p/w\"é\u003c1\u003e`, "p%2Fw%22%C3%A9%3C1%3E",
		"p%2fw%22%c3%a9%3c1%3e", "p/w&#34;é&lt;1&gt;", "cC93IsOpPDE+", "cC93IsOpPDE-"} {
		assert.Equal(t, "a=[redacted];", s.Redact("a="+form+";"), form)
	}
}

func TestShortSecretsGoOnlyAsWholeHeaders(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	s.Add("abc")
	assert.Equal(t, "abc is everywhere", s.Redact("abc is everywhere"))
	got := s.RedactHeader(http.Header{"X-Code": {"abc", "abcd"}})
	assert.Equal(t, http.Header{"X-Code": {Redacted, "abcd"}}, got)
}

func TestRedactHeaderByName(t *testing.T) {
	t.Parallel()
	var none *Secrets
	in := http.Header{"Authorization": {"Bearer x"}, "Proxy-Authorization": {"x"}, "Cookie": {"a=b"}, "Set-Cookie": {"a=b", "c=d"},
		"X-Api-Key": {"x"}, "Apikey": {"x"}, "X-Auth-Token": {"x"}, "Client_secret": {"x"}, "X-Hub-Signature-256": {"x"},
		"Db-Password": {"x"}, "Accept": {"*/*"}, "Idempotency-Key": {"k"}, "I-Twilio-Idempotency-Token": {"k"},
		"Location": {"https://u:p@h/x?token=1"}}
	got := none.RedactHeader(in)
	for name := range in {
		switch name {
		case "Accept", "Idempotency-Key", "I-Twilio-Idempotency-Token":
			assert.Equal(t, in[name], got[name])
		case "Location":
			assert.Equal(t, []string{"https://[redacted]@h/x?token=[redacted]"}, got[name])
		default:
			for _, v := range got[name] {
				assert.Equal(t, Redacted, v, name)
			}
		}
	}
	assert.Equal(t, "Bearer x", in.Get("Authorization"), "the header itself must stay")
	assert.Nil(t, none.RedactHeader(nil))
}

func TestRedactURL(t *testing.T) {
	t.Parallel()
	var none *Secrets
	for in, want := range map[string]string{
		"https://user:pass@h:1/p?a=1&access_token=x#api_key=2&b=3": "https://[redacted]@h:1/p?a=1&access_token=[redacted]#api_key=[redacted]&b=3",
		"https://h/a@b?mail=a@b&sig=abc":                           "https://h/a@b?mail=a@b&sig=[redacted]",
		"postgres://u:p%40@db/orders?sslmode=off":                  "postgres://[redacted]@db/orders?sslmode=off",
		"/path?password=":                                          "/path?password=",
		"http://[::1":                                              "http://[::1",
		"":                                                         "",
	} {
		assert.Equal(t, want, none.RedactURL(in), in)
	}
}

const secretFile = `
name: ${NAME}
url: https://api:${URL_PASS}@${HOST}/base?api_key=literal-query-key
headers:
  Authorization: Basic dXNlcjpiYXNpYy1wYXNz
  X-Tenant: ${TENANT}
  X-Plain: visible-header
  Cookie: session=cookie-value
operations:
  create:
    request: POST /orders
    headers: {X-Signature: literal-signature}
    body: {reference: "{{marker}}", who: "${IN_BODY}", fallback: "${UNSET:-visible-default}"}
callers:
  other: {headers: {X-Api-Key: callers-api-key}}
observers:
  - name: a
    sql: {dsn: "postgres://u:dsn-pass-1@db/x", query: "select 1 where $1 <> ''", args: "{{marker}}"}
  - name: b
    sql: {dsn: "host=db password='dsn pass 2' user=u", query: "select 1"}
  - name: c
    sql: {dsn: "u:dsn-pass-3@tcp(db)/x", query: "select 1"}
run:
  process: {command: [./server], env: {DATABASE_URL: "postgres://v:env-url-pass@db/x", API_TOKEN: env-literal-token, MODE: "${MODE}"}}
`

func TestSecretsOfATargetFile(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"NAME": "visible-name", "URL_PASS": "url-pass-1", "HOST": "visible.example.com", "TENANT": "tenant-secret",
			"IN_BODY": "body-secret", "MODE": "mode-secret"}[name]
		return v, ok
	}
	target, err := Parse("s.yaml", []byte(secretFile), env)
	require.NoError(t, err)
	for _, hidden := range []string{"url-pass-1", "literal-query-key", "dXNlcjpiYXNpYy1wYXNz", "basic-pass", "user:basic-pass", "tenant-secret",
		"cookie-value", "literal-signature", "body-secret", "callers-api-key", "dsn-pass-1", "dsn pass 2", "dsn-pass-3", "env-url-pass",
		"env-literal-token", "mode-secret"} {
		assert.Equal(t, Redacted, target.Secrets.Redact(hidden), hidden)
	}
	for _, shown := range []string{"visible-name", "visible.example.com", "visible-header", "visible-default", "orders", "select 1"} {
		assert.Equal(t, shown, target.Secrets.Redact(shown))
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"STAGING_TOKEN": "tok_abcdef", "TENANT": "ten$nt"}[name]
		return v, ok
	}
	target, err := Parse("s.yaml", []byte(`
name: x
url: http://127.0.0.1
headers: {Authorization: "Bearer ${STAGING_TOKEN}", X-Tenant: "a $1 ${TENANT} b"}
operations: {create: {request: "POST /x?m={{marker}}"}}
callers: {other: {headers: {Authorization: Bearer file-secret}}, third: {headers: {Authorization: Bearer third-secret}}}
`), env)
	require.NoError(t, err)
	s := target.Secrets
	for _, c := range []struct{ name, value, want string }{
		{"Authorization", "Bearer tok_abcdef", `"Authorization: Bearer ${STAGING_TOKEN}"`},
		{"X-Tenant", "a $1 ten$nt b", `"X-Tenant: a \$1 ${TENANT} b"`},
		{"Authorization", "Bearer file-secret", `"Authorization: Bearer ${IDEMCHECK_SECRET_AUTHORIZATION}"`},
		{"Authorization", "Bearer tok_abcdef-and-more", `"Authorization: Bearer ${IDEMCHECK_SECRET_AUTHORIZATION}"`},
		{"X-Api-Key", "anything", `"X-Api-Key: ${IDEMCHECK_SECRET_X_API_KEY}"`},
		{"X-Note", "it's file-secret", `"X-Note: it's ${IDEMCHECK_SECRET_AUTHORIZATION}"`},
		{"Authorization", "Bearer third-secret", `"Authorization: Bearer ${IDEMCHECK_SECRET_AUTHORIZATION_2}"`},
		{"Accept", "it's", `'Accept: it'\''s'`},
	} {
		assert.Equal(t, c.want, s.Placeholder(c.name, c.value), c.value)
	}
	assert.Equal(t, `"Authorization: ${IDEMCHECK_SECRET_AUTHORIZATION}"`, (*Secrets)(nil).Placeholder("Authorization", "x"))
}
