package targets_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// through sends everything through a proxy, also what goes to loopback.
func through(t *testing.T, proxy string) func(*targets.SenderOptions) {
	t.Helper()
	u, err := url.Parse(proxy)
	require.NoError(t, err)
	return func(o *targets.SenderOptions) {
		o.Proxy = func(*url.URL) (*url.URL, error) { return u, nil }
		o.Hosts = append(o.Hosts, "orders.example")
	}
}

// credentials gives the proxy's URL with a user.
func (p *peer) credentials(scheme string) string {
	return scheme + "://ann:s3cret@" + p.Addr().String()
}

const basicAnn = "Proxy-Authorization: Basic YW5uOnMzY3JldA==\r\n"

func TestPlainProxy(t *testing.T) {
	t.Parallel()
	p := listen(t, answers(okAnswer))
	x := send(t, sender(through(t, p.credentials("http"))), create("http://orders.example/v1/tasks?q=1"))
	require.Equal(t, 200, x.Status, x.Err)
	assert.Contains(t, p.requests()[0], "POST http://orders.example/v1/tasks?q=1 HTTP/1.1\r\nHost: orders.example\r\n"+basicAnn)

	x = send(t, sender(through(t, p.credentials("http")), h2c), create("http://orders.example/"))
	assert.Equal(t, "HTTP/1.1", x.Proto, "such a proxy cannot pass HTTP/2 on")
}

// tunnelling is a proxy for CONNECT: it reads the request, says something, and passes bytes on to a peer.
func tunnelling(t *testing.T, say string, to *peer) *peer {
	return listen(t, func(c *peerConn) {
		c.request()
		c.say(say)
		if to == nil {
			return
		}
		next, err := net.Dial("tcp", to.Addr().String())
		if err != nil {
			return
		}
		defer next.Close()
		go io.Copy(next, c.br)
		io.Copy(c.Conn, next)
	})
}

func TestTunnel(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	target := listenTLS(t, a.server(t), answers(okAnswer))
	proxy := tunnelling(t, "HTTP/1.1 200 Connection established\r\n\r\n", target)
	with := a.trust(t, targets.TLS{ServerName: "localhost"})
	for _, way := range []string{"send", "prepare"} {
		x := sendWay(t, way, create("https://orders.example/v1/tasks"), with, through(t, proxy.credentials("http")))
		require.Equal(t, 200, x.Status, x.Err)
	}
	require.Len(t, proxy.requests(), 2)
	assert.Equal(t, "CONNECT orders.example:443 HTTP/1.1\r\nHost: orders.example:443\r\nUser-Agent: idemcheck\r\n"+basicAnn+"\r\n", proxy.requests()[0])
	require.Len(t, target.requests(), 2)
	assert.Contains(t, target.requests()[0], "POST /v1/tasks HTTP/1.1\r\nHost: orders.example\r\n")
	assert.NotContains(t, target.requests()[0], "Proxy-Authorization")
}

func TestProxyOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	p := listenTLS(t, a.server(t), answers(okAnswer))
	x := send(t, sender(a.trust(t, targets.TLS{}), through(t, p.credentials("https"))), create("http://orders.example/"))
	require.Equal(t, 200, x.Status, x.Err)
	assert.Contains(t, p.requests()[0], "POST http://orders.example/ HTTP/1.1\r\n")
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	gone := listen(t, func(*peerConn) {})
	gone.Close()
	deaf := listen(t, func(c *peerConn) {
		c.br.ReadByte()
		c.say("HTTP/1.1 400 Bad Request\r\n\r\n")
	})
	for name, row := range map[string]struct{ url, proxy, words string }{
		"refused":        {"https://orders.example/", tunnelling(t, "HTTP/1.1 403 Forbidden\r\n\r\n", nil).credentials("http"), "status 403"},
		"credentials":    {"https://orders.example/", tunnelling(t, "HTTP/1.1 407 Auth\r\n\r\n", nil).credentials("http"), "other credentials"},
		"plain 407":      {"http://orders.example/", listen(t, answers("HTTP/1.1 407 Auth\r\nContent-Length: 0\r\n\r\n")).credentials("http"), "other credentials"},
		"closed":         {"https://orders.example/", tunnelling(t, "", nil).credentials("http"), "closed"},
		"garbage":        {"https://orders.example/", tunnelling(t, "220 hello\r\n\r\n", nil).credentials("http"), "not valid HTTP"},
		"speaks first":   {"https://orders.example/", tunnelling(t, "HTTP/1.1 200 OK\r\n\r\n220 hello", nil).credentials("http"), "before the target was asked"},
		"gone":           {"https://orders.example/", gone.credentials("http"), "no connection to"},
		"kind":           {"https://orders.example/", "socks5://ann:s3cret@127.0.0.1:1", "socks5"},
		"does not speak": {"http://orders.example/", deaf.credentials("https"), "does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := send(t, sender(through(t, row.proxy)), create(row.url))
			assert.Equal(t, targets.FailureProxy, x.Failure, x.Err)
			assert.Contains(t, x.Err, row.words)
			assert.NotContains(t, x.Err, "s3cret")
			assert.Zero(t, x.Status)
		})
	}
}

func TestAProxyAddressThatIsNone(t *testing.T) {
	t.Parallel()
	s := sender(func(o *targets.SenderOptions) {
		o.Proxy = func(*url.URL) (*url.URL, error) { return nil, errors.New("parse http://ann:s3cret@") }
	})
	x := send(t, s, create("http://127.0.0.1:1/"))
	assert.Equal(t, targets.FailureProxy, x.Failure)
	assert.NotContains(t, x.Err, "s3cret")
}

func TestTheEnvironmentsProxyIsNotForLoopback(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	p := listen(t, answers(okAnswer))
	assert.Equal(t, 200, send(t, sender(), create(p.url())).Status)
	s := sender(func(o *targets.SenderOptions) { o.Hosts = []string{"orders.example"} })
	x := send(t, s, create("http://orders.example/"))
	assert.Equal(t, targets.FailureProxy, x.Failure, x.Err)
}
