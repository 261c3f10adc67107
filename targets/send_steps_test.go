package targets_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// health is a harmless request.
func health(url string) targets.Attempt {
	return targets.Attempt{Method: http.MethodGet, URL: url, Header: http.Header{"X-Probe": {"1"}}}
}

// Up to the gate, and not a byte more, has left before the release.
func TestGates(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		gate     targets.Gate
		body     string
		chunked  bool
		withheld string
	}{
		"body":           {targets.GateBody, "hello", false, "o"},
		"header":         {targets.GateHeader, "hello", false, "\nhello"},
		"no body":        {targets.GateBody, "", false, "\n"},
		"chunks":         {targets.GateBody, "hello", true, "\n"},
		"chunks, header": {targets.GateHeader, "hello", true, "\n5\r\nhello\r\n0\r\n\r\n"},
		"no chunks":      {targets.GateBody, "", true, "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := make(chan string, 1)
			p := listen(t, func(c *peerConn) {
				var text strings.Builder
				r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c.Conn, &text)))
				if err != nil {
					return
				}
				body, _ := io.ReadAll(r.Body)
				whole <- text.String()
				c.note(string(body))
				c.say(okAnswer)
				c.rest()
			})
			a := create(p.url())
			a.Body = []byte(row.body)
			if row.chunked {
				a.Header.Set("Transfer-Encoding", "chunked")
			}
			held := sender().Open(t.Context(), a)
			held.Hold(t.Context(), row.gate)
			assert.Equal(t, len(row.withheld), held.Withheld())
			assert.Empty(t, p.requests())
			size := held.Size()
			held.Release()
			assert.Zero(t, held.Withheld())
			x := held.Finish(t.Context())
			require.Equal(t, 200, x.Status, x.Err)
			text := <-whole
			assert.Len(t, text, size)
			assert.True(t, strings.HasSuffix(text, row.withheld), text)
			assert.NotContains(t, text, "Connection: close")
			assert.Equal(t, row.body, p.requests()[0])
			assert.Equal(t, row.chunked, !strings.Contains(text, "Content-Length"))
		})
	}
}

// A release of more than the socket takes goes on in Flush.
func TestALargeReleaseIsFlushed(t *testing.T) {
	t.Parallel()
	start := make(chan bool)
	p := listen(t, func(c *peerConn) {
		<-start
		c.request()
		c.say(okAnswer)
	})
	a := create(p.url())
	a.Body = make([]byte, 8<<20)
	held := sender().Open(t.Context(), a)
	held.Hold(t.Context(), targets.GateHeader)
	held.Release()
	assert.Positive(t, held.Withheld(), "nobody reads yet")
	close(start)
	held.Flush(t.Context())
	assert.Zero(t, held.Withheld())
	x := held.Finish(t.Context())
	assert.Equal(t, 200, x.Status, x.Err)
	assert.False(t, x.Wrote.IsZero())
}

func TestWarmKeepsTheConnection(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		for range 4 {
			c.request()
			c.say(okAnswer)
		}
	})
	held := sender().Open(t.Context(), create(p.url()))
	trips, err := held.Warm(t.Context(), health(p.url()), 3)
	require.NoError(t, err)
	assert.Len(t, trips, 3)
	held.Hold(t.Context(), targets.GateBody)
	held.Release()
	<-held.Heard()
	x := held.Finish(t.Context())
	assert.Equal(t, 200, x.Status, x.Err)
	assert.Equal(t, 1, p.connections())
	require.Len(t, p.requests(), 4)
	assert.Contains(t, p.requests()[2], "X-Probe: 1")
	assert.Contains(t, p.requests()[3], `{"note":"hello"}`)
}

