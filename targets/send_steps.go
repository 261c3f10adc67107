package targets

import (
	"context"
	"net"
	"time"
)

// Gate is the place in a request up to which it is written before the release.
type Gate int

// The gates.
const (
	// GateBody withholds the last byte of the request: of its body, or of the header block where there is no body. A
	// handler that starts when the header is complete, as those of most servers do, is then already inside.
	GateBody Gate = iota
	// GateHeader withholds the last byte of the header block, and the body with it.
	GateHeader
)

// Open begins an exchange over HTTP/1.1 on a connection of its own and writes nothing yet. It takes nothing from the
// rate limit. A target that does not offer HTTP/1.1 fails it with FailureNotSent. The request does not ask the target to
// close the connection; Finish closes it.
func (s *Sender) Open(ctx context.Context, a Attempt) *Prepared {
	p := s.begin(ctx, a)
	p.during(ctx, func() {
		p.r.keep = true
		p.connect(OnlyHTTP1)
	})
	return p
}

// Size is how many bytes the request will be, before encryption; 0 when the preparation has failed.
func (p *Prepared) Size() int {
	if w, ok := p.wire.(*http1Wire); ok && !p.Failed() {
		return len(w.bytes)
	}
	return 0
}

// Write writes the whole request at once, without a gate.
func (p *Prepared) Write(ctx context.Context) { p.during(ctx, func() { p.wire.send() }) }

// Hold writes the request up to its gate. The rest is encrypted already when it returns, where there is TLS.
func (p *Prepared) Hold(ctx context.Context, gate Gate) { p.during(ctx, func() { p.wire.hold(gate) }) }

// Flush writes what Release has left because the socket was full, and waits for it.
func (p *Prepared) Flush(ctx context.Context) { p.during(ctx, func() { p.wire.flush() }) }

// Heard is closed when the answer has been read, or cannot be any more; what Finish does then is left to it. Nil, which
// never is, where nobody reads.
func (p *Prepared) Heard() <-chan struct{} {
	if w, ok := p.wire.(*http1Wire); ok && !p.Failed() {
		return w.heard
	}
	return nil
}

// Timeout is how long an exchange of an attempt may take.
func (s *Sender) Timeout(a Attempt) time.Duration {
	if a.Timeout > 0 {
		return a.Timeout
	}
	return s.o.Timeout
}

// Watch has a function called when the first byte of the answer has arrived, with the time of it. It comes before Hold or
// Write.
func (p *Prepared) Watch(arrived func(time.Time)) {
	if w, ok := p.wire.(*http1Wire); ok && !p.Failed() {
		w.reader.arrived = arrived
	}
}

// Withheld is how many bytes the release will write, with those that TLS adds.
func (p *Prepared) Withheld() int {
	if p.Failed() || p.link == nil {
		return 0
	}
	return p.link.socket.pending()
}

// TCP is the socket of the exchange, for its statistics only; nil when the preparation has failed.
func (p *Prepared) TCP() net.Conn {
	if p.Failed() || p.link == nil {
		return nil
	}
	return p.link.socket.Conn
}

// Attempt is what is being sent.
func (p *Prepared) Attempt() Attempt { return p.x.Attempt }

// GiveUp ends an exchange whose request has not been written, for a reason of the caller's.
func (p *Prepared) GiveUp(err error) {
	if !p.Failed() {
		p.fail(err)
	}
}

// NewFailure is an error whose kind and words an exchange takes over as they are.
func NewFailure(kind FailureKind, format string, args ...any) error {
	return failure(kind, format, args...)
}
