package targets

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Scheme is how a delivery is signed.
type Scheme string

// The schemes. All are HMAC-SHA256; they differ in what is signed and how it is written.
const (
	// SchemeStandardWebhooks: v1,BASE64 over "id.timestamp.body" with a base64 secret (whsec_…), in Webhook-Signature
	// beside Webhook-Id and Webhook-Timestamp. https://github.com/standard-webhooks/standard-webhooks
	SchemeStandardWebhooks Scheme = "standard-webhooks"
	// SchemeStripe: t=TIMESTAMP,v1=HEX over "timestamp.body", in Stripe-Signature. https://docs.stripe.com/webhooks
	SchemeStripe Scheme = "stripe"
	// SchemeGitHub: sha256=HEX over the body, in X-Hub-Signature-256.
	// https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
	SchemeGitHub Scheme = "github"
	// SchemeHubSpot: BASE64 over the method, the whole URL, the body and the timestamp in milliseconds, in
	// X-HubSpot-Signature-v3 beside X-HubSpot-Request-Timestamp.
	// https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation
	SchemeHubSpot Scheme = "hubspot-v3"
	SchemeHex     Scheme = "hmac-sha256-hex"    // HEX over the body, in the header that is named
	SchemeBase64  Scheme = "hmac-sha256-base64" // BASE64 over the body (Xero, Shopify, Docusign Connect)
)

// Schemes lists every scheme.
func Schemes() []Scheme {
	return []Scheme{SchemeStandardWebhooks, SchemeStripe, SchemeGitHub, SchemeHubSpot, SchemeHex, SchemeBase64}
}

// Sign is how deliveries are signed.
type Sign struct {
	Scheme Scheme `yaml:"scheme"`
	Header string `yaml:"header"` // default: the scheme's own
	Secret string `yaml:"secret"`
}

// header gives the name of the header that the signature goes into; empty where the scheme has none of its own.
func (s Sign) header() string {
	if s.Header != "" {
		return s.Header
	}
	return map[Scheme]string{SchemeStandardWebhooks: "Webhook-Signature", SchemeStripe: "Stripe-Signature",
		SchemeGitHub: "X-Hub-Signature-256", SchemeHubSpot: "X-HubSpot-Signature-v3"}[s.Scheme]
}

// key gives the bytes that are signed with.
func (s Sign) key() ([]byte, error) {
	if s.Scheme != SchemeStandardWebhooks {
		return []byte(s.Secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
	if err != nil { // what does not fit stays out of the message
		return nil, fmt.Errorf("read the secret: behind whsec_ it is no base64")
	}
	return key, nil
}

// Seal signs a delivery as it is, with its timestamp as of now: each delivery of an event has its own, its id stays. A
// nil Sign signs nothing. Whatever has changed in the delivery afterwards is not covered.
func (s *Sign) Seal(a *Attempt, id string, now time.Time) error {
	if s == nil {
		return nil
	}
	key, err := s.key()
	if err != nil {
		return fmt.Errorf("sign a delivery: %w", err)
	}
	a.Header = cloneHeader(a.Header)
	write, known := seals[s.Scheme]
	if !known {
		return fmt.Errorf("sign a delivery: there is no scheme %q", s.Scheme)
	}
	text := write(a, key, id, now)
	if err := headerOK(s.header(), text); err != nil {
		return fmt.Errorf("sign a delivery: %w", err)
	}
	a.Header.Set(s.header(), text)
	return nil
}

// Forged gives the signing of somebody who does not know the secret.
func (s Sign) Forged() *Sign {
	s.Secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("forged"+s.Secret))
	return &s
}

// seals lists how the text of a signature is made of a delivery, the key and the time. What else belongs to the scheme is
// put into the headers.
var seals = map[Scheme]func(a *Attempt, key []byte, id string, now time.Time) string{
	SchemeStandardWebhooks: func(a *Attempt, key []byte, id string, now time.Time) string {
		if given := a.Header.Get("Webhook-Id"); given != "" {
			id = given
		}
		stamp := strconv.FormatInt(now.Unix(), 10)
		a.Header.Set("Webhook-Id", id)
		a.Header.Set("Webhook-Timestamp", stamp)
		return "v1," + base64.StdEncoding.EncodeToString(mac(key, id+"."+stamp+".", a.Body, ""))
	},
	SchemeStripe: func(a *Attempt, key []byte, _ string, now time.Time) string {
		stamp := strconv.FormatInt(now.Unix(), 10)
		return "t=" + stamp + ",v1=" + hex.EncodeToString(mac(key, stamp+".", a.Body, ""))
	},
	SchemeGitHub: func(a *Attempt, key []byte, _ string, _ time.Time) string {
		return "sha256=" + hex.EncodeToString(mac(key, "", a.Body, ""))
	},
	SchemeHubSpot: func(a *Attempt, key []byte, _ string, now time.Time) string {
		stamp := strconv.FormatInt(now.UnixMilli(), 10)
		a.Header.Set("X-HubSpot-Request-Timestamp", stamp)
		return base64.StdEncoding.EncodeToString(mac(key, a.Method+a.URL, a.Body, stamp))
	},
	SchemeHex: func(a *Attempt, key []byte, _ string, _ time.Time) string {
		return hex.EncodeToString(mac(key, "", a.Body, ""))
	},
	SchemeBase64: func(a *Attempt, key []byte, _ string, _ time.Time) string {
		return base64.StdEncoding.EncodeToString(mac(key, "", a.Body, ""))
	},
}

// mac is the HMAC-SHA256 of a body between a prefix and a suffix.
func mac(key []byte, prefix string, body []byte, suffix string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(prefix))
	h.Write(body)
	h.Write([]byte(suffix))
	return h.Sum(nil)
}
