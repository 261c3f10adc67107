package targets

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const onlyReceiver = `
name: hooks
url: http://127.0.0.1:8080
receiver:
  request: POST /hooks
  headers: {X-Topic: invoice}
  body: {resource: 17, nested: [{at: "{{event}}"}], note: "{{marker}}"}
  event_id: [X-Topic, X-Delivery, /resource, /nested/0/at]
  other: {X-Topic: order, /resource: "18"}
  sign: {scheme: github, secret: a-literal-secret}
`

func parse(t *testing.T, text string) *Target {
	t.Helper()
	target, err := Parse("t.yaml", []byte(text), nil)
	require.NoError(t, err)
	return target
}

func TestReceiverAlone(t *testing.T) {
	t.Parallel()
	target := parse(t, onlyReceiver)
	assert.True(t, target.OnlyReceives())
	assert.Equal(t, OnlyOperation, target.Receiver.Operation)
	assert.Equal(t, Ack{Level: Should}, target.Receiver.Ack)
	assert.Equal(t, "a [redacted] b", target.Secrets.Redact("a a-literal-secret b"))
	assert.False(t, parse(t, "name: n\nurl: http://127.0.0.1\noperations: {make: {request: POST /, body: {n: \"{{marker}}\"}}}").OnlyReceives())
}

func TestReceiverParts(t *testing.T) {
	t.Parallel()
	r := *parse(t, onlyReceiver).Receiver
	build := func(event, id string) Attempt {
		a, err := r.Build("http://h", nil, Vars{"event": event, "event_id": id, "marker": "m"})
		require.NoError(t, err)
		return a
	}
	first := build("E1", "i1")
	assert.Equal(t, "invoice + i1 + 17 + E1", first.Key)
	assert.Equal(t, "i1", first.Header.Get("X-Delivery"), "a part that the template has no place for is put there")
	for part, want := range []string{"order + i1 + 17 + E1", "invoice + i2 + 17 + E1", "invoice + i1 + 18 + E1", "invoice + i1 + 17 + E2"} {
		other := build("E2", "i2")
		differs, err := r.ShareAllBut(first, &other, part)
		require.NoError(t, err)
		assert.True(t, differs)
		assert.Equal(t, want, other.Key)
	}
	r.Other = nil
	other := build("E2", "i2")
	differs, err := r.ShareAllBut(first, &other, 0)
	require.NoError(t, err)
	assert.False(t, differs, "what the template fixes cannot be changed")
	assert.JSONEq(t, `{"resource":17,"nested":[{"at":"E1"}],"note":"m"}`, string(other.Body))
}

// The signatures were made by hand: printf %s TEXT | openssl dgst -sha256 -hmac KEY.
func TestSeal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sign         Sign
		header, want string
	}{
		"standard": {Sign{Scheme: SchemeStandardWebhooks, Secret: "whsec_cmVmZXJlbmNlLXdlYmhvb2tzLTE="}, "Webhook-Signature",
			"v1,zZ3wzIzkD4Jot6pho/N5mZfV6qf2e97B959auqrNTJg="},
		"stripe":  {Sign{Scheme: SchemeStripe, Secret: "whsec_x"}, "Stripe-Signature", "t=1767225600,v1=f3cb9e0de30bcecf17daff613dd2a590b0019bffa3e0a04af313df839dafca28"},
		"github":  {Sign{Scheme: SchemeGitHub, Secret: "It's a Secret to Everybody"}, "X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
		"hubspot": {Sign{Scheme: SchemeHubSpot, Secret: "k"}, "X-Hubspot-Signature-V3", "cSEMjx44WgVYbaFeCO5bQDiNRrsMF1zO/8wX2dA5AJM="},
		"hex":     {Sign{Scheme: SchemeHex, Secret: "k", Header: "X-Sig"}, "X-Sig", "11316937114e6970aa59bd5326a6f38dd525f4ade64670e402bff41e2f7c4071"},
		"base64":  {Sign{Scheme: SchemeBase64, Secret: "k", Header: "X-Sig"}, "X-Sig", "ETFpNxFOaXCqWb1TJqbzjdUl9K3mRnDkAr/0Hi98QHE="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Attempt{Method: "POST", URL: "https://example.org/hooks?x=1", Header: http.Header{"Webhook-Id": {"e1"}}, Body: []byte("Hello, World!")}
			shared := a.Header
			require.NoError(t, c.sign.Seal(&a, "other", time.Unix(1767225600, 0)))
			assert.Equal(t, c.want, a.Header.Get(c.header))
			assert.Empty(t, shared.Get(c.header), "attempts may share their header")
		})
	}
	var none *Sign
	assert.NoError(t, none.Seal(&Attempt{}, "", time.Time{}))
}

