package targets_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestPrepareWithholdsTheLastByte(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{"body": []byte("hello"), "one byte": []byte("h"), "no body": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prelude := make(chan string, 1)
			p := listen(t, func(c *peerConn) {
				var got strings.Builder
				end := "\r\n\r\n" + string(body)
				for !strings.HasSuffix(got.String(), end[:len(end)-1]) {
					if _, err := io.CopyN(&got, c.br, 1); err != nil {
						return
					}
				}
				prelude <- got.String()
				io.CopyN(&got, c.br, 1)
				c.note(got.String())
				c.say(okAnswer)
			})
			a := create(p.url())
			a.Body = body
			held := sender().Prepare(t.Context(), a)
			require.False(t, held.Failed())
			first := <-prelude
			assert.Empty(t, p.requests(), "nothing is complete before the release")
			held.Release()
			held.Release()
			x := held.Finish(t.Context())
			assert.Equal(t, 200, x.Status, x.Err)
			assert.Equal(t, "ok", string(x.Content))
			assert.Len(t, p.requests()[0], len(first)+1)
			inOrder(t, x.Began, x.Connected, x.Wrote, x.Ended)
			assert.Equal(t, x, held.Finish(t.Context()))
		})
	}
}

func TestPreparedRequestsOverlap(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	p := listen(t, func(c *peerConn) {
		c.request()
		both.Done()
		both.Wait() // an answer needs both requests
		c.say(okAnswer)
	})
	s := sender()
	one, two := s.Prepare(t.Context(), create(p.url())), s.Prepare(t.Context(), create(p.url()))
	one.Release()
	two.Release()
	x, y := one.Finish(t.Context()), two.Finish(t.Context())
	assert.True(t, x.Overlaps(y))
	assert.True(t, y.Overlaps(x))

	third := send(t, s, create(listen(t, answers(okAnswer)).url()))
	assert.Equal(t, 200, third.Status)
	assert.False(t, x.Overlaps(third))
}

func TestAnAnswerBeforeTheReleaseIsNoOverlap(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.say(okAnswer)
		c.rest()
	})
	held := sender().Prepare(t.Context(), create(p.url()))
	x := held.Finish(t.Context())
	assert.Equal(t, 200, x.Status)
	assert.True(t, x.Wrote.IsZero())
}

func TestTheContextOfPrepareEndsWithIt(t *testing.T) {
	t.Parallel()
	p := listen(t, answers(okAnswer))
	ctx, cancel := context.WithCancel(t.Context())
	held := sender().Prepare(ctx, create(p.url()))
	cancel()
	held.Release()
	assert.Equal(t, 200, held.Finish(t.Context()).Status)

	held = sender().Prepare(ctx, create(p.url()))
	assert.True(t, held.Failed())
	held.Release()
	assert.Equal(t, targets.FailureCancelled, held.Finish(t.Context()).Failure)

	held = sender().Prepare(t.Context(), create(p.url()))
	assert.Equal(t, targets.FailureCancelled, held.Finish(ctx).Failure, "never released")
}

// What the peer sees of each fault, and what the exchange says.
func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, row := range map[targets.FaultKind]struct {
		from, end string // of what arrives
		whole     bool
	}{
		targets.HangUpHeaders:    {end: "Connection: close\r\n\r\n"},
		targets.HangUpHalfBody:   {end: "\r\n\r\n" + `{"note":`},
		targets.HangUpAfterWrite: {end: "\r\n\r\n" + `{"note":"hello"}`, whole: true},
	} {
		for _, way := range []string{"send", "prepare"} {
			t.Run(string(fault)+"/"+way, func(t *testing.T) {
				t.Parallel()
				ended := make(chan error, 1)
				p := listen(t, func(c *peerConn) {
					_, err := c.rest()
					ended <- err
				})
				a := create(p.url())
				a.Fault = fault
				x := sendWay(t, way, a)
				assert.NoError(t, <-ended, "FIN, not RST")
				require.Len(t, p.requests(), 1)
				assert.True(t, strings.HasSuffix(p.requests()[0], row.end), p.requests()[0])
				assert.Equal(t, targets.FailureFault, x.Failure, x.Err)
				assert.Contains(t, x.Err, "given up on purpose")
				assert.Zero(t, x.Status)
				assert.Zero(t, x.FirstByte)
				assert.Equal(t, row.whole, !x.Wrote.IsZero())
			})
		}
	}
}

