package targets_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// framed is a peer that speaks HTTP/2 by hand: it reads one whole request, notes it, and does something.
func framed(then func(*http2.Framer, uint32)) func(*peerConn) {
	return func(c *peerConn) {
		io.CopyN(io.Discard, c.br, int64(len(http2.ClientPreface)))
		f := http2.NewFramer(c.Conn, c.br)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.HeadersFrame:
				c.note("request")
			case *http2.DataFrame:
				if frame.StreamEnded() {
					then(f, frame.StreamID)
					return
				}
			}
		}
	}
}

// header sends the header of an answer.
func header(f *http2.Framer, stream uint32, end bool, fields ...hpack.HeaderField) {
	var b strings.Builder
	e := hpack.NewEncoder(&b)
	for _, field := range fields {
		e.WriteField(field)
	}
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(b.String()), EndStream: end, EndHeaders: true})
}

// A connection or stream that dies before the answer is one request and no answer, never a second request.
func TestHTTP2ThatDiesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	ok := hpack.HeaderField{Name: ":status", Value: "200"}
	for name, row := range map[string]struct {
		then    func(*http2.Framer, uint32)
		failure targets.FailureKind
		status  int
		cut     bool
	}{
		"closed":  {then: func(*http2.Framer, uint32) {}, failure: targets.FailureClosed},
		"GOAWAY":  {then: func(f *http2.Framer, s uint32) { f.WriteGoAway(0, http2.ErrCodeNo, nil) }, failure: targets.FailureClosed},
		"refused": {then: func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeRefusedStream) }, failure: targets.FailureClosed},
		"invalid": {then: func(f *http2.Framer, s uint32) {
			header(f, s, true, hpack.HeaderField{Name: "no-status", Value: "1"})
			f.ReadFrame()
		}, failure: targets.FailureProtocol},
		"half a body": {then: func(f *http2.Framer, s uint32) {
			header(f, s, false, ok)
			f.WriteData(s, false, []byte("hi"))
		}, failure: targets.FailureClosed, status: 200, cut: true},
		"reset in the body": {then: func(f *http2.Framer, s uint32) {
			header(f, s, false, ok)
			f.WriteData(s, false, []byte("hi"))
			f.WriteRSTStream(s, http2.ErrCodeInternal)
			f.ReadFrame()
		}, failure: targets.FailureClosed, status: 200, cut: true},
		"whole": {then: func(f *http2.Framer, s uint32) { header(f, s, true, ok) }, status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, framed(row.then))
			x := send(t, sender(h2c), create(p.url()))
			assert.Equal(t, row.failure, x.Failure, x.Err)
			assert.Equal(t, row.status, x.Status)
			assert.Equal(t, row.cut, x.Cut)
			assert.Equal(t, []string{"request"}, p.requests())
			assert.Equal(t, 1, p.connections())
		})
	}
}

func TestHTTP2AgainstAnHTTP1Target(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.br.ReadString('\n')
		c.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
	})
	x := send(t, sender(h2c), create(p.url()))
	assert.NotEmpty(t, x.Failure)
	assert.Zero(t, x.Status)
}

func TestHTTP2EndlessHeader(t *testing.T) {
	t.Parallel()
	p := listen(t, framed(func(f *http2.Framer, s uint32) {
		big := hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 16000), Sensitive: true}
		var b strings.Builder
		e := hpack.NewEncoder(&b)
		e.WriteField(big)
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: []byte(b.String())})
		for f.WriteContinuation(s, false, []byte(b.String())) == nil {
		}
	}))
	x := send(t, sender(h2c), create(p.url()))
	assert.NotEmpty(t, x.Failure, x.Err)
	assert.Zero(t, x.Status)
}

func TestHTTP2ThatDiesWhileARequestIsHeld(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) { io.CopyN(io.Discard, c.br, 100) })
	for _, fault := range []targets.FaultKind{targets.NoFault, targets.HangUpHalfBody, targets.HangUpAfterWrite, targets.LostResponse} {
		for _, way := range []string{"send", "prepare"} {
			a := create(p.url())
			a.Fault, a.Body = fault, make([]byte, 8<<20) // more than the window of the stream
			x := sendWay(t, way, a, h2c)
			assert.Equal(t, targets.FailureClosed, x.Failure, "%s %s: %s", fault, way, x.Err)
			assert.Zero(t, x.Status)
			assert.True(t, x.Wrote.IsZero())
		}
	}
}
