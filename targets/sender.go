package targets

import (
	"context"
	"crypto/tls"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/time/rate"
)

// What a Sender does where its options say nothing.
const (
	defaultSendTimeout = 30 * time.Second
	defaultMaxBody     = 4 << 20
)

// maxAnswerHeader bounds the header of an answer, with the interim answers before it, in bytes.
const maxAnswerHeader = 1 << 20

// SenderOptions say how a Sender sends. Only Hosts has no default: without it nothing is sent.
type SenderOptions struct {
	// Hosts are the only ones that may be contacted, each as host, host:port, or an absolute URL. A host without a
	// port stands for all of its ports, a URL for its own port. Redirects are never followed anyway.
	Hosts   []string
	Timeout time.Duration                    // of one exchange, from the first byte dialled to the last byte read; default 30s
	MaxBody int64                            // bytes kept of an answer's body, before and after decompression; default 4 MiB
	TLS     *tls.Config                      // see TLS.Config; ServerName and NextProtos are filled in for each connection
	Proxy   func(*url.URL) (*url.URL, error) // which proxy a URL goes through; nil: the environment's, never for loopback
	Rate    Rate                             // requests per second; 0: no limit
	H2C     bool                             // speak HTTP/2 to http:// targets without asking
	Now     func() time.Time                 // for the times of an exchange; default time.Now. Timeouts use the real clock
	Redact  func(string) string              // takes the secrets out of Exchange.Err; nil: none
}

// Sender puts attempts on the wire. Each exchange is exactly one request, written once, to one connection that the
// sender dialled for it and closes after it: nothing is pooled, followed or repeated. (Go's http.Client repeats a POST
// that carries an Idempotency-Key when a kept connection dies, and so would create the duplicate itself.)
//
// HTTP/1.1 is written and read by the sender itself. HTTP/2 is used where TLS negotiates it, and for http:// with
// SenderOptions.H2C. A Sender may be used by several goroutines at once.
type Sender struct {
	o     SenderOptions
	hosts hostSet
	limit *rate.Limiter // nil: none
	conns atomic.Int64
	speak sync.Map // from origin to the protocol that it speaks; see Speaks
}

// NewSender gives a sender with the defaults filled in.
func NewSender(o SenderOptions) *Sender {
	if o.Timeout <= 0 {
		o.Timeout = defaultSendTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.TLS == nil {
		o.TLS = &tls.Config{}
	}
	if o.Proxy == nil {
		o.Proxy = httpproxy.FromEnvironment().ProxyFunc()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	return &Sender{o: o, hosts: newHostSet(o.Hosts), limit: newLimiter(o.Rate)}
}

// Send sends one attempt and reads what comes back. Whatever goes wrong is in the exchange. Where there is a rate
// limit it waits for its turn first; that time is not part of the exchange.
func (s *Sender) Send(ctx context.Context, a Attempt) Exchange {
	if err := s.Take(ctx, 1); err != nil {
		return s.NotSent(a, err)
	}
	want := AnyProtocol
	if a.Fault != NoFault {
		want = PreferHTTP1 // because there the sender controls every byte
	}
	p := s.open(ctx, a, want)
	p.during(ctx, func() { p.wire.send() })
	return p.Finish(ctx)
}

// Prepare opens the connection of an attempt and writes all of it but the last byte: the last body byte, or the last
// byte of the header block where there is no body. The target's handler is then, as a rule, already inside, or
// waiting for that byte. Over HTTP/2 a request without a body is withheld whole.
//
// HTTP/1.1 is asked for; a target that refuses it gets HTTP/2, and Exchange.Proto says so. Prepare takes nothing from
// the rate limit: a burst takes all its requests at once, with Take, so that none has to be held open for the others.
// The context bounds the preparation only; the timeout of the attempt runs on. Every Prepared must be finished.
func (s *Sender) Prepare(ctx context.Context, a Attempt) *Prepared {
	p := s.open(ctx, a, PreferHTTP1)
	p.Hold(ctx, GateBody)
	return p
}

// NotSent gives the exchange of an attempt that is not sent because Take has failed.
func (s *Sender) NotSent(a Attempt, err error) Exchange {
	p := &Prepared{s: s, x: exchangeOf(a)}
	p.fail(err)
	return p.x
}