// sendWay sends an attempt in one of the two ways.
func sendWay(t *testing.T, way string, a targets.Attempt, with ...func(*targets.SenderOptions)) targets.Exchange {
	t.Helper()
	if way == "send" {
		return send(t, sender(with...), a)
	}
	held := sender(with...).Prepare(t.Context(), a)
	held.Release()
	return held.Finish(t.Context())
}

func TestALostResponseArrivesAndIsNotRead(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"send", "prepare"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			p := listen(t, func(c *peerConn) {
				c.request()
				c.say("HTTP/1.1 103 Early Hints\r\n\r\n")
				c.note("answering")
				c.say("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
				c.rest()
			})
			a := create(p.url())
			a.Fault = targets.LostResponse
			x := sendWay(t, way, a)
			assert.Equal(t, targets.FailureFault, x.Failure)
			assert.Equal(t, "given up on purpose (lost-response)", x.Err)
			assert.Zero(t, x.Status)
			assert.Empty(t, x.Content)
			assert.Nil(t, x.Answer)
			inOrder(t, x.Wrote, x.FirstByte, x.Ended)
			assert.Contains(t, p.requests(), "answering")
		})
	}
}

func TestALostResponseThatNeverComes(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.request()
		c.rest()
	})
	a := create(p.url())
	a.Fault, a.Timeout = targets.LostResponse, 30*time.Millisecond
	x := send(t, sender(), a)
	assert.Equal(t, targets.FailureFault, x.Failure)
	assert.Equal(t, "given up on purpose (lost-response) before an answer had begun", x.Err)
	assert.Zero(t, x.FirstByte)
	assert.False(t, x.Wrote.IsZero())

	p = listen(t, func(c *peerConn) { c.request() })
	a = create(p.url())
	a.Fault = targets.LostResponse
	x = send(t, sender(), a)
	assert.Equal(t, targets.FailureFault, x.Failure, "closed by the target")
	assert.Zero(t, x.FirstByte)
}

func TestALargeHangUpStillDeliversWhatWasSent(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) { c.rest() })
	a := create(p.url())
	a.Method, a.Fault, a.Body = http.MethodPut, targets.HangUpHalfBody, make([]byte, 2<<20)
	x := send(t, sender(), a)
	require.Equal(t, targets.FailureFault, x.Failure, x.Err)
	require.Eventually(t, func() bool { return len(p.requests()) == 1 }, soon, time.Millisecond)
	_, body, _ := strings.Cut(p.requests()[0], "\r\n\r\n")
	assert.Len(t, body, 1<<20)
}

func TestATargetThatClosesWhileTheRequestIsWritten(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) { c.br.ReadString('\n') })
	for _, fault := range []targets.FaultKind{targets.NoFault, targets.HangUpHalfBody, targets.HangUpAfterWrite, targets.LostResponse, targets.HangUpHalfAnswer} {
		for _, way := range []string{"send", "prepare"} {
			a := create(p.url())
			a.Fault, a.Body = fault, make([]byte, 32<<20) // more than the buffers of the system
			x := sendWay(t, way, a)
			assert.Equal(t, targets.FailureClosed, x.Failure, "%s %s: %s", fault, way, x.Err)
			assert.Zero(t, x.Status)
			assert.True(t, x.Wrote.IsZero())
		}
	}
}

// Bytes of the target that nobody has read would turn the FIN into RST, and the target could drop the request.
func TestAHangUpIsFINThoughTheTargetHasSpoken(t *testing.T) {
	t.Parallel()
	spoken, ended := make(chan struct{}), make(chan error, 1)
	p := listen(t, func(c *peerConn) {
		c.say("HTTP/1.1 103 Early Hints\r\n\r\n")
		close(spoken)
		_, err := c.rest()
		c.say(okAnswer)
		ended <- err
	})
	a := create(p.url())
	a.Fault = targets.HangUpAfterWrite
	held := sender().Prepare(t.Context(), a)
	<-spoken
	held.Release()
	assert.Equal(t, targets.FailureFault, held.Finish(t.Context()).Failure)
	assert.NoError(t, <-ended)
	assert.Contains(t, p.requests()[0], `{"note":"hello"}`)
}

func TestAnAnswerThatStopsInItsHeaderTimesOut(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.request()
		c.say("HTTP/1.1 200 OK\r\n")
		c.rest()
	})
	a := create(p.url())
	a.Timeout = time.Second // a busy machine has not sent the line within less
	x := send(t, sender(), a)
	assert.Equal(t, targets.FailureTimeout, x.Failure)
	assert.Contains(t, x.Err, "no complete header of an answer within")
	assert.False(t, x.FirstByte.IsZero())
}
