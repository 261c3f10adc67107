package targets

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bundle is the identity of one intended write. The payload revision and digest travel beside it, never in it.
type Bundle struct {
	Environment string `json:"environment"`
	Tenant      string `json:"tenant"`
	Event       string `json:"event"`
	Record      string `json:"target_record"`
	Operation   string `json:"operation"`
}

// FaultKind is what is done to an attempt on its way.
type FaultKind string

// The faults of an attempt. Each ends with the sender closing its own connection.
const (
	NoFault          FaultKind = ""
	LostResponse     FaultKind = "lost-response"         // sent whole; the answer arrives but is never read
	HangUpHeaders    FaultKind = "hang-up-after-headers" // closed with the headers sent, and nothing of the body
	HangUpHalfBody   FaultKind = "hang-up-in-body"       // closed with half of the body sent
	HangUpAfterWrite FaultKind = "hang-up-after-write"   // closed right after the last byte was sent
	HangUpHalfAnswer FaultKind = "hang-up-in-answer"     // sent whole; closed with half of the answer's body read
)

// awaits reports whether an attempt with this fault waits for an answer, or the beginning of one.
func (f FaultKind) awaits() bool { return f == NoFault || f == LostResponse || f == HangUpHalfAnswer }

// cut gives how much of a body of so many bytes is sent before the sender hangs up; false: all of it.
func (f FaultKind) cut(size int) (sent int, ok bool) {
	switch f {
	case HangUpHeaders:
		return 0, true
	case HangUpHalfBody:
		return size / 2, true
	}
	return size, false
}

// Attempt is one request to put on the wire, complete: its header holds the key already.
type Attempt struct {
	Name      string // label within its case: "first", "retry"
	Operation string // empty for requests that are no write under test (list calls, approvals)
	Key       string // the key as intended, without quoting; empty: none sent
	Method    string
	URL       string // absolute
	Header    http.Header
	Body      []byte
	Fault     FaultKind
	Timeout   time.Duration // from the first byte dialled to the last byte read; 0: the sender's own
	// OnFirstByte is called once, when the answer has begun to arrive and before it is read on: what it does happens in
	// the middle of the exchange, whose time runs on meanwhile. Interim answers (1xx) are not the answer. It is no part
	// of the exchange, which is data. Nil: nothing is called.
	OnFirstByte func() `json:"-"`
}

// FailureKind says why an exchange has no answer.
type FailureKind string

// The kinds of failure of an exchange.
const (
	NoFailure          FailureKind = ""
	FailureUnreachable FailureKind = "unreachable" // name not found, refused, no route
	FailureTLS         FailureKind = "tls"
	FailureProxy       FailureKind = "proxy"
	FailureTimeout     FailureKind = "timeout"
	FailureClosed      FailureKind = "closed"    // the connection ended before the answer was complete
	FailureProtocol    FailureKind = "protocol"  // what came back is not HTTP
	FailureFault       FailureKind = "fault"     // our own fault: the answer was thrown away on purpose
	FailureCancelled   FailureKind = "cancelled" // the run was interrupted
	FailureNotSent     FailureKind = "not-sent"  // the request could not be built or its address is not allowed
)

// Exchange is one attempt with whatever came back and the times of its parts. A zero time means that the part did not
// happen. There is never a second request behind it.
type Exchange struct {
	Attempt
	Seq       int // order of sending within the case, from 1
	Conn      int // number of the connection within the run; only requests of one HTTP/2 burst share one
	Proto     string
	Began     time.Time // dialling began
	Connected time.Time // connection (and TLS) ready
	Wrote     time.Time // the last byte of the request was written
	FirstByte time.Time // the first byte of the answer arrived
	Ended     time.Time
	Status    int // 0: no answer
	Answer    http.Header
	Content   []byte // the answer's body, decompressed, cut at the sender's cap
	Size      int64  // bytes read of the body, at least len(Content)
	Cut       bool   // the body was longer than the cap, or did not end in time
	Failure   FailureKind
	Err       string // why, in words, without secrets
}

// Answered reports whether a whole status line and header came back.
func (x Exchange) Answered() bool { return x.Status != 0 }

// Succeeded reports whether the answer is a 2xx.
func (x Exchange) Succeeded() bool { return x.Status >= 200 && x.Status < 300 }

// RetryAfter reads how long an answer asks to wait, in whole seconds or until a date (RFC 9110 section 10.2.3); false
// where it does not say, or says nothing that can be read. A date that has passed gives no wait.
func (x Exchange) RetryAfter(now time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(x.Answer.Get("Retry-After"))
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// Overlaps reports whether both requests were wholly written before any answer byte of either arrived: the sender's
// proof that the target had both at once.
func (x Exchange) Overlaps(y Exchange) bool {
	return !x.Wrote.IsZero() && !y.Wrote.IsZero() &&
		(x.FirstByte.IsZero() || y.Wrote.Before(x.FirstByte)) &&
		(y.FirstByte.IsZero() || x.Wrote.Before(y.FirstByte))
}

// Reading is one count taken by one observer.
type Reading struct {
	Observer  string    `json:"observer"`
	Namespace string    `json:"namespace,omitempty"` // "": the target's own; or one of those of the target file: "other_tenant"
	Operation string    `json:"operation,omitempty"`
	Marker    string    `json:"marker"`
	Label     string    `json:"label,omitempty"` // when it was taken: "before", "after first"
	At        time.Time `json:"at"`              // when the last poll ended
	Count     int       `json:"count"`
	IDs       []string  `json:"ids,omitempty"`  // ids of what was counted, where the observer gives them
	Refs      []string  `json:"refs,omitempty"` // ids of the records these belong to (a mail's task)
	Polls     int       `json:"polls"`          // how often it was asked until stable
	Inferred  bool      `json:"inferred,omitempty"`
	Err       string    `json:"error,omitempty"` // not empty: the count could not be taken and must not be used
}
