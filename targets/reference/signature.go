package reference

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookSecret is what the CRM signs its deliveries with, in the writing of
// the Standard Webhooks: whsec_ and base64. It is as public as the tokens of
// the callers.
const webhookSecret = "whsec_cmVmZXJlbmNlLXdlYmhvb2tzLTE="

// tolerance is how old, or how far ahead, the timestamp of a delivery may be.
const tolerance = 5 * time.Minute

// checkSignature checks a delivery that is signed. One that is not has only
// its bearer token.
func checkSignature(h http.Header, body []byte, now time.Time) error {
	given := h.Get("webhook-signature")
	if given == "" {
		return nil
	}
	sent, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(sent, 0)).Abs() > tolerance {
		return badSignature("The webhook-timestamp is missing, or more than five minutes from now.")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(webhookSecret, "whsec_"))
	if err != nil {
		return err
	}
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(h.Get("webhook-id") + "." + h.Get("webhook-timestamp") + "."))
	sum.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	for _, one := range strings.Fields(given) { // several while a secret is changed
		if hmac.Equal([]byte(one), want) {
			return nil
		}
	}
	return badSignature("The webhook-signature does not fit the delivery.")
}

func badSignature(detail string) problem {
	return problem{Status: http.StatusUnauthorized, Code: "unauthorized", Detail: detail}
}
