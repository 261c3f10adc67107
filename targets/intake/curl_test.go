package intake

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func env(pairs ...string) targets.Env {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// sent gives the request that a draft would send, with the first place marked.
func sent(t *testing.T, d *Draft) (targets.Attempt, *targets.Target) {
	t.Helper()
	places := d.Places("")
	require.NotEmpty(t, places)
	target, err := d.Marked(places[0]).Target("draft.yaml", nil)
	require.NoError(t, err)
	op := target.Operations[0]
	a, err := op.Build(target.URL, target.Headers, targets.Vars{"marker": "M", "revision": "R"})
	require.NoError(t, err)
	return a, target
}

// What a command means is what goes on the wire.
func TestCurl(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command string
		method  string
		url     string
		body    string
		header  map[string]string
	}{
		"as documentation gives it": {
			command: "curl -X POST https://api.vendor.example/v1/orders \\\n  -H 'Authorization: Bearer sk_test_123' \\\n  -H \"Content-Type: application/json\" \\\n  -d '{\"reference\": \"A-1\", \"amount\": 4200, \"note\": \"leave it\"}'",
			method:  "POST", url: "https://api.vendor.example/v1/orders", body: `{"reference":"M","amount":4200,"note":"leave it R"}`,
			header: map[string]string{"Authorization": "Bearer sk_test_123", "Content-Type": "application/json"},
		},
		"as a browser copies it": {
			command: `curl 'http://localhost:3000/api/tasks?x=1&y=2' --compressed -H 'accept: */*' -H 'content-type: application/json' --data-raw $'{"title":"It\'s","n":1e3,"big":12345678901234567890}'`,
			method:  "POST", url: "http://localhost:3000/api/tasks?x=1&y=2", body: `{"title":"M R","n":1e3,"big":12345678901234567890}`,
			header: map[string]string{"Accept": "*/*"},
		},
		"a form, by -d twice": {
			command: `curl -sS https://api.vendor.example/v1/charges -u sk_test: -d amount=2000 -d "description=My first charge"`,
			method:  "POST", url: "https://api.vendor.example/v1/charges", body: `amount=2000&description=M%20R`,
			header: map[string]string{"Content-Type": formType, "Authorization": "Basic c2tfdGVzdDo="},
		},
		"urlencoded": {
			command: `curl https://v.example/o --data-urlencode 'note=a b&c' --data-urlencode ref={{marker}}`,
			method:  "POST", url: "https://v.example/o", body: `note=a%20b%26c%20R&ref=M`,
		},
		"--json, PUT, joined options": {
			command: `curl -siXPUT --json '{"ref":"{{marker}}","memo":"x"}' v.example/o -b sid=abcdef -A me/1 -e https://r.example`,
			method:  "PUT", url: "http://v.example/o", body: `{"ref":"M","memo":"x R"}`,
			header: map[string]string{"Accept": "application/json", "Cookie": "sid=abcdef", "User-Agent": "me/1", "Referer": "https://r.example"},
		},
		"JSON without a content type": {
			command: `$ curl -d '{"name":"x"}' https://v.example/o`, method: "POST", url: "https://v.example/o", body: `{"name":"M R"}`,
			header: map[string]string{"Content-Type": "application/json"},
		},
		"-G puts the data into the query": {
			command: `curl -G -X POST https://v.example/o -d a=1 -d ref={{marker}}`, method: "POST", url: "https://v.example/o?a=1&ref=M",
		},
		"what looks like a reference to the environment": {
			command: `curl https://v.example/o --json '{"note":"${x} {{marker}}"}'`, method: "POST", url: "https://v.example/o", body: `{"note":"${x} M"}`,
		},
		"a file": {
			command: `curl https://v.example/o --json @order.json`, method: "POST", url: "https://v.example/o", body: `{"note":"M R"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Curl(c.command, CurlOptions{ReadFile: func(path string) ([]byte, error) {
				require.Equal(t, "order.json", path)
				return []byte("{\n\"note\": \"from a file\"}\n"), nil
			}})
			require.NoError(t, err)
			a, _ := sent(t, d)
			assert.Equal(t, c.method, a.Method)
			assert.Equal(t, c.url, a.URL)
			assert.Equal(t, c.body, string(a.Body))
			for name, value := range c.header {
				assert.Equal(t, value, a.Header.Get(name), name)
			}
		})
	}
}

func TestCurlRefusals(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`curl --dta x https://v.example`:                       `--dta is not known (did you mean --data?)`,
		`curl --frobnicate https://v.example`:                  `--frobnicate is not known; leave it out`,
		`curl -h https://v.example`:                            `-h is not known (did you mean -H, --header?)`,
		`curl --data=x https://v.example`:                      `curl wants its value as the next word`,
		`curl -F file=@x https://v.example`:                    `multipart`,
		`curl --aws-sigv4 x https://v.example`:                 `signed anew`,
		`curl https://v.example`:                               `it is a GET`,
		`curl -X DELETE https://v.example`:                     `it is a DELETE`,
		`curl -d x`:                                            `it has no address`,
		`curl -d x https://a.example https://b.example`:        `more than one address`,
		`curl -X POST https://v.example -H`:                    `-H needs a value`,
		`curl -X POST 'ftp://v.example/x'`:                     `http or https`,
		`curl -X POST https://user:pw@v.example`:               `give them with -u`,
		`curl -u user -d x https://v.example`:                  `the password is missing`,
		`curl -d @- https://v.example`:                         `standard input`,
		`curl -d @gone.json https://v.example`:                 `gone.json`,
		`curl --json '{"a":' https://v.example`:                `not JSON`,
		`curl --json '{"a":1,"a":2}' https://v.example`:        `stands twice`,
		`curl -d x https://v.example | jq .`:                   `without | or &&`,
		`curl -d x https://v.example?a=1&b=2`:                  `more than one command`,
		"curl -d x\n-H 'A: b' https://v.example":               `a line that goes on needs a \`,
		`curl -d "$(cat x)" https://v.example`:                 `needs a shell`,
		`curl -H "Authorization: Bearer $TOKEN" https://v.e/o`: `the environment variable TOKEN, which is not set`,
		`curl -d 'x https://v.example`:                         `quote`,
		`curl -d x https://v.example < body.json`:              `redirection`,
		`wget https://v.example`:                               `does not begin with curl`,
		``:                                                     `it is empty`,
		"curl ^\"https://v.example^\" ^\n -d x":                "command prompt of Windows",
		"curl.exe `\n -d x https://v.example":                  "PowerShell",
		`Invoke-WebRequest -Uri https://v.example`:             "PowerShell",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			_, err := Curl(command, CurlOptions{ReadFile: func(path string) ([]byte, error) { return nil, errors.New("no file " + path) }})
			require.Error(t, err)
			assert.Contains(t, err.Error(), want)
			assert.NotContains(t, err.Error(), "user:pw")
		})
	}
}

