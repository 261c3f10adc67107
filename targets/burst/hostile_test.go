package burst_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// What a target does to the connections of a burst in HTTP/1.1, and what the exchanges say. There is one connection for
// each attempt, and never a second one.
func TestHTTP1TargetsThatMisbehave(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	request := func(c net.Conn) {
		if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.Copy(io.Discard, r.Body)
		}
	}
	for name, row := range map[string]struct {
		serve   func(net.Conn)
		timeout time.Duration
		status  int
		failure targets.FailureKind
		wrote   bool
	}{
		"whole":                    {serve: func(c net.Conn) { request(c); io.WriteString(c, ok) }, status: 200, wrote: true},
		"interim":                  {serve: func(c net.Conn) { request(c); io.WriteString(c, "HTTP/1.1 103 Early\r\n\r\n"+ok) }, status: 200, wrote: true},
		"closes at once":           {serve: func(net.Conn) {}, failure: targets.FailureClosed},
		"closes after the request": {serve: request, failure: targets.FailureClosed, wrote: true},
		"closes in the answer":     {serve: func(c net.Conn) { request(c); io.WriteString(c, ok[:len(ok)-1]) }, status: 200, failure: targets.FailureClosed, wrote: true},
		"answers early": {serve: func(c net.Conn) {
			c.Read(make([]byte, 10))
			io.WriteString(c, "HTTP/1.1 429 Slow down\r\nContent-Length: 0\r\n\r\n")
			io.Copy(io.Discard, c)
		}, status: 429},
		"never answers": {serve: func(c net.Conn) { io.Copy(io.Discard, c) }, timeout: 200 * time.Millisecond, failure: targets.FailureTimeout, wrote: true},
		"garbage":       {serve: func(c net.Conn) { request(c); io.WriteString(c, "220 mail.example ESMTP\r\n") }, failure: targets.FailureProtocol, wrote: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conns := make(chan bool, 100)
			url := listen(t, func(c net.Conn) {
				conns <- true
				row.serve(c)
			})
			all := numbered(url, payload(58), 5)
			for i := range all {
				all[i].Timeout = row.timeout
			}
			b := burst.Send(t.Context(), newSender(), all, burst.Options{})
			for _, x := range b.Exchanges {
				assert.Equal(t, row.status, x.Status, describe(x))
				if name != "closes at once" { // the end may be met by the first byte, or by the last
					assert.Equal(t, row.failure, x.Failure, describe(x))
					if name != "answers early" { // it may have been too late for that
						assert.Equal(t, row.wrote, !x.Wrote.IsZero(), describe(x))
					}
				}
			}
			assert.Len(t, conns, 5)
		})
	}
}

// A connection that its probe has used up is replaced before the request goes out.
func TestConnectionsThatAreNotKept(t *testing.T) {
	t.Parallel()
	s := serve(t, ways[0], func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	b := burst.Send(t.Context(), newSender(), numbered(s.URL, payload(58), 5), burst.Options{Warm: 3, Probe: probe(s.URL)})
	for i, x := range b.Exchanges {
		assert.Equal(t, 200, x.Status, describe(x))
		assert.Len(t, s.got(i), 1)
	}
	assert.Contains(t, b.Reason, "not all connections could be kept")
	assert.Positive(t, b.RTTMax)
	assert.Equal(t, 10, s.connections())
}

func TestForcedTechniquesThatCannotBe(t *testing.T) {
	t.Parallel()
	plain, over := serve(t, ways[0], nil), serve(t, ways[1], nil)
	other := serve(t, ways[1], nil, func(s *http.Server) { s.TLSConfig = &tls.Config{NextProtos: []string{"other"}} })
	h1 := listen(t, func(c net.Conn) {
		c.Read(make([]byte, 1000))
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
	})
	shut := listen(t, func(net.Conn) {})
	for name, row := range map[string]struct {
		sender    *targets.Sender
		url       string
		technique burst.Technique
		change    func(*targets.Attempt)
		words     string
	}{
		"h2 over HTTP/1.1 with TLS": {ways[1].sender(over.Server), over.URL, burst.HTTP2SingleWrite, nil, "does not offer HTTP/2 (ALPN)"},
		"HTTP/1.1 over another":     {ways[1].sender(other.Server), other.URL, burst.HTTP1BodyGate, nil, "does not offer HTTP/1.1 (ALPN)"},
		"h2c over HTTP/1.1":         {newSender(), h1, burst.HTTP2Burst, nil, "does not speak HTTP/2 on this port"},
		"h2c over a real server":    {newSender(), plain.URL, burst.HTTP2Burst, nil, "HTTP/2"},
		"h2c, closed":               {newSender(), shut, burst.HTTP2SingleWrite, nil, "HTTP/2"},
		"body gate without a body":  {newSender(), plain.URL, burst.HTTP1BodyGate, func(a *targets.Attempt) { a.Body = nil }, "needs requests with a body"},
		"single write without":      {newSender(h2c), plain.URL, burst.HTTP2SingleWrite, func(a *targets.Attempt) { a.Body = nil }, "needs requests with a body"},
		"h2 with a fault":           {newSender(h2c), plain.URL, burst.HTTP2Burst, func(a *targets.Attempt) { a.Fault = targets.LostResponse }, "needs a connection for each request"},
		"unknown":                   {newSender(), plain.URL, "fast", nil, `"fast" is not a technique`},
		"mixed":                     {newSender(), plain.URL, burst.Mixed, nil, "is not a technique"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := numbered(row.url, payload(58), 3)
			if row.change != nil {
				row.change(&all[1])
			}
			b := burst.Send(t.Context(), row.sender, all, burst.Options{Technique: row.technique})
			require.Len(t, b.Exchanges, 3)
			for _, x := range b.Exchanges {
				assert.Equal(t, targets.FailureNotSent, x.Failure, describe(x))
				assert.Contains(t, x.Err, row.words)
				assert.True(t, x.Wrote.IsZero())
			}
			assert.Empty(t, b.Technique)
			assert.False(t, b.Overlapped())
		})
	}
	assert.Empty(t, plain.bodies)
}

