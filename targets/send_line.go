package targets

import (
	"context"
	"net"
	"net/url"
	"time"
)

// Line is a connection that several requests share. Its reads and writes end with the context that it was dialled
// with.
type Line struct {
	link      *link
	Number    int       // of the connection within the run; see Exchange.Conn
	Connected time.Time // connection (and TLS) ready
}

// Dial connects to the host of a URL, through a proxy where there is one, and writes nothing beyond that. The context
// is the line's for as long as it lives. The errors are those of an exchange: Prepared.GiveUp takes them.
func (s *Sender) Dial(ctx context.Context, to string, want Protocol) (*Line, error) {
	u, err := url.Parse(to)
	if err != nil || !s.hosts.allow(u) {
		return nil, failure(FailureNotSent, "the address is not among the hosts of the target")
	}
	number := int(s.conns.Add(1))
	l, err := s.dial(ctx, u, want)
	if err != nil {
		return nil, err
	}
	return &Line{link: l, Number: number, Connected: s.o.Now()}, nil
}

// Speaks reports whether the host of a URL speaks HTTP/2 with this sender: by what TLS negotiates, on one connection
// that is closed again, or by SenderOptions.H2C. It asks once for each origin.
func (s *Sender) Speaks(ctx context.Context, to string) (http2 bool, err error) {
	u, err := url.Parse(to)
	if err != nil {
		return false, failure(FailureNotSent, "the address is not an absolute http or https URL")
	}
	if u.Scheme != "https" {
		proxy, err := s.o.Proxy(u)
		return s.o.H2C && proxy == nil && err == nil, nil
	}
	origin := Origin(u)
	if known, ok := s.speak.Load(origin); ok {
		return known.(bool), nil
	}
	l, err := s.Dial(ctx, to, AnyProtocol)
	if err != nil {
		return false, err
	}
	defer l.Close(true)
	http2 = l.HTTP2()
	s.speak.Store(origin, http2)
	return http2, nil
}

// Origin is the scheme, host and port of a URL, the port always written.
func Origin(u *url.URL) string { return u.Scheme + "://" + address(u) }

// HTTP2 reports whether the line is to be spoken to in HTTP/2.
func (l *Line) HTTP2() bool { return l.link.proto == protoHTTP2 }

// Read reads what the target sends.
func (l *Line) Read(b []byte) (int, error) { return l.link.Read(b) }

// Write writes, or keeps what would be written; see Hold.
func (l *Line) Write(b []byte) (int, error) { return l.link.Write(b) }

// Hold keeps all further writes, encrypted where there is TLS, until Release and Flush.
func (l *Line) Hold() { l.link.socket.hold() }

// Withheld is how many bytes are kept.
func (l *Line) Withheld() int { return l.link.socket.pending() }

// Release writes what was kept in one system call, as far as the socket takes it. It reports whether that was all.
func (l *Line) Release() (done bool, err error) { return l.link.socket.release() }

// Flush writes what Release has left, and waits for it.
func (l *Line) Flush() error { return l.link.socket.flush() }

// TCP is the socket of the line, for its statistics only.
func (l *Line) TCP() net.Conn { return l.link.socket.Conn }

// Close ends the connection; politely means with the farewell of TLS.
func (l *Line) Close(politely bool) { l.link.close(politely) }