// A credential never stands in the file: a variable does, and the target knows its value as a secret.
func TestCurlHidesSecrets(t *testing.T) {
	t.Parallel()
	d, err := Curl(`curl "https://v.example/o?api_key=q-secret-1&x=1" -u 'me:p-secret-2' -b sid=c-secret-3 -H "X-Api-Key: $VENDOR_KEY" `+
		`--json '{"note":"n","password":"b-secret-4"}'`, CurlOptions{Env: env("VENDOR_KEY", "e-secret-5")})
	require.NoError(t, err)
	text, err := d.Marked(d.Places("")[0]).YAML()
	require.NoError(t, err)
	a, target := sent(t, d)
	assert.Equal(t, "https://v.example/o?api_key=q-secret-1&x=1", a.URL)
	assert.Contains(t, string(text), "${VENDOR_KEY}")
	for _, secret := range []string{"q-secret-1", "p-secret-2", "c-secret-3", "b-secret-4", "e-secret-5"} {
		assert.NotContains(t, string(text), secret)
		assert.NotContains(t, target.Secrets.Redact("it says "+secret), secret)
	}
	assert.Contains(t, string(a.Body), "b-secret-4")
}

// The key of the pasted command was made for one request; its header is what counts.
func TestCurlKeyHeader(t *testing.T) {
	t.Parallel()
	d, err := Curl(`curl https://v.example/o -H 'X-Idempotency-Key: "8e03"' --json '{"note":"n"}'`, CurlOptions{})
	require.NoError(t, err)
	assert.Equal(t, targets.Key{In: targets.InHeader, Name: "X-Idempotency-Key", Quoting: targets.QuotingSFString}, d.Key)
	assert.Empty(t, d.header("X-Idempotency-Key"))
	d, err = Curl(`curl https://v.example/o -H 'Request-Id: 8e03' --json '{"note":"n"}'`, CurlOptions{KeyHeader: "request-id"})
	require.NoError(t, err)
	assert.Equal(t, "Request-Id", d.Key.Name)
	d, err = Curl(`curl https://v.example/o --json '{"idempotency_key":"8e03","note":"n"}'`, CurlOptions{})
	require.NoError(t, err)
	a, target := sent(t, d)
	assert.Equal(t, `{"note":"M R"}`, string(a.Body))
	assert.Equal(t, targets.InBody, target.Profile.Key.In)
	assert.Equal(t, "/idempotency_key", target.Profile.Key.Name)
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Place{
		`{"amount":1,"reference":"a","note":"b"}`:                         {"/reference", "/note"},
		`{"email":"a@b.example","currency":"EUR","title":"x"}`:            {"/title", "/title"},
		`{"customer":{"name":"a"},"lines":[{"sku":"x","memo":"y"}]}`:      {"/customer/name", "/lines/0/memo"},
		`{"q":"a","other":"b"}`:                                           {"/q", "/q"},
		`{"note":"{{marker}}","title":"x"}`:                               {"", "/title"},
		`{"a~/b":"some text"}`:                                            {"/a~0~1b", "/a~0~1b"},
		`{"a":"one","wanted":"2026-11-30"}`:                               {"/wanted", "/wanted"},
		`{"password":"abcdef","reference":"x","description":"${HOME} y"}`: {"/reference", "/reference"},
	} {
		d, err := Curl("curl https://v.example/o --json '"+body+"'", CurlOptions{})
		require.NoError(t, err, body)
		places := d.Places("wanted")
		require.NotEmpty(t, places, body)
		assert.Equal(t, want, places[0], body)
	}
	d, err := Curl(`curl https://v.example/o --json '{"amount":1,"currency":"EUR"}'`, CurlOptions{})
	require.NoError(t, err)
	assert.Empty(t, d.Places(""))
}

