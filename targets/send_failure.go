package targets

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2"
)

// sendError is a failure whose kind and words are known where it happens.
type sendError struct {
	kind  FailureKind
	words string
}

func (e *sendError) Error() string { return e.words }

// failure makes a sendError.
func failure(kind FailureKind, format string, args ...any) error {
	return &sendError{kind: kind, words: fmt.Sprintf(format, args...)}
}

// errFault ends an exchange that was broken on purpose.
func errFault(fault FaultKind, first time.Time) error {
	if fault == LostResponse && first.IsZero() {
		return failure(FailureFault, "given up on purpose (%s) before an answer had begun", fault)
	}
	return failure(FailureFault, "given up on purpose (%s)", fault)
}

// why gives the kind of a failure and its words. The end of the exchange's own time outranks the error that it caused.
// Only a lost response ends with it as planned.
func (p *Prepared) why(err error) (FailureKind, string) {
	if p.ctx != nil && p.ctx.Err() != nil {
		cause := context.Cause(p.ctx)
		if kind, words := classify(err); kind == FailureFault && errors.Is(cause, context.DeadlineExceeded) {
			return kind, words
		}
		return p.ended(cause)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return p.ended(context.DeadlineExceeded)
	}
	if errors.Is(err, context.Canceled) {
		return p.ended(err)
	}
	return classify(err)
}

// ended says why an exchange ran out of time, and in which part.
func (p *Prepared) ended(cause error) (FailureKind, string) {
	if !errors.Is(cause, context.DeadlineExceeded) {
		return FailureCancelled, "the run was interrupted"
	}
	if p.x.Began.IsZero() {
		return FailureNotSent, "there was no time left for this request"
	}
	var what string
	switch {
	case p.x.Connected.IsZero():
		what = "no connection"
	case p.x.FirstByte.IsZero():
		what = "no answer"
	case p.x.Status == 0:
		what = "no complete header of an answer"
	default:
		what = "the answer did not end"
	}
	return FailureTimeout, fmt.Sprintf("%s within %s", what, p.x.Ended.Sub(p.x.Began).Round(time.Millisecond))
}

// classify finds the kind of an error of the network, of TLS or of the answer.
func classify(err error) (FailureKind, string) {
	if known := new(sendError); errors.As(err, &known) {
		return known.kind, known.words
	}
	if words, ok := tlsWords(err); ok {
		return FailureTLS, words
	}
	if kind, words := http2Words(err); kind != NoFailure {
		return kind, words
	}
	if closed(err) {
		return FailureClosed, "the connection was closed before the answer was complete" + because(err)
	}
	return FailureProtocol, "the answer is not valid HTTP: " + cutWords(err.Error())
}

// closed reports whether an error means that the other side has ended the connection.
func closed(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return true
	}
	op := new(net.OpError)
	return errors.As(err, &op) && (op.Op == "read" || op.Op == "write")
}

// because adds the system's reason where there is one.
func because(err error) string {
	if number := syscall.Errno(0); errors.As(err, &number) {
		return " (" + number.Error() + ")"
	}
	return ""
}

// tlsWords explains an error of TLS, also one that the target reports after the handshake: with TLS 1.3 it refuses a
// client's certificate only then.
func tlsWords(err error) (string, bool) {
	op := new(net.OpError)
	if errors.As(err, &op) {
		switch op.Op {
		case "remote error":
			return "the target refused the TLS connection: " + op.Err.Error(), true
		case "local error":
			return "the TLS connection is broken: " + op.Err.Error(), true
		}
	}
	if header := new(tls.RecordHeaderError); errors.As(err, header) {
		return "the target does not speak TLS on this port", true
	}
	if bad := new(tls.CertificateVerificationError); errors.As(err, &bad) {
		return certificateWords(bad.Err), true
	}
	return "", false
}

// certificateWords says what is wrong with a certificate and what a user can do.
func certificateWords(err error) string {
	if errors.As(err, new(x509.UnknownAuthorityError)) {
		return "the target's certificate is signed by an unknown authority (tls.ca names further ones)"
	}
	return "the target's certificate is not accepted: " + cutWords(err.Error())
}

// http2Words explains the ways in which a target ends an HTTP/2 stream or connection.
func http2Words(err error) (FailureKind, string) {
	if stream := (http2.StreamError{}); errors.As(err, &stream) {
		if stream.Code == http2.ErrCodeProtocol {
			return FailureProtocol, "the answer is not valid HTTP/2 (PROTOCOL_ERROR)"
		}
		return FailureClosed, "the stream was reset before the answer was complete (" + stream.Code.String() + ")"
	}
	if strings.Contains(err.Error(), "GOAWAY") {
		return FailureClosed, "the connection was closed before the answer was complete (GOAWAY)"
	}
	return NoFailure, ""
}

// maxWords bounds what is quoted of an error that may quote the target, in bytes.
const maxWords = 160

// cutWords makes a text that may come from the target fit for one line.
func cutWords(s string) string {
	s = strings.ToValidUTF8(strings.Map(printable, s), "?")
	if len(s) > maxWords {
		s = strings.ToValidUTF8(s[:maxWords], "") + "…"
	}
	return s
}

// printable replaces control characters.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
