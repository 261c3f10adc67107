package reports

import (
	"net/http"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Redacted gives the copy of an exchange that may leave the process: without secrets, with bodies cut at limit (0:
// TextLimit), and with times in milliseconds since start. What only the engine knows (namespace, caller, id,
// disposition) is left for it to fill in; the purpose is a guess from the operation.
//
// Sizes are those of the bodies on the wire. Digests are of the bodies without secrets; see NewText.
func Redacted(x targets.Exchange, start time.Time, secrets *targets.Secrets, limit int) Exchange {
	out := Exchange{
		Name: x.Name, Seq: x.Seq, Conn: x.Conn, Operation: x.Operation, Purpose: PurposeSetup,
		Key: validText(secrets.Redact(x.Key)), Method: x.Method, URL: validText(secrets.RedactURL(x.URL)),
		Header: headerText(secrets.RedactHeader(x.Header)), Body: redactedText(secrets, x.Body, limit),
		Fault: string(x.Fault), Proto: x.Proto,
		Began: milliseconds(x.Began.Sub(start)), Ended: milliseconds(x.Ended.Sub(start)),
		Wrote: moment(x.Wrote, start), FirstByte: moment(x.FirstByte, start),
		Status: x.Status, Answer: headerText(secrets.RedactHeader(x.Answer)), Content: redactedText(secrets, x.Content, limit),
		Failure: string(x.Failure), Err: validText(secrets.Redact(x.Err)),
		Curl: Curl(x.Attempt, secrets),
	}
	if x.Operation != "" {
		out.Purpose = PurposeAttempt
	}
	if x.Cut || x.Size > int64(len(x.Content)) {
		// The sender did not keep the whole answer, so there is no digest of the whole.
		out.Content.Size, out.Content.Cut, out.Content.SHA256 = x.Size, true, ""
	}
	return out
}

// moment gives t in milliseconds since start, and nil for the zero time: that part did not happen.
func moment(t, start time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	ms := milliseconds(t.Sub(start))
	return &ms
}

// redactedText takes the secrets out before the body is cut: a secret that the cut goes through would not be found.
func redactedText(secrets *targets.Secrets, body []byte, limit int) Text {
	t := NewText([]byte(secrets.Redact(string(body))), limit)
	t.Size = int64(len(body))
	return t
}

func headerText(h http.Header) map[string][]string {
	if len(h) == 0 {
		return nil
	}
	out := make(map[string][]string, len(h))
	for name, values := range h {
		name = validText(name)
		for _, v := range values {
			out[name] = append(out[name], validText(v))
		}
	}
	return out
}