func TestSetList(t *testing.T) {
	t.Parallel()
	d, err := Curl(`curl https://v.example/v1/o --json '{"note":"n"}'`, CurlOptions{})
	require.NoError(t, err)
	require.NoError(t, d.SetList("GET https://v.example/v1/o?filter%5Bref%5D={{marker}}", "$.data[*]"))
	assert.Equal(t, "filter[ref]", d.Wanted())
	require.NoError(t, d.SetList("/v1/o?limit=100", "$.data[*]"))
	assert.Equal(t, "{{marker}}", d.List.Where)
	require.ErrorContains(t, d.SetList("GET https://other.example/o", ""), "another host")
	require.ErrorContains(t, d.SetList("DELETE /v1/o", ""), "expected GET")
}

func FuzzCurl(f *testing.F) {
	for _, s := range []string{
		`curl -X POST https://v.example/o -H 'A: b' -d '{"note":"n"}'`, `curl -u a:b --data-urlencode 'a=b c' v.example`,
		"curl \\\n --json $'{\"a\":\"\\'\"}' 'http://[::1]:80/x?q={{marker}}'", `curl -sXPOST -d@x "$A"`, `curl {a,b} ~ *`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		d, err := Curl(command, CurlOptions{Env: env("A", "some value")})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		for _, p := range append(d.Places("x"), Place{}) {
			text, err := d.Marked(p).YAML()
			if err != nil {
				t.Fatalf("a draft that cannot be written: %v", err)
			}
			// What it says may be wrong for a target (no marker, a strange header), but it is YAML that is read, or refused by name.
			_, _ = targets.Parse("draft.yaml", text, env())
		}
	})
}