// A connection that a probe has used up is replaced; the request itself goes out once.
func TestWarmReplacesTheConnection(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]string{
		"closed":      "",
		"not kept":    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		"until close": "HTTP/1.1 200 OK\r\n\r\nok",
		"says more":   okAnswer + okAnswer,
		"garbage":     "220 hello\r\n",
		"too long":    "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + strings.Repeat("x", 9999),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, func(c *peerConn) {
				if strings.HasPrefix(c.request(), "GET") {
					c.say(say)
					return
				}
				c.say(okAnswer)
			})
			held := sender(func(o *targets.SenderOptions) { o.MaxBody = 1000 }).Open(t.Context(), create(p.url()))
			_, err := held.Warm(t.Context(), health(p.url()), 2)
			require.Error(t, err)
			held.Hold(t.Context(), targets.GateBody)
			held.Release()
			x := held.Finish(t.Context())
			assert.Equal(t, 200, x.Status, x.Err)
			assert.Equal(t, 2, x.Conn)
			creates := 0
			for _, r := range p.requests() {
				if strings.HasPrefix(r, "POST") {
					creates++
				}
			}
			assert.Equal(t, 1, creates)
		})
	}
}

func TestStepsAfterAFailure(t *testing.T) {
	t.Parallel()
	s := sender()
	held := s.Open(t.Context(), create("http://127.0.0.2:1/"))
	trips, err := held.Warm(t.Context(), health("http://127.0.0.1:1/"), 1)
	assert.NoError(t, err)
	assert.Empty(t, trips)
	held.Hold(t.Context(), targets.GateBody)
	held.Release()
	held.Flush(t.Context())
	assert.Nil(t, held.Heard())
	assert.Zero(t, held.Size())
	assert.Zero(t, held.Withheld())
	assert.Nil(t, held.TCP())
	assert.Equal(t, targets.FailureNotSent, held.Finish(t.Context()).Failure)

	fields, body := held.Fields()
	assert.Nil(t, fields)
	assert.Nil(t, body)
	begun := s.Begin(t.Context(), create("http://127.0.0.1:1/"))
	begun.GiveUp(targets.NewFailure(targets.FailureNotSent, "for %s", "a reason"))
	x := begun.Conclude(targets.Outcome{Wrote: time.Now()})
	assert.Equal(t, "for a reason", x.Err)
	assert.True(t, x.Wrote.IsZero())
}

func TestFields(t *testing.T) {
	t.Parallel()
	a := create("https://127.0.0.1:1/v1/tasks?q=a%20b")
	a.Header = http.Header{"Connection": {"close"}, "X-One": {"a", "b"}, "Transfer-Encoding": {"gzip"}, "Host": {"orders.example"}, "User-Agent": {"me"}}
	p := sender().Begin(t.Context(), a)
	fields, body := p.Fields()
	assert.Equal(t, []targets.Field{
		{Name: ":authority", Value: "orders.example"}, {Name: ":method", Value: "POST"}, {Name: ":path", Value: "/v1/tasks?q=a%20b"},
		{Name: ":scheme", Value: "https"}, {Name: "user-agent", Value: "me"}, {Name: "x-one", Value: "a"}, {Name: "x-one", Value: "b"},
		{Name: "content-length", Value: "16"},
	}, fields)
	assert.Equal(t, a.Body, body)
	p.Conclude(targets.Outcome{})

	a.Header.Set("Transfer-Encoding", "chunked")
	p = sender().Begin(t.Context(), a)
	fields, _ = p.Fields()
	assert.NotContains(t, fields, targets.Field{Name: "content-length", Value: "16"})
	p.Conclude(targets.Outcome{})
}

func TestSpeaks(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	for proto, http2 := range map[string]bool{"h2": true, "http/1.1": false} {
		config := a.server(t)
		config.NextProtos = []string{proto}
		p := listenTLS(t, config, func(c *peerConn) { c.rest() })
		s := sender(a.trust(t, targets.TLS{}))
		for range 3 {
			speaks, err := s.Speaks(t.Context(), p.urlTLS())
			require.NoError(t, err)
			assert.Equal(t, http2, speaks)
		}
		assert.Equal(t, 1, p.connections())
	}
	speaks, err := sender(h2c).Speaks(t.Context(), "http://127.0.0.1:1/")
	assert.NoError(t, err)
	assert.True(t, speaks)
	speaks, err = sender(h2c, through(t, "http://127.0.0.1:1")).Speaks(t.Context(), "http://127.0.0.1:1/")
	assert.NoError(t, err)
	assert.False(t, speaks)
	_, err = sender().Speaks(t.Context(), "https://127.0.0.1:1/")
	assert.Error(t, err)
	_, err = sender().Speaks(t.Context(), "https://orders.example/")
	assert.ErrorContains(t, err, "not among the hosts")
}
