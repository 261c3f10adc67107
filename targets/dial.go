package targets

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"syscall"
	"time"
)

// The protocols of a connection, as http.Response.Proto writes them.
const (
	protoHTTP1 = "HTTP/1.1"
	protoHTTP2 = "HTTP/2.0"
)

// The names of the protocols in TLS (ALPN, RFC 7301).
const (
	alpnHTTP1 = "http/1.1"
	alpnHTTP2 = "h2"
)

// link is a connection that is ready for its request.
type link struct {
	net.Conn            // what is written to: the socket, or TLS over it
	socket    *heldConn // what lies below
	proto     string
	proxied   bool   // an HTTP proxy passes the request on: it is written in absolute form
	proxyAuth string // credentials for that proxy
	unwatch   func() bool
	left      bool // see hangUp
}

// Protocol is what a connection is asked to speak.
type Protocol int

// The protocols that can be asked for.
const (
	// AnyProtocol is HTTP/2 where TLS negotiates it, or where SenderOptions.H2C says so; else HTTP/1.1.
	AnyProtocol Protocol = iota
	// PreferHTTP1 offers HTTP/2 only after a target has refused the other. The connection that it refused has carried no
	// request.
	PreferHTTP1
	// OnlyHTTP1 fails with FailureNotSent where the target does not offer HTTP/1.1.
	OnlyHTTP1
	// OnlyHTTP2 fails with FailureNotSent where TLS does not negotiate HTTP/2, and without TLS where a proxy stands
	// between; else HTTP/2 is spoken to http:// without asking.
	OnlyHTTP2
)

// dial connects to the host of a URL, through a proxy where there is one.
func (s *Sender) dial(ctx context.Context, u *url.URL, want Protocol) (*link, error) {
	proxy, err := s.o.Proxy(u)
	if err != nil {
		// The error quotes the address, which may hold a password.
		return nil, failure(FailureProxy, "the address of the proxy is not a URL")
	}
	if u.Scheme == "http" {
		return s.dialHTTP(ctx, u, proxy, want)
	}
	switch want {
	case PreferHTTP1:
		l, err := s.dialTLS(ctx, u, proxy, alpnHTTP1)
		if refusedProtocol(err) {
			return s.dialTLS(ctx, u, proxy, alpnHTTP2)
		}
		return l, err
	case OnlyHTTP1:
		return s.dialOnly(ctx, u, proxy, alpnHTTP1)
	case OnlyHTTP2:
		return s.dialOnly(ctx, u, proxy, alpnHTTP2)
	}
	return s.dialTLS(ctx, u, proxy, alpnHTTP2, alpnHTTP1)
}

// names are the protocols as they are written for people.
var names = map[string]string{alpnHTTP1: protoHTTP1, alpnHTTP2: "HTTP/2"}

// dialOnly connects with TLS and one protocol. A server without ALPN speaks HTTP/1.1.
func (s *Sender) dialOnly(ctx context.Context, u, proxy *url.URL, protocol string) (*link, error) {
	l, err := s.dialTLS(ctx, u, proxy, protocol)
	if refusedProtocol(err) {
		return nil, failure(FailureNotSent, "the target does not offer %s (ALPN)", names[protocol])
	}
	if err == nil && (l.proto == protoHTTP2) != (protocol == alpnHTTP2) {
		l.close(true)
		return nil, failure(FailureNotSent, "the target does not offer %s (ALPN)", names[protocol])
	}
	return l, err
}

// dialHTTP connects without TLS.
func (s *Sender) dialHTTP(ctx context.Context, u, proxy *url.URL, want Protocol) (*link, error) {
	if proxy == nil {
		l, err := dialTCP(ctx, address(u))
		if err == nil && s.withPriorKnowledge(want) {
			l.proto = protoHTTP2
		}
		return l, err
	}
	if want == OnlyHTTP2 {
		return nil, failure(FailureNotSent, "a proxy for http:// does not pass HTTP/2 on")
	}
	l, err := s.dialProxy(ctx, proxy)
	if err != nil {
		return nil, err
	}
	l.proxied = true
	if proxy.User != nil {
		l.proxyAuth = basicAuth(proxy.User)
	}
	return l, nil
}

