package burst_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// through sends everything through a proxy, also what goes to loopback.
func through(t *testing.T, proxy string) func(*targets.SenderOptions) {
	t.Helper()
	u, err := url.Parse(proxy)
	require.NoError(t, err)
	return func(o *targets.SenderOptions) {
		o.Proxy = func(*url.URL) (*url.URL, error) { return u, nil }
	}
}

// proxying passes CONNECT on, and requests in absolute form; it counts both.
func proxying(t *testing.T) (proxy string, tunnels, requests *atomic.Int32) {
	tunnels, requests = new(atomic.Int32), new(atomic.Int32)
	proxy = listen(t, func(from net.Conn) {
		in := bufio.NewReader(from)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if r.Method == http.MethodConnect {
				tunnels.Add(1)
				tunnel(from, in, r.Host)
				return
			}
			requests.Add(1)
			res, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				return
			}
			res.Write(from)
			res.Body.Close()
		}
	})
	return proxy, tunnels, requests
}

func tunnel(from net.Conn, in io.Reader, to string) {
	next, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer next.Close()
	io.WriteString(from, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		io.Copy(next, in)
		next.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(from, next)
}

func TestProxies(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, way, nil)
			proxy, tunnels, requests := proxying(t)
			sender := way.sender(s.Server, through(t, proxy), noH2C)
			b := burst.Send(t.Context(), sender, numbered(s.URL, payload(58), 5), burst.Options{Warm: 2, Probe: probe(s.URL)})
			if way.http2 && !way.tls {
				return // such a proxy does not pass HTTP/2 on, and this target speaks nothing else
			}
			for i, x := range b.Exchanges {
				assert.Equal(t, 200, x.Status, describe(x))
				assert.Len(t, s.got(i), 1)
			}
			switch way.name {
			case "plain":
				assert.EqualValues(t, 5+10, requests.Load())
				assert.Equal(t, burst.HTTP1BodyGate, b.Technique)
			case "TLS":
				assert.EqualValues(t, 1+5, tunnels.Load(), "one to ask for the protocol")
			case "h2":
				assert.EqualValues(t, 1+1, tunnels.Load())
				assert.Equal(t, burst.HTTP2SingleWrite, b.Technique)
			}
		})
	}
}

func TestHTTP2IsNotForPlainProxies(t *testing.T) {
	t.Parallel()
	proxy, _, requests := proxying(t)
	s := serve(t, ways[0], nil)
	sender := newSender(h2c, through(t, proxy))
	b := burst.Send(t.Context(), sender, numbered(s.URL, payload(58), 2), burst.Options{})
	assert.Equal(t, burst.HTTP1BodyGate, b.Technique, "HTTP/2 was asked for without TLS, but a proxy stands between")
	assert.EqualValues(t, 2, requests.Load())
	b = burst.Send(t.Context(), sender, numbered(s.URL, payload(58), 2), burst.Options{Technique: burst.HTTP2SingleWrite})
	assert.Equal(t, targets.FailureNotSent, b.Exchanges[0].Failure)
	assert.Contains(t, b.Exchanges[0].Err, "proxy")
}

// The answer of a proxy that asks for credentials is not the target's.
func TestAProxyThatAsksForCredentials(t *testing.T) {
	t.Parallel()
	proxy := listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 407 Auth\r\nContent-Length: 0\r\n\r\n")
	})
	for _, way := range []way{ways[0], ways[3]} {
		s := serve(t, way, nil)
		for _, x := range burst.Send(t.Context(), way.sender(s.Server, through(t, proxy), noH2C), numbered(s.URL, payload(58), 2), burst.Options{}).Exchanges {
			assert.Equal(t, targets.FailureProxy, x.Failure, describe(x))
			assert.Zero(t, x.Status)
		}
	}
}

// A client's certificate is shown by every technique.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	issuer := httptest.NewTLSServer(nil)
	issuer.Close()
	own := issuer.TLS.Certificates[0]
	for _, way := range []way{ways[1], ways[3]} {
		s := serve(t, way, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.TLS.PeerCertificates[0].Issuer.Organization[0])
		}, func(server *http.Server) {
			pool := x509.NewCertPool()
			pool.AddCert(issuer.Certificate())
			server.TLSConfig = &tls.Config{ClientAuth: tls.RequireAnyClientCert, ClientCAs: pool}
		})
		shown := way.sender(s.Server, func(o *targets.SenderOptions) { o.TLS.Certificates = []tls.Certificate{own} })
		for _, technique := range way.techniques() {
			b := burst.Send(t.Context(), shown, numbered(s.URL, payload(58), 3), burst.Options{Technique: technique})
			for _, x := range b.Exchanges {
				assert.Equal(t, 200, x.Status, describe(x))
				assert.True(t, strings.HasPrefix(string(x.Content), "Acme"), string(x.Content))
			}
		}
		b := burst.Send(t.Context(), way.sender(s.Server), numbered(s.URL, payload(58), 2), burst.Options{})
		for _, x := range b.Exchanges {
			assert.Equal(t, targets.FailureTLS, x.Failure, describe(x))
		}
	}
}