// Requests that are broken off on purpose go over HTTP/1.1.
func TestFaultsInABurst(t *testing.T) {
	t.Parallel()
	s := serve(t, ways[0], nil)
	all := numbered(s.URL, payload(58), 3)
	all[1].Fault = targets.LostResponse
	b := burst.Send(t.Context(), newSender(), all, burst.Options{})
	assert.Equal(t, targets.FailureFault, b.Exchanges[1].Failure, describe(b.Exchanges[1]))
	assert.Equal(t, 200, b.Exchanges[2].Status)
	assert.Len(t, s.got(1), 1)
	assert.Contains(t, b.Reason, "broken off")
}

// noH2C leaves HTTP/2 to TLS.
func noH2C(o *targets.SenderOptions) { o.H2C = false }

// One burst over several addresses, which need not speak the same.
func TestReplicas(t *testing.T) {
	t.Parallel()
	one, two := serve(t, ways[3], nil), serve(t, ways[3], nil)
	three := serve(t, ways[0], nil)
	all := numbered(one.URL, payload(58), 9)
	for i := range all {
		all[i].URL = []string{one.URL, two.URL, three.URL}[i%3]
	}
	b := burst.Send(t.Context(), ways[3].sender(one.Server, noH2C), all,
		burst.Options{Warm: 2, Probe: probe(one.URL)})
	for i, x := range b.Exchanges {
		assert.Equal(t, 200, x.Status, describe(x))
		assert.Len(t, []*target{one, two, three}[i%3].got(i), 1)
	}
	assert.Equal(t, burst.Mixed, b.Technique)
	assert.Equal(t, 1, one.connections())
	assert.Equal(t, 1, two.connections())
	assert.Equal(t, 3, three.connections())
	assert.Equal(t, 5, b.Shape.Connections)

	only := burst.Send(t.Context(), ways[3].sender(one.Server), all[:2], burst.Options{})
	assert.Equal(t, burst.HTTP2SingleWrite, only.Technique)
	assert.Equal(t, 2, only.Shape.Connections)
	assert.True(t, only.Overlapped())
}

// Whatever a peer sends, a burst ends, says what came, and does not invent an answer.
func FuzzFramesOfATarget(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88})                                      // a whole answer
	f.Add([]byte{0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 2, 0, 1, 0, 0, 0, 1, 'h', 'i'}) // with a body
	f.Add([]byte{0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})                    // GOAWAY
	f.Add([]byte{0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7})                                // RST_STREAM
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, frames []byte) {
		url := h2peer(t, func(f *framed) {
			if f.until(func() bool { return len(f.streams) == 2 }) {
				f.conn.Write(frames)
				f.conn.(*net.TCPConn).CloseWrite()
				f.drain()
			}
		})
		for _, x := range burst.Send(t.Context(), newSender(h2c), numbered(url, payload(9), 2), burst.Options{}).Exchanges {
			if x.Status == 0 && x.Failure == targets.NoFailure || x.Status != 0 && (x.Status < 200 || x.FirstByte.IsZero()) {
				t.Fatal(describe(x))
			}
			if strings.Contains(x.Err, "\n") || x.Failure == targets.FailureTimeout {
				t.Fatal(describe(x))
			}
		}
	})
}