// withPriorKnowledge reports whether HTTP/2 is spoken without TLS.
func (s *Sender) withPriorKnowledge(want Protocol) bool {
	return want == OnlyHTTP2 || s.o.H2C && want != OnlyHTTP1
}

// dialTLS connects with TLS, offering some protocols.
func (s *Sender) dialTLS(ctx context.Context, u, proxy *url.URL, protocols ...string) (*link, error) {
	var l *link
	var err error
	if proxy != nil {
		l, err = s.dialTunnel(ctx, proxy, address(u))
	} else {
		l, err = dialTCP(ctx, address(u))
	}
	if err != nil {
		return nil, err
	}
	config := s.o.TLS.Clone()
	config.NextProtos = protocols
	if err := l.secure(ctx, config, u.Hostname()); err != nil {
		return nil, err
	}
	return l, nil
}

// dialTCP opens a socket. From then on the end of the context ends whatever is read or written.
func dialTCP(ctx context.Context, address string) (*link, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, unreachable(ctx, address, err)
	}
	socket := &heldConn{Conn: conn}
	if tcp, ok := conn.(syscall.Conn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			socket.raw = raw
		}
	}
	unwatch := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	return &link{Conn: socket, socket: socket, proto: protoHTTP1, unwatch: unwatch}, nil
}

// unreachable says in words why there is no connection.
func unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if dns := new(net.DNSError); errors.As(err, &dns) {
		return failure(FailureUnreachable, "no address found for %s", address)
	}
	reason := because(err)
	if reason == "" {
		reason = " (" + cutWords(err.Error()) + ")"
	}
	return failure(FailureUnreachable, "no connection to %s%s", address, reason)
}

// secure puts TLS over a link; the link is closed when that fails.
func (l *link) secure(ctx context.Context, config *tls.Config, host string) error {
	if config.ServerName == "" {
		config.ServerName = host
	}
	// Otherwise the first kilobytes of a connection are cut into small records, and the last bytes of a request would
	// not leave in one.
	config.DynamicRecordSizingDisabled = true
	conn := tls.Client(l.Conn, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		l.close(false)
		return handshakeError(ctx, err)
	}
	l.Conn = conn
	if conn.ConnectionState().NegotiatedProtocol == alpnHTTP2 {
		l.proto = protoHTTP2
	}
	return nil
}

// handshakeError keeps errors that have a kind of their own and makes the rest failures of TLS.
func handshakeError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, known := tlsWords(err); known {
		return err
	}
	if closed(err) {
		return failure(FailureTLS, "the target closed the connection during the TLS handshake")
	}
	return failure(FailureTLS, "the TLS handshake failed: %s", cutWords(err.Error()))
}

// refusedProtocol reports whether a target has refused the protocols that were offered.
func refusedProtocol(err error) bool {
	op := new(net.OpError)
	return errors.As(err, &op) && op.Op == "remote error" && op.Err.Error() == "tls: no application protocol"
}

// close ends the connection. Politely means with the farewell of TLS.
func (l *link) close(politely bool) {
	if l.left {
		return
	}
	l.unwatch()
	if politely {
		l.Conn.Close()
	}
	l.socket.Close()
}

// linger is how long a connection that was hung up still takes what the target says.
const linger = time.Second

// hangUp leaves the connection as a client that dies does: everything written is followed by FIN, without the farewell
// of TLS. It does not close the socket at once, because the system would then send RST: for bytes of the target that
// nobody has read (the session tickets of TLS 1.3, the settings of HTTP/2), or in answer to its next write. A target
// that is met by RST may drop what it has not looked at yet, and the fault would be another one on each run. What still
// comes is read by someone else; the socket is closed at its end, or after a while.
func (l *link) hangUp() {
	l.unwatch()
	l.left = true
	l.socket.SetDeadline(time.Now().Add(linger))
	l.socket.closeWrite()
}

// drain reads what still comes on a connection that was hung up, and closes it.
func (l *link) drain() {
	io.Copy(io.Discard, l.socket.Conn)
	l.socket.Close()
}