// What a hostile file holds is an error and no panic.
func TestSealRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []Sign{{}, {Scheme: "md5"}, {Scheme: SchemeHex}, {Scheme: SchemeHex, Header: "A\r\nB"},
		{Scheme: SchemeStandardWebhooks, Secret: "whsec_%"}} {
		assert.Error(t, s.Seal(&Attempt{}, "", time.Time{}), "%+v", s)
	}
}

func FuzzSpanAt(f *testing.F) {
	f.Add(`{"a":[{"b":1}]}`, "/a/0/b")
	f.Add(` [1, "x", {}] `, "/2")
	f.Fuzz(func(t *testing.T, body, pointer string) {
		start, end, ok := spanAt([]byte(body), pointer)
		if ok && (start < 0 || start > end || end > len(body)) {
			t.Errorf("%q at %q: %d to %d", body, pointer, start, end)
		}
	})
}

// What the sender documents need not be said again, and what a file says outranks it.
func TestReceiverFromProfile(t *testing.T) {
	t.Parallel()
	const head = "name: n\nprofile: %s\nurl: http://127.0.0.1\nreceiver:\n  request: POST /\n  body: {type: invoice.paid, note: \"{{marker}}\"}\n"
	stripe := parse(t, fmt.Sprintf(head, "stripe-webhooks")+"  sign: {secret: s}\n").Receiver
	assert.Equal(t, Strings{"/id"}, stripe.EventID)
	assert.Equal(t, Strings{"/data/object/id", "/type"}, stripe.Fact)
	assert.Equal(t, &Sign{Scheme: SchemeStripe, Secret: "s"}, stripe.Sign)
	assert.Equal(t, Ack{Level: Must}, stripe.Ack)
	xero := parse(t, fmt.Sprintf(head, "xero-webhooks")+"  event_id: /note\n  ack: {within: 1s}\n").Receiver
	assert.Equal(t, Strings{"/note"}, xero.EventID)
	assert.Equal(t, Ack{Status: Ints{200}, Within: Duration(time.Second), Level: Must}, xero.Ack)
	assert.Nil(t, xero.Sign, "without a secret nothing is signed")
	github := parse(t, fmt.Sprintf(head, "github-webhooks")+"  sign: {secret: s, scheme: hmac-sha256-hex, header: X-Sig}\n").Receiver
	assert.Equal(t, Strings{"X-GitHub-Delivery"}, github.EventID)
	assert.Equal(t, &Sign{Scheme: SchemeHex, Header: "X-Sig", Secret: "s"}, github.Sign)
	_, err := Parse("t.yaml", fmt.Appendf(nil, head+"  event_id: [/note, Webhook-Timestamp]\n", "standard-webhooks"), nil)
	assert.ErrorContains(t, err, "receiver.event_id: Webhook-Timestamp is new in each delivery")
}

func TestReceiverNumber(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{"/0/attempt": `[{"attempt":2}]`, "/0/other": `[{"attempt":"0","other":2}]`, "header:X-Try": "2"} {
		a := Attempt{Header: http.Header{}, Body: []byte(`[{"attempt":"0"}]`)}
		require.NoError(t, Receiver{}.Number(&a, place, 2))
		if isPointer(place) {
			assert.JSONEq(t, want, string(a.Body))
		} else {
			assert.Equal(t, want, a.Header.Get("X-Try"))
		}
	}
	assert.ErrorContains(t, Receiver{}.Number(&Attempt{Body: []byte("text")}, "/a", 1), "number a delivery")
}
