package targets

import (
	"context"
	"sync"
	"time"
)

// Prepared is an attempt on its way: connected, and written up to its last byte. See Sender.Prepare.
type Prepared struct {
	s      *Sender
	x      Exchange
	ctx    context.Context // ends when the exchange must end; its cause says why. Nil: it never began
	cancel context.CancelCauseFunc
	link   *link
	wire   wire // nil until there is a connection
	once   sync.Once
}

// wire is one request on one connection, in one protocol. Errors of writing are kept until finish: the answer may
// have arrived all the same.
type wire interface {
	send()    // writes the whole request
	hold()    // writes the request up to its last byte
	release() // writes the last byte
	finish() outcome
}

// outcome is what a wire knows at its end.
type outcome struct {
	wrote time.Time
	answer
}

// Failed reports whether the preparation has failed already; Finish says why.
func (p *Prepared) Failed() bool { return !p.x.Ended.IsZero() }

// Release writes the last byte, as cheaply as possible. It does nothing when the preparation has failed, and nothing
// the second time.
func (p *Prepared) Release() {
	p.once.Do(func() {
		if !p.Failed() {
			p.wire.release()
		}
	})
}

// Finish reads the answer, closes the connection and gives the exchange. Call it after Release: a request that is
// never released ends with its timeout. A second call gives the same exchange.
func (p *Prepared) Finish(ctx context.Context) Exchange {
	p.during(ctx, func() { p.settle(p.wire.finish()) })
	return p.x
}

// open dials and chooses the protocol. Held and broken requests go over HTTP/1.1 where that can be had, because there
// the sender controls every byte.
func (s *Sender) open(ctx context.Context, a Attempt, held bool) *Prepared {
	p := &Prepared{s: s, x: Exchange{Attempt: a}}
	r, err := newOutgoing(a, s.hosts)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		p.fail(err)
		return p
	}
	p.begin(ctx)
	p.during(ctx, func() { p.connect(r, held || a.Fault != NoFault) })
	return p
}

// begin starts the clock of the exchange. The exchange outlives the caller's context in between its steps, so that
// the context of Prepare does not end what Finish waits for.
func (p *Prepared) begin(ctx context.Context) {
	timeout := p.x.Timeout
	if timeout <= 0 {
		timeout = p.s.o.Timeout
	}
	p.x.Conn = int(p.s.conns.Add(1))
	p.x.Began = p.s.o.Now()
	timed, stop := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	ending, cancel := context.WithCancelCause(timed)
	p.ctx = ending
	p.cancel = func(cause error) { cancel(cause); stop() }
}

// connect gets the connection and the protocol over it.
func (p *Prepared) connect(r *outgoing, plain bool) {
	l, err := p.s.dial(p.ctx, r.url, plain)
	if err != nil {
		p.fail(err)
		return
	}
	p.link = l
	p.x.Connected = p.s.o.Now()
	p.x.Proto = l.proto
	reader := answerReader{method: r.method, maxBody: p.s.o.MaxBody, now: p.s.o.Now}
	if l.proto == protoHTTP2 {
		p.wire, err = newHTTP2Wire(p.ctx, l, r, reader)
	} else {
		p.wire = newHTTP1Wire(l, r, reader)
	}
	if err != nil {
		p.fail(err)
	}
}

// during runs one step under the caller's context besides the exchange's own. A failed exchange has no more steps.
func (p *Prepared) during(ctx context.Context, step func()) {
	if p.Failed() {
		return
	}
	stop := context.AfterFunc(ctx, func() { p.cancel(ctx.Err()) })
	defer stop()
	step()
}

// settle takes over what the wire knows.
func (p *Prepared) settle(out outcome) {
	p.x.Wrote, p.x.FirstByte = out.wrote, out.first
	p.x.Status, p.x.Answer = out.status, out.header
	p.x.Content, p.x.Size, p.x.Cut = out.content, out.size, out.cut
	if out.proto != "" {
		p.x.Proto = out.proto
	}
	if out.err == nil && p.link.proxied && p.x.Status == statusProxyAuth {
		p.x.Status = 0 // the proxy's answer, not the target's
		out.err = failure(FailureProxy, "the proxy asks for other credentials (407)")
	}
	p.fail(out.err)
}

// fail ends the exchange; a nil error ends it well.
func (p *Prepared) fail(err error) {
	p.x.Ended = p.s.o.Now()
	if err != nil {
		p.x.Failure, p.x.Err = p.why(err)
		p.x.Err = p.s.o.Redact(p.x.Err)
	}
	if p.link != nil {
		p.link.close(!p.x.Wrote.IsZero() && err == nil)
	}
	if p.cancel != nil {
		p.cancel(nil)
	}
}
