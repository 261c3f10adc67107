package targets

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field is one header field as HTTP/2 writes it: the name in lower case.
type Field struct{ Name, Value string }

// Begin checks an attempt and starts the clock of its exchange, for a caller that writes the request itself. It takes
// nothing from the rate limit.
func (s *Sender) Begin(ctx context.Context, a Attempt) *Prepared {
	p := s.begin(ctx, a)
	if !p.Failed() && a.Fault != NoFault {
		p.fail(failure(FailureNotSent, "%s needs a connection of its own, which HTTP/2 in a burst does not have", a.Fault))
	}
	if !p.Failed() && a.OnFirstByte != nil {
		p.fail(failure(FailureNotSent, "what happens at the first byte of an answer needs a connection of its own"))
	}
	return p
}

// Now is the sender's clock.
func (s *Sender) Now() time.Time { return s.o.Now() }

// Context ends when the exchange must end; its cause says why. It is the background context when the preparation has
// failed.
func (p *Prepared) Context() context.Context {
	if p.ctx == nil {
		return context.Background()
	}
	return p.ctx
}

// Carry says which line the request goes over.
func (p *Prepared) Carry(l *Line) {
	if !p.Failed() {
		p.x.Conn, p.x.Connected, p.x.Proto = l.Number, l.Connected, protoHTTP2
	}
}

// connectionFields are headers of HTTP/1.1 that HTTP/2 forbids (RFC 9113 section 8.2.2).
var connectionFields = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Te"}

// Fields is the header of the request in HTTP/2 (RFC 9113 section 8.3.1), and its body. Nil when the preparation has
// failed.
func (p *Prepared) Fields() (fields []Field, body []byte) {
	if p.Failed() {
		return nil, nil
	}
	r := p.r
	fields = []Field{
		{":authority", r.host}, {":method", r.method}, {":path", r.url.RequestURI()}, {":scheme", r.url.Scheme},
	}
	for _, name := range sortedNames(r.header) {
		if slices.Contains(connectionFields, http.CanonicalHeaderKey(name)) {
			continue
		}
		for _, v := range r.header[name] {
			fields = append(fields, Field{strings.ToLower(name), v})
		}
	}
	if r.hasLength() {
		fields = append(fields, Field{"content-length", strconv.Itoa(len(r.body))})
	}
	return fields, r.body
}

// Outcome is what became of a request that the caller has written itself.
type Outcome struct {
	Wrote    time.Time      // the last byte was written; zero: it was not
	First    time.Time      // the first byte of the answer arrived
	Ended    time.Time      // the last one did; zero: when Conclude has read it
	Response *http.Response // nil: there is none
	Err      error          // why the answer is not whole, as far as it is known before its body is read
}

// Conclude reads the body of the answer, and gives the exchange. After Wrote is zero, or a failure, the exchange says
// so. A second call gives the same exchange.
func (p *Prepared) Conclude(out Outcome) Exchange {
	if p.Failed() {
		return p.x
	}
	whole := outcome{wrote: out.Wrote, answer: answer{first: out.First, err: out.Err}}
	if whole.ended = out.Ended; out.Response != nil {
		p.reader().take(&whole.answer, out.Response)
	}
	p.settle(whole)
	return p.x
}

// Cancel ends the exchange when a context ends. The caller stops it when the exchange has been concluded.
func (p *Prepared) Cancel(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		if p.cancel != nil {
			p.cancel(ctx.Err())
		}
	})
}
