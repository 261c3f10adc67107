package burst_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// A target that takes no more than the first bytes of a body does not keep the others back.
func TestAWindowThatStaysShut(t *testing.T) {
	t.Parallel()
	reset := make(chan map[uint32]http2.ErrCode, 1)
	url := h2peer(t, func(f *framed) {
		f.requests(1)
		f.answer(f.streams[1], "")
		f.until(func() bool { return len(f.resets) > 0 })
		reset <- f.resets
		f.drain()
	}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100})
	all := numbered(url, payload(200), 2)
	all[1].Body = payload(100)
	all[0].Timeout = 500 * time.Millisecond
	b := burst.Send(t.Context(), newSender(h2c), all, burst.Options{})
	assert.Equal(t, targets.FailureTimeout, b.Exchanges[0].Failure, describe(b.Exchanges[0]))
	assert.True(t, b.Exchanges[0].Wrote.IsZero())
	assert.Equal(t, 200, b.Exchanges[1].Status, describe(b.Exchanges[1]))
	assert.Equal(t, map[uint32]http2.ErrCode{1: http2.ErrCodeCancel}, <-reset)
}

func TestSmallWindows(t *testing.T) {
	t.Parallel()
	for _, technique := range ways[2].techniques() {
		s := serve(t, ways[2], nil, func(s *http.Server) { s.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 7} })
		b := burst.Send(t.Context(), newSender(h2c), numbered(s.URL, payload(500), 10), burst.Options{Technique: technique})
		for i, x := range b.Exchanges {
			require.Equal(t, 200, x.Status, describe(x))
			assert.Equal(t, [][]byte{payload(500)}, s.got(i))
		}
	}
}

func TestFewStreamsAreSeveralConnections(t *testing.T) {
	t.Parallel()
	for _, way := range ways[2:] {
		s := serve(t, way, nil, func(s *http.Server) { s.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 3} })
		b := burst.Send(t.Context(), way.sender(s.Server), numbered(s.URL, payload(58), 10), burst.Options{Warm: 3})
		conns := map[int]int{}
		for i, x := range b.Exchanges {
			require.Equal(t, 200, x.Status, describe(x))
			assert.Len(t, s.got(i), 1)
			conns[x.Conn]++
		}
		assert.Len(t, conns, 4)
		assert.Equal(t, 4, b.Shape.Connections)
		assert.Contains(t, b.Reason, "allows 3 requests on an HTTP/2 connection: 4 connections")
		assert.Positive(t, b.Jitter(), "measured by PING")
	}
	url := h2peer(t, (*framed).drain, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
	for _, x := range burst.Send(t.Context(), newSender(h2c), numbered(url, payload(58), 2), burst.Options{}).Exchanges {
		assert.Equal(t, targets.FailureNotSent, x.Failure)
		assert.Contains(t, x.Err, "allows no requests")
	}
}

// What a target sends without end is cut at the sender's cap.
func TestLongAnswersOverHTTP2AreCut(t *testing.T) {
	t.Parallel()
	s := serve(t, ways[2], func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 3000; i++ {
			fmt.Fprintf(w, "%1023d\n", i)
		}
	})
	sender := newSender(h2c, func(o *targets.SenderOptions) { o.MaxBody = 2 << 20 })
	for _, x := range burst.Send(t.Context(), sender, numbered(s.URL, payload(58), 3), burst.Options{}).Exchanges {
		assert.Equal(t, 200, x.Status, describe(x))
		assert.True(t, x.Cut)
		assert.Len(t, x.Content, 2<<20)
	}
	sender = newSender(h2c)
	for _, x := range burst.Send(t.Context(), sender, numbered(s.URL, payload(58), 3), burst.Options{}).Exchanges {
		assert.False(t, x.Cut)
		assert.Len(t, x.Content, 3000<<10)
	}
}
