package targets_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestSendWritesExactlyTheRequest(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 201 Created\r\nContent-Length: 11\r\nLocation: /v1/tasks/7\r\n\r\n{\"id\":\"D7\"}"))
	a := create(p.url() + "?q=a b")
	a.Header["Idempotency-Key"] = []string{"k-1", "k-2"}
	a.Header["Content-Length"] = []string{"99"}
	a.Header["Expect"] = []string{"100-continue"}
	x := send(t, sender(), a)

	assert.Equal(t, []string{"POST /v1/tasks?q=a%20b HTTP/1.1\r\n" +
		"Host: " + p.Addr().String() + "\r\n" +
		"Content-Type: application/json\r\n" +
		"Idempotency-Key: k-1\r\nIdempotency-Key: k-2\r\n" +
		"User-Agent: idemcheck\r\n" +
		"Content-Length: 16\r\nConnection: close\r\n\r\n" +
		`{"note":"hello"}`}, p.requests())
	assert.Equal(t, 201, x.Status)
	assert.Equal(t, `{"id":"D7"}`, string(x.Content))
	assert.EqualValues(t, 11, x.Size)
	assert.Equal(t, "/v1/tasks/7", x.Answer.Get("Location"))
	assert.Equal(t, "HTTP/1.1", x.Proto)
	assert.Equal(t, "first", x.Name)
	assert.Empty(t, x.Failure)
	assert.Empty(t, x.Err)
	assert.False(t, x.Cut)
	inOrder(t, x.Began, x.Connected, x.Wrote, x.Ended)
	inOrder(t, x.Connected, x.FirstByte, x.Ended)
}

// inOrder checks that no time is missing or before the one that it follows.
func inOrder(t *testing.T, times ...time.Time) {
	t.Helper()
	for i, at := range times {
		require.False(t, at.IsZero(), "time %d", i)
		if i > 0 {
			require.False(t, at.Before(times[i-1]), "time %d", i)
		}
	}
}

func TestSendFramesRequestsWithoutBody(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ method, length string }{
		{"POST", "Content-Length: 0\r\n"}, {"PATCH", "Content-Length: 0\r\n"}, {"GET", ""}, {"DELETE", ""},
	} {
		t.Run(row.method, func(t *testing.T) {
			t.Parallel()
			p := listen(t, answers("HTTP/1.1 204 No Content\r\n\r\n"))
			x := send(t, sender(), targets.Attempt{Method: row.method, URL: p.url()})
			require.Equal(t, 204, x.Status, x.Err)
			require.Len(t, p.requests(), 1)
			assert.True(t, strings.HasSuffix(p.requests()[0], "User-Agent: idemcheck\r\n"+row.length+"Connection: close\r\n\r\n"), p.requests()[0])
		})
	}
}

func TestSendTakesItsOwnHostAndCredentials(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	a := create(strings.Replace(p.url(), "http://", "http://ann:s3cret@", 1))
	a.Header["Host"] = []string{"orders.example"}
	require.Equal(t, 200, send(t, sender(), a).Status)
	assert.Contains(t, p.requests()[0], "Host: orders.example\r\n")
	assert.Contains(t, p.requests()[0], "Authorization: Basic YW5uOnMzY3JldA==\r\n")
}

func TestSendRefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 200 OK\r\n\r\n"))
	for name, change := range map[string]func(*targets.Attempt){
		"other host":      func(a *targets.Attempt) { a.URL = "http://127.0.0.2/" },
		"no host":         func(a *targets.Attempt) { a.URL = "/v1/tasks" },
		"no URL":          func(a *targets.Attempt) { a.URL = "http://user:hunter2@127.0.0.1:x/%zz" },
		"other scheme":    func(a *targets.Attempt) { a.URL = "file:///etc/passwd" },
		"header line":     func(a *targets.Attempt) { a.Header["X"] = []string{"a\r\nEvil: 1"} },
		"header name":     func(a *targets.Attempt) { a.Header["X Y"] = []string{"a"} },
		"method":          func(a *targets.Attempt) { a.Method = "GET /x" },
		"host header":     func(a *targets.Attempt) { a.Header["Host"] = []string{"a\r\nb"} },
		"half of no body": func(a *targets.Attempt) { a.Body, a.Fault = nil, targets.HangUpHalfBody },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := create(p.url())
			change(&a)
			x := send(t, sender(), a)
			assert.Equal(t, targets.FailureNotSent, x.Failure)
			assert.NotEmpty(t, x.Err)
			assert.NotContains(t, x.Err, "hunter2")
			assert.Zero(t, x.Conn)
			assert.Zero(t, x.Began)
			assert.Zero(t, p.connections())
		})
	}
}

