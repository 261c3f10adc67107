package targets

import (
	"context"
	"sync"
	"time"
)

// Prepared is an attempt on its way. Sender.Prepare gives one that is connected and written up to its last byte; a
// burst takes the steps one by one: Sender.Open, Warm, Hold, Release, Flush, Finish, or, for requests that share a
// connection, Sender.Begin, Carry, Conclude. Every Prepared must come to Finish or Conclude.
type Prepared struct {
	s        *Sender
	x        Exchange
	r        *outgoing       // nil: the attempt was refused
	ctx      context.Context // ends when the exchange must end; its cause says why. Nil: it never began
	cancel   context.CancelCauseFunc
	link     *link
	wire     wire // nil until there is a connection
	once     sync.Once
	released bool
}

// wire is one request on one connection, in one protocol. Errors of writing are kept until finish: the answer may
// have arrived all the same.
type wire interface {
	send()          // writes the whole request
	hold(gate Gate) // writes the request up to its gate
	release()       // writes what was withheld, as far as that can be done at once
	flush()         // writes what the release has left
	finish() outcome
}

// outcome is what a wire knows at its end.
type outcome struct {
	wrote time.Time
	ended time.Time // zero: now
	answer
}

// Failed reports whether the preparation has failed already; Finish says why.
func (p *Prepared) Failed() bool { return !p.x.Ended.IsZero() }

// Release writes what was withheld, as cheaply as possible, and as much of it as the socket takes at once; Flush writes
// the rest. It does nothing when the preparation has failed, and nothing the second time.
func (p *Prepared) Release() {
	p.once.Do(func() {
		if !p.Failed() {
			p.released = true
			p.wire.release()
		}
	})
}

// Finish reads the answer, closes the connection and gives the exchange. Call it after Release: a request that is
// never released ends with its timeout. A second call gives the same exchange.
func (p *Prepared) Finish(ctx context.Context) Exchange {
	if p.released {
		p.Flush(ctx)
	}
	p.during(ctx, func() { p.settle(p.wire.finish()) })
	return p.x
}

// begin checks the attempt and starts the clock of the exchange. The exchange outlives the caller's context in between
// its steps, so that the context of one does not end what the next waits for.
func (s *Sender) begin(ctx context.Context, a Attempt) *Prepared {
	p := &Prepared{s: s, x: exchangeOf(a)}
	r, err := newOutgoing(a, s.hosts)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		p.fail(err)
		return p
	}
	p.r = r
	p.x.Began = s.o.Now()
	timed, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Timeout(a))
	ending, cancel := context.WithCancelCause(timed)
	p.ctx = ending
	p.cancel = func(cause error) { cancel(cause); stop() }
	return p
}

// exchangeOf begins the record of an attempt. Who sends it again must not have the function called again.
func exchangeOf(a Attempt) Exchange {
	a.OnFirstByte = nil
	return Exchange{Attempt: a}
}

// open begins an exchange and connects it.
func (s *Sender) open(ctx context.Context, a Attempt, want Protocol) *Prepared {
	p := s.begin(ctx, a)
	p.during(ctx, func() { p.connect(want) })
	return p
}

// connect gets the connection and the protocol over it.
func (p *Prepared) connect(want Protocol) {
	p.x.Conn = int(p.s.conns.Add(1))
	l, err := p.s.dial(p.ctx, p.r.url, want)
	if err != nil {
		p.fail(err)
		return
	}
	p.link = l
	p.x.Connected = p.s.o.Now()
	p.x.Proto = l.proto
	if l.proto == protoHTTP2 {
		p.wire, err = newHTTP2Wire(p.ctx, l, p.r, p.reader())
	} else {
		p.wire = newHTTP1Wire(l, p.r, p.reader())
	}
	if err != nil {
		p.fail(err)
	}
}

// reader reads the answer of this exchange.
func (p *Prepared) reader() answerReader {
	return answerReader{method: p.r.method, maxBody: p.s.o.MaxBody, now: p.s.o.Now, begun: onlyOnce(p.r.begun)}
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
	if out.err == nil && p.link != nil && p.link.proxied && p.x.Status == statusProxyAuth {
		p.x.Status = 0 // the proxy's answer, not the target's
		out.err = failure(FailureProxy, "the proxy asks for other credentials (407)")
	}
	p.fail(out.err)
	if !out.ended.IsZero() {
		p.x.Ended = out.ended
	}
	if p.x.Ended.Before(out.wrote) {
		p.x.Ended = out.wrote // who reads may be done before who writes has looked at the clock
	}
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
