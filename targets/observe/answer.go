package observe

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"unicode"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	excerptLength = 80       // characters of an answer that an error shows
	excerptSource = 64 << 10 // bytes in which secrets are looked for before it is cut
)

// readable says why an exchange is no answer to count from. What decides is the content and not the media type: JSON
// under text/html or text/plain is frequent, and so is a login page under 200.
func readable(x targets.Exchange, redact func(string) string) error {
	switch {
	case x.Failure != targets.NoFailure:
		return noAnswer(x)
	case x.Status == 429 || x.Status >= 500:
		return transient{refused(x, redact)}
	case !x.Succeeded():
		return refused(x, redact)
	case x.Cut:
		return fmt.Errorf("%s answered %s longer than the %d bytes that are read", what(x), kindOfAnswer(x), len(x.Content))
	case !json.Valid(x.Content):
		return fmt.Errorf("%s answered %s, not JSON: %s", what(x), kindOfAnswer(x), excerpt(x.Content, redact))
	}
	return nil
}

func noAnswer(x targets.Exchange) error {
	why := x.Err
	if why == "" {
		why = string(x.Failure)
	}
	err := fmt.Errorf("%s got no answer: %s", what(x), why)
	switch x.Failure {
	case targets.FailureUnreachable, targets.FailureTimeout, targets.FailureClosed:
		return transient{err}
	}
	return err
}

func refused(x targets.Exchange, redact func(string) string) error {
	return fmt.Errorf("%s answered %s: %s", what(x), kindOfAnswer(x), excerpt(x.Content, redact))
}

// what names a request by method and path; the query may hold credentials.
func what(x targets.Exchange) string {
	u, err := url.Parse(x.URL)
	if err != nil {
		return x.Method
	}
	return x.Method + " " + u.EscapedPath()
}

// kindOfAnswer is the status and the media type, without its parameters.
func kindOfAnswer(x targets.Exchange) string {
	media, _, err := mime.ParseMediaType(x.Answer.Get("Content-Type"))
	if err != nil {
		media = "without a media type"
	}
	return fmt.Sprintf("%d %s", x.Status, media)
}

// excerpt is the beginning of a body in one line. It is redacted before it is cut: half a secret is not recognised.
func excerpt(body []byte, redact func(string) string) string {
	if len(body) > excerptSource {
		body = body[:excerptSource]
	}
	text := strings.Join(strings.FieldsFunc(redact(strings.ToValidUTF8(string(body), "�")), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if text == "" {
		return "(empty)"
	}
	if runes := []rune(text); len(runes) > excerptLength {
		return string(runes[:excerptLength]) + "…"
	}
	return text
}
