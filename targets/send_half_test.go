package targets_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// overAll lists every protocol with a server for a handler and the options of a sender for it.
func overAll(t *testing.T, handler http.HandlerFunc) map[string]struct {
	url  string
	with func(*targets.SenderOptions)
} {
	t.Helper()
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	secure, trust := overTLS(t, false, handler)
	negotiated, trustToo := overTLS(t, true, handler)
	return map[string]struct {
		url  string
		with func(*targets.SenderOptions)
	}{
		"plain": {plain.URL, func(*targets.SenderOptions) {}}, "TLS": {secure.URL, trust},
		"ALPN": {negotiated.URL, trustToo}, "h2c": {overH2C(t, handler).URL, h2c},
	}
}

// The target has sent the first half and waits for the tester to go. An answer that were read any further would not end.
func TestAHalfAnswer(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	half := func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Length", "11")
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "12345")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		got <- string(b)
	}
	for name, over := range overAll(t, half) {
		for _, way := range []string{"send", "prepare"} {
			a := create(over.url)
			a.Fault = targets.HangUpHalfAnswer
			x := sendWay(t, way, a, over.with)
			assert.Equal(t, targets.FailureFault, x.Failure, name)
			assert.Equal(t, "given up on purpose (hang-up-in-answer)", x.Err, name)
			assert.Zero(t, x.Status)
			assert.Nil(t, x.Answer)
			assert.Empty(t, x.Content)
			inOrder(t, x.Connected, x.Wrote, x.Ended)
			inOrder(t, x.Connected, x.FirstByte, x.Ended)
			assert.Equal(t, `{"note":"hello"}`, <-got, name)
		}
	}
}

// Where the half of an answer lies.
func TestHalvesOfAnswers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"length":          "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234",
		"length of one":   "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
		"chunks":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"until close":     "HTTP/1.1 200 OK\r\n\r\nx",
		"no body":         "HTTP/1.1 204 No Content\r\n\r\n",
		"empty body":      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"after interim":   "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234",
		"up to the cap":   "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n" + string(make([]byte, 1000)),
		"coded":           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\n1234",
		"the whole of it": okAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, way := range []string{"send", "prepare"} {
				p := listen(t, func(c *peerConn) {
					c.request()
					c.say(text)
					c.rest()
				})
				a := create(p.url())
				a.Fault = targets.HangUpHalfAnswer
				x := sendWay(t, way, a, func(o *targets.SenderOptions) { o.MaxBody = 1000 })
				assert.Equal(t, targets.FailureFault, x.Failure, x.Err)
				assert.Zero(t, x.Status)
				assert.False(t, x.FirstByte.IsZero())
			}
		})
	}
}

// What ended the answer before its half was not the fault, and the exchange does not say so.
func TestAnAnswerWithoutAHalf(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text  string
		stays bool
		want  targets.FailureKind
	}{
		"nothing":          {"", false, targets.FailureClosed},
		"half of a header": {"HTTP/1.1 200 OK\r\nContent-", false, targets.FailureClosed},
		"too little":       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123", false, targets.FailureClosed},
		"no chunk":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, targets.FailureClosed},
		"no HTTP":          {"220 hello\r\n", false, targets.FailureProtocol},
		"no end":           {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123", true, targets.FailureTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, func(c *peerConn) {
				c.request()
				c.say(row.text)
				if row.stays {
					c.rest()
				}
			})
			a := create(p.url())
			a.Fault = targets.HangUpHalfAnswer
			if row.stays {
				a.Timeout = 50 * time.Millisecond
			}
			x := send(t, sender(), a)
			assert.Equal(t, row.want, x.Failure, x.Err)
			assert.Zero(t, x.Status)
			assert.Equal(t, row.text == "", x.FirstByte.IsZero())
		})
	}
}

func TestHTTP2AnswersWithoutAHalf(t *testing.T) {
	t.Parallel()
	server := overH2C(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "9")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	a := create(server.URL)
	a.Fault = targets.HangUpHalfAnswer
	x := send(t, sender(h2c), a)
	assert.Equal(t, targets.FailureClosed, x.Failure, x.Err)
	assert.Zero(t, x.Status)
	assert.False(t, x.FirstByte.IsZero())
}

// The target ends its answer only after the tester has been told of the beginning.
func TestOnFirstByte(t *testing.T) {
	t.Parallel()
	gates := make(chan chan struct{}, 1)
	halves := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		gate := <-gates
		w.Header().Set("Content-Length", "4")
		io.WriteString(w, "ab")
		w.(http.Flusher).Flush()
		<-gate
		io.WriteString(w, "cd")
	}
	for name, over := range overAll(t, halves) {
		for _, fault := range []targets.FaultKind{targets.NoFault, targets.LostResponse, targets.HangUpHalfAnswer} {
			for _, way := range []string{"send", "prepare"} {
				gate, called := make(chan struct{}), 0
				gates <- gate
				a := create(over.url)
				a.Fault = fault
				a.OnFirstByte = func() {
					called++ // not guarded: it has happened before the exchange is there
					close(gate)
				}
				x := sendWay(t, way, a, over.with)
				assert.Equal(t, 1, called, "%s %s %s", name, fault, way)
				assert.Nil(t, x.OnFirstByte, "an exchange is data")
				if fault == targets.NoFault {
					assert.Equal(t, "abcd", string(x.Content), "%s: %s", name, x.Err)
				} else {
					assert.Equal(t, targets.FailureFault, x.Failure, "%s: %s", name, x.Err)
				}
			}
		}
	}
}

// A target that is killed at the first byte of its answer has said no more.
func TestOnFirstByteComesBeforeTheRest(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	p := listen(t, func(c *peerConn) {
		c.request()
		c.say("H")
		<-gate
	})
	a := create(p.url())
	a.OnFirstByte = func() { close(gate) }
	x := send(t, sender(), a)
	assert.Equal(t, targets.FailureClosed, x.Failure, x.Err)
	assert.False(t, x.FirstByte.IsZero())
}

func TestOnFirstByteIsNotCalledWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) { c.request() })
	for _, fault := range []targets.FaultKind{targets.NoFault, targets.LostResponse, targets.HangUpAfterWrite, targets.HangUpHalfAnswer} {
		a := create(p.url())
		a.Fault, a.OnFirstByte = fault, func() { t.Errorf("called (%s)", fault) }
		x := send(t, sender(), a)
		assert.NotEmpty(t, x.Failure)
		assert.Nil(t, x.OnFirstByte)
	}
	a := create("http://127.0.0.2/")
	a.OnFirstByte = func() { t.Error("called, and not sent") }
	assert.Equal(t, targets.FailureNotSent, send(t, sender(), a).Failure)
	a.URL = p.url()
	begun := sender().Begin(t.Context(), a)
	require.True(t, begun.Failed())
	assert.Contains(t, begun.Conclude(targets.Outcome{}).Err, "needs a connection of its own")
}
