package reference

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// webhookSecret is what the CRM signs its deliveries with, in the writing of
// the Standard Webhooks: whsec_ and base64. It is as public as the tokens of
// the callers. Other schemes sign with these letters as they are.
const webhookSecret = "whsec_cmVmZXJlbmNlLXdlYmhvb2tzLTE="

// tolerance is how old, or how far ahead, the timestamp of a delivery may be.
const tolerance = 5 * time.Minute

// checkSignature checks a delivery that is signed. One that is not has only
// its bearer token. A stand-in checks as the profile documents, and wants a
// signature where that names one.
func (s *Server) checkSignature(r *request, now time.Time) error {
	sign := &targets.Signing{Scheme: targets.SchemeStandardWebhooks}
	switch {
	case s.sender == nil && r.Header.Get("webhook-signature") == "":
		return nil
	case s.sender != nil:
		sign = s.sender.Delivery.Sign
	}
	if sign == nil {
		return nil
	}
	return signatures[sign.Scheme](r, sign.Header, now)
}

// signatures lists how the signature of a delivery is checked, by its scheme.
// The header is that of the schemes that have none of their own.
var signatures = map[targets.Scheme]func(r *request, header string, now time.Time) error{
	targets.SchemeStandardWebhooks: checkStandard,
	targets.SchemeStripe:           checkStripe,
	targets.SchemeGitHub: func(r *request, _ string, _ time.Time) error {
		hexed, ok := strings.CutPrefix(r.Header.Get("X-Hub-Signature-256"), "sha256=")
		return fits(ok && isHex(hexed, signedWith(webhookSecret, "", r.body, "")))
	},
	targets.SchemeHubSpot: checkHubSpot,
	targets.SchemeHex: func(r *request, header string, _ time.Time) error {
		return fits(isHex(r.Header.Get(header), signedWith(webhookSecret, "", r.body, "")))
	},
	targets.SchemeBase64: func(r *request, header string, _ time.Time) error {
		return fits(isBase64(r.Header.Get(header), signedWith(webhookSecret, "", r.body, "")))
	},
}

func checkStandard(r *request, _ string, now time.Time) error {
	stamp := r.Header.Get("webhook-timestamp")
	if err := checkTime(stamp, seconds, now); err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(webhookSecret, "whsec_"))
	if err != nil {
		return err
	}
	sum := signedWith(string(key), r.Header.Get("webhook-id")+"."+stamp+".", r.body, "")
	for _, one := range strings.Fields(r.Header.Get("webhook-signature")) { // several while a secret is changed
		if text, ok := strings.CutPrefix(one, "v1,"); ok && isBase64(text, sum) {
			return nil
		}
	}
	return fits(false)
}

func checkStripe(r *request, _ string, now time.Time) error {
	parts := map[string]string{}
	for _, part := range strings.Split(r.Header.Get("Stripe-Signature"), ",") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	if err := checkTime(parts["t"], seconds, now); err != nil {
		return err
	}
	return fits(isHex(parts["v1"], signedWith(webhookSecret, parts["t"]+".", r.body, "")))
}

func checkHubSpot(r *request, _ string, now time.Time) error {
	stamp := r.Header.Get("X-HubSpot-Request-Timestamp")
	if err := checkTime(stamp, time.UnixMilli, now); err != nil {
		return err
	}
	sum := signedWith(webhookSecret, r.Method+"http://"+r.Host+r.URL.RequestURI(), r.body, stamp)
	return fits(isBase64(r.Header.Get("X-HubSpot-Signature-v3"), sum))
}

func seconds(since1970 int64) time.Time { return time.Unix(since1970, 0) }

// checkTime refuses a timestamp that is too far from now.
func checkTime(stamp string, at func(int64) time.Time, now time.Time) error {
	sent, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(at(sent)).Abs() > tolerance {
		return badSignature("The timestamp of the delivery is missing, or more than five minutes from now.")
	}
	return nil
}

// signedWith is the HMAC-SHA256 of a body between a prefix and a suffix.
func signedWith(key, prefix string, body []byte, suffix string) []byte {
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte(prefix))
	sum.Write(body)
	sum.Write([]byte(suffix))
	return sum.Sum(nil)
}

func isHex(text string, sum []byte) bool {
	given, err := hex.DecodeString(text)
	return err == nil && hmac.Equal(given, sum)
}

func isBase64(text string, sum []byte) bool {
	given, err := base64.StdEncoding.DecodeString(text)
	return err == nil && hmac.Equal(given, sum)
}

// fits is the error of a signature that does not.
func fits(ok bool) error {
	if ok {
		return nil
	}
	return badSignature("The signature is missing, or does not fit the delivery.")
}

func badSignature(detail string) problem {
	return problem{Status: http.StatusUnauthorized, Code: "unauthorized", Detail: detail}
}
