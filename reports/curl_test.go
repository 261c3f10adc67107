package reports

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestCurl(t *testing.T) {
	t.Parallel()
	secrets := targets.NewSecrets()
	secrets.Add("s3cr3t-token", "pa55word")
	for _, tt := range []struct {
		name string
		a    targets.Attempt
		want string
	}{
		{
			"a post with a secret header",
			targets.Attempt{Method: "POST", URL: "http://h/v1?a=1&b=2", Body: []byte(`{"a":1}`), Header: http.Header{
				"Idempotency-Key": {"5c1e"}, "Authorization": {"Bearer s3cr3t-token"}, "Content-Type": {"application/json"}, "Host": {"h"}, "Content-Length": {"7"},
			}},
			`curl -sS -i -X POST 'http://h/v1?a=1&b=2' -H "Authorization: Bearer ${IDEMCHECK_SECRET_AUTHORIZATION}" -H 'Content-Type: application/json' -H 'Idempotency-Key: 5c1e' --data-raw '{"a":1}'`,
		},
		{
			"secrets in the address and in the body",
			targets.Attempt{Method: "POST", URL: "http://h/v1?api_token=s3cr3t-token", Body: []byte(`{"p":"pa55word"}`)},
			`curl -sS -i -X POST 'http://h/v1?api_token='"$IDEMCHECK_SECRET_API_TOKEN" -H Content-Type: --data-raw '{"p":"'"$IDEMCHECK_SECRET_BODY"'"}'`,
		},
		{
			"no body, two lines of one header, an empty key",
			targets.Attempt{Method: "DELETE", URL: "http://h/v1/[7]", Header: http.Header{"Idempotency-Key": {"", "b"}}},
			`curl -sS -i -X DELETE -g 'http://h/v1/[7]' -H 'Idempotency-Key;' -H 'Idempotency-Key: b'`,
		},
		{
			"what does not print",
			targets.Attempt{Method: "PUT", URL: "http://h/", Header: http.Header{"Content-Type": {"text/plain"}, "Idempotency-Key": {"caf\xe9\x1b7"}}, Body: []byte("it's\n\\ \u202e9")},
			`curl -sS -i -X PUT http://h/ -H 'Content-Type: text/plain' -H $'Idempotency-Key: caf\351\0337' --data-raw $'it\'s\n\\ \342\200\2569'`,
		},
		{
			"a body that is no text",
			targets.Attempt{Method: "POST", URL: "http://h/", Header: http.Header{"Content-Type": {"image/png"}}, Body: []byte{0xff, 0xfe}},
			`curl -sS -i -X POST http://h/ -H 'Content-Type: image/png' # with a body of 2 bytes, sha256 b3d7cb0b09d7…`,
		},
		{
			"a long body",
			targets.Attempt{Method: "POST", URL: "http://h/", Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(strings.Repeat("x", curlBody+1))},
			`curl -sS -i -X POST http://h/ -H 'Content-Type: text/plain' # with a body of 8193 bytes, sha256 `,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Curl(tt.a, secrets)
			if before, _, cut := strings.Cut(tt.want, "sha256"); cut {
				assert.True(t, strings.HasPrefix(got, before), got)
			} else {
				assert.Equal(t, tt.want, got)
			}
			assert.NotContains(t, got, "s3cr3t")
			assert.NotContains(t, got, "pa55")
			requirePrintable(t, got)
			assert.NotContains(t, got, "\n")
		})
	}
}

// The quoted word must reach curl as the bytes that were sent.
func TestShellWordIsWhatTheShellReads(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	for _, s := range []string{"", "plain", "it's", `a "b" $c \d !e` + "`f`", "caf\xe9\x1b77", "\u202e12\n", hostile, "-x", "~", "a\tb\\"} {
		out, err := exec.Command(bash, "-c", "printf %s "+shellWord(s, "")).Output()
		require.NoError(t, err)
		assert.Equal(t, s, string(out))
	}
	out, err := exec.Command(bash, "-c", "IDEMCHECK_SECRET_X_KEY='a b'; printf %s "+shellWord("k: [redacted]; t", "x-key")).Output()
	require.NoError(t, err)
	assert.Equal(t, "k: a b; t", string(out))
}

func TestRedacted(t *testing.T) {
	t.Parallel()
	secrets := targets.NewSecrets()
	secrets.Add("s3cr3t-token")
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	x := targets.Exchange{
		Attempt: targets.Attempt{
			Name: "first", Operation: "create", Key: "k", Method: "POST", URL: "http://h/?token=s3cr3t-token",
			Header: http.Header{"Authorization": {"Bearer s3cr3t-token"}}, Body: []byte("say s3cr3t-token"), Fault: targets.LostResponse,
		},
		Seq: 2, Conn: 7, Began: start.Add(1500 * time.Microsecond), Wrote: start.Add(2 * time.Millisecond), Ended: start.Add(3 * time.Millisecond),
		Status: 201, Answer: http.Header{"Set-Cookie": {"sid=s3cr3t-token"}, "X-Raw": {"caf\xe9"}},
		Content: []byte("echo s3cr3t-token"), Size: 17, Err: "dial s3cr3t-token", Failure: targets.FailureFault,
	}
	got := Redacted(x, start, secrets, 8)
	doc, err := encode(got, "")
	require.NoError(t, err)
	assert.NotContains(t, string(doc), "s3cr3t")
	assert.Equal(t, PurposeAttempt, got.Purpose)
	assert.InDelta(t, 1.5, got.Began, 0)
	assert.InDelta(t, 2, *got.Wrote, 0)
	assert.Nil(t, got.FirstByte, "a part that did not happen has no time")
	assert.Equal(t, "say [red", got.Body.Text, "cut after the secret was taken out, not before")
	assert.Equal(t, int64(16), got.Body.Size, "the size on the wire")
	assert.Equal(t, NewText([]byte("say [redacted]"), 0).SHA256, got.Body.SHA256, "no digest of a secret")
	assert.Equal(t, `caf\xe9`, got.Answer["X-Raw"][0])
	assert.False(t, x.Cut)

	x.Cut, x.Size = true, 9000
	got = Redacted(x, start, secrets, 0)
	assert.Empty(t, got.Content.SHA256, "nobody saw the whole")
	assert.True(t, got.Content.Cut)
	assert.Equal(t, int64(9000), got.Content.Size)
	assert.Equal(t, "Bearer s3cr3t-token", x.Header.Get("Authorization"), "the judge's copy stays whole")
}

func TestNewText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Text{}, NewText(nil, 0))
	whole := NewText([]byte("grün"), 0)
	assert.Equal(t, "grün", whole.Text)
	assert.False(t, whole.Cut)
	cut := NewText([]byte("grün"), 3)
	assert.Equal(t, "gr", cut.Text, "no half characters")
	assert.True(t, cut.Cut)
	assert.Equal(t, whole.SHA256, cut.SHA256, "of the whole")
	assert.Equal(t, int64(5), cut.Size)
	raw := NewText([]byte{0xff, 0x00, 0x01}, 2)
	assert.Equal(t, Text{Text: "/wA=", Size: 3, SHA256: raw.SHA256, Cut: true, Base64: true}, raw)
	assert.Len(t, NewText([]byte(strings.Repeat("x", TextLimit+1)), 0).Text, TextLimit)
}