func TestHostsAreHostsPortsOrURLs(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	for entry, allowed := range map[string]bool{
		"127.0.0.1": true, p.Addr().String(): true, "http://" + p.Addr().String() + "/v1": true,
		"": false, "127.0.0.1:1": false, "http://127.0.0.1/": false, "localhost": false,
	} {
		s := sender(func(o *targets.SenderOptions) { o.Hosts = []string{entry} })
		x := send(t, s, create(p.url()))
		assert.Equal(t, allowed, x.Failure == targets.NoFailure, "%q: %s", entry, x.Err)
	}
}

func TestSendFollowsNothing(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"))
	x := send(t, sender(), create(p.url()))
	assert.Equal(t, 307, x.Status)
	assert.Len(t, p.requests(), 1)
}

// A kept connection that dies makes Go's http.Client repeat a request with an Idempotency-Key. The sender must not.
func TestEveryExchangeIsOneRequestOnItsOwnConnection(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.request()
		c.peer.mu.Lock()
		first := c.peer.conns == 1
		c.peer.mu.Unlock()
		if first {
			c.say("HTTP/1.1 201 Created\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
		}
	})
	s := sender()
	first, second := send(t, s, create(p.url())), send(t, s, create(p.url()))
	assert.Equal(t, 201, first.Status)
	assert.Zero(t, second.Status)
	assert.Equal(t, targets.FailureClosed, second.Failure)
	assert.Contains(t, second.Err, "closed before the answer was complete")
	assert.Equal(t, []int{1, 2}, []int{first.Conn, second.Conn})
	assert.Equal(t, 2, p.connections())
	assert.Len(t, p.requests(), 2)
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	p := listen(t, func(*peerConn) {})
	p.Close()
	x := send(t, sender(), create(p.url()))
	assert.Equal(t, targets.FailureUnreachable, x.Failure)
	assert.Contains(t, x.Err, p.Addr().String())
	assert.Zero(t, x.Connected)

	s := sender(func(o *targets.SenderOptions) { o.Hosts = []string{"nowhere.invalid"} })
	x = send(t, s, create("http://nowhere.invalid/"))
	assert.Equal(t, targets.FailureUnreachable, x.Failure, x.Err)
}

func TestCancelledBeforeAndDuring(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := listen(t, func(c *peerConn) {
		c.request()
		cancel()
		c.rest()
	})
	x := sender().Send(ctx, create(p.url()))
	assert.Equal(t, targets.FailureCancelled, x.Failure)
	assert.False(t, x.Wrote.IsZero())
	x = sender().Send(ctx, create(p.url()))
	assert.Equal(t, targets.FailureCancelled, x.Failure)
	assert.Equal(t, 1, p.connections())
}

func TestTheAttemptsOwnTimeout(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.request()
		c.rest()
	})
	a := create(p.url())
	a.Timeout = 20 * time.Millisecond
	x := send(t, sender(), a)
	assert.Equal(t, targets.FailureTimeout, x.Failure)
	assert.Contains(t, x.Err, "no answer within")
	assert.Zero(t, x.Status)
	assert.False(t, x.Wrote.IsZero())
	assert.Zero(t, x.FirstByte)
}

func TestRedactTakesSecretsOutOfFailures(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("s3cret\r\n"))
	s := sender(func(o *targets.SenderOptions) {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "s3cret", "***") }
	})
	x := send(t, s, create(p.url()))
	assert.Equal(t, targets.FailureProtocol, x.Failure)
	assert.Contains(t, x.Err, "***")
	assert.NotContains(t, x.Err, "s3cret")
}

func TestOptionsOfATarget(t *testing.T) {
	t.Parallel()
	target := &targets.Target{
		Name: "orders", Replicas: []string{"http://127.0.0.1:2"}, Timeout: targets.Duration(time.Second),
		Limits:     targets.Limits{Rate: 5},
		Namespaces: targets.Namespaces{OtherTenant: &targets.Namespace{}, TestEnvironment: &targets.Namespace{URL: "http://127.0.0.1:3"}},
	}
	o, err := targets.SenderOptionsFor(target, "http://127.0.0.1:1")
	require.NoError(t, err)
	assert.Equal(t, []string{"http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"}, o.Hosts)
	assert.Equal(t, time.Second, o.Timeout)
	assert.Equal(t, targets.Rate(5), o.Rate)
	target.TLS.CA = "missing.pem"
	_, err = targets.SenderOptionsFor(target, "http://127.0.0.1:1")
	assert.ErrorContains(t, err, "open orders: tls.ca: ")
}
