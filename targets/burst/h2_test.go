package burst_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// h2c is the option of a sender that speaks HTTP/2 without TLS.
func h2c(o *targets.SenderOptions) { o.H2C = true }

// The other side has everything but the last bytes before the release: nothing is complete when it answers the PING
// that the sender waits for.
func TestNothingIsCompleteBeforeTheRelease(t *testing.T) {
	t.Parallel()
	const n = 10
	for _, technique := range []burst.Technique{burst.HTTP2SingleWrite, burst.HTTP2Burst} {
		type counts struct{ complete, opened, bytes int }
		before, after := make(chan counts, 1), make(chan int, 1)
		url := h2peer(t, func(f *framed) {
			f.until(func() bool { return f.pings == 1 })
			c := counts{complete: f.complete(), opened: len(f.streams)}
			for _, size := range f.sizes {
				c.bytes += size
			}
			before <- c
			f.requests(n)
			after <- f.complete()
			for _, id := range f.streams {
				f.answer(id, "")
			}
			f.drain()
		})
		b := burst.Send(t.Context(), newSender(h2c), numbered(url, payload(58), n), burst.Options{Technique: technique})
		require.True(t, b.Overlapped(), describe(b.Exchanges[0]))
		assert.Equal(t, n, <-after)
		if technique == burst.HTTP2SingleWrite {
			assert.Equal(t, counts{0, n, n * 57}, <-before)
		} else {
			assert.Equal(t, counts{}, <-before)
		}
	}
}

func TestAnswersOverHTTP2(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("hello"))
	z.Close()
	for name, row := range map[string]struct {
		method  string
		then    func(f *framed, id uint32)
		status  int
		content string
		failure targets.FailureKind
		words   string
	}{
		"plain":   {then: func(f *framed, id uint32) { f.answer(id, "hello") }, status: 200, content: "hello"},
		"no body": {then: func(f *framed, id uint32) { f.header(id, true, ":status", "204") }, status: 204},
		"HEAD":    {method: "HEAD", then: func(f *framed, id uint32) { f.header(id, true, ":status", "200", "content-length", "9") }, status: 200},
		"length": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "201", "content-length", "2")
			f.WriteData(id, true, []byte("hi"))
		}, status: 201, content: "hi"},
		"interim": {then: func(f *framed, id uint32) { f.header(id, false, ":status", "103", "link", "x"); f.answer(id, "late") }, status: 200, content: "late"},
		"trailers": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200")
			f.WriteData(id, false, []byte("hi"))
			f.header(id, true, "grpc-status", "0")
		}, status: 200, content: "hi"},
		"padding": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200")
			f.WriteDataPadded(id, true, []byte("hi"), make([]byte, 200))
		}, status: 200, content: "hi"},
		"pieces": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200")
			f.WriteData(id, false, []byte("h"))
			f.WriteData(id, false, nil)
			f.WriteData(id, true, []byte("i"))
		}, status: 200, content: "hi"},
		"gzip": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200", "content-encoding", "gzip")
			f.WriteData(id, true, zipped.Bytes())
		}, status: 200, content: "hello"},
		"settings": {then: func(f *framed, id uint32) {
			f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 9}, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
			f.answer(id, "hi")
		}, status: 200, content: "hi"},
		"ping": {then: func(f *framed, id uint32) {
			f.WritePing(false, [8]byte{1})
			f.until(func() bool { return f.pongs == 1 })
			f.answer(id, "hi")
		}, status: 200, content: "hi"},
		"unknown frame": {then: func(f *framed, id uint32) { f.WriteRawFrame(0x42, 0, id, []byte("?")); f.answer(id, "hi") }, status: 200, content: "hi"},
		"no error":      {then: func(f *framed, id uint32) { f.answer(id, "hi"); f.WriteRSTStream(id, http2.ErrCodeNo) }, status: 200, content: "hi"},
		"continuation": {then: func(f *framed, id uint32) {
			block := bytes.Clone(f.encode(":status", "200", "long", strings.Repeat("x", 100)))
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:5]})
			f.WriteContinuation(id, false, block[5:50])
			f.WriteContinuation(id, true, block[50:])
			f.WriteData(id, true, []byte("hi"))
		}, status: 200, content: "hi"},
		"no status":    {then: func(f *framed, id uint32) { f.header(id, true, "x", "1") }, failure: targets.FailureProtocol, words: "not valid HTTP/2"},
		"status 101":   {then: func(f *framed, id uint32) { f.header(id, true, ":status", "101") }, failure: targets.FailureProtocol, words: "not valid HTTP/2"},
		"only interim": {then: func(f *framed, id uint32) { f.header(id, true, ":status", "103") }, failure: targets.FailureProtocol, words: "not valid HTTP/2"},
		"endless interim": {then: func(f *framed, id uint32) {
			for range 200 {
				f.header(id, false, ":status", "103")
			}
		}, failure: targets.FailureProtocol, words: "not valid HTTP/2"},
		"data first": {then: func(f *framed, id uint32) { f.WriteData(id, true, []byte("hi")) }, failure: targets.FailureProtocol, words: "not valid HTTP/2"},
		"too short": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200", "content-length", "3")
			f.WriteData(id, true, []byte("hi"))
		}, status: 200, content: "hi", failure: targets.FailureProtocol},
		"too long": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200", "content-length", "1")
			f.WriteData(id, true, []byte("hi"))
		}, status: 200, content: "hi", failure: targets.FailureProtocol},
		"refused": {then: func(f *framed, id uint32) { f.WriteRSTStream(id, http2.ErrCodeRefusedStream) }, failure: targets.FailureClosed, words: "REFUSED_STREAM"},
		"reset":   {then: func(f *framed, id uint32) { f.WriteRSTStream(id, http2.ErrCodeProtocol) }, failure: targets.FailureClosed, words: "PROTOCOL_ERROR"},
		"reset in body": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200")
			f.WriteData(id, false, []byte("h"))
			f.WriteRSTStream(id, http2.ErrCodeInternal)
		}, status: 200, content: "h", failure: targets.FailureClosed, words: "INTERNAL_ERROR"},
		"window overflow":            {then: func(f *framed, id uint32) { f.WriteWindowUpdate(id, 1<<31-1); f.WriteWindowUpdate(id, 1<<31-1) }, failure: targets.FailureProtocol},
		"connection window overflow": {then: func(f *framed, id uint32) { f.WriteWindowUpdate(0, 1<<31-1); f.WriteWindowUpdate(0, 1<<31-1) }, failure: targets.FailureProtocol, words: "FLOW_CONTROL_ERROR"},
		"push": {then: func(f *framed, id uint32) {
			f.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, BlockFragment: f.encode(":method", "GET"), EndHeaders: true})
		}, failure: targets.FailureProtocol},
		"other stream": {then: func(f *framed, id uint32) { f.header(77, true, ":status", "200") }, failure: targets.FailureProtocol},
		"garbage":      {then: func(f *framed, id uint32) { f.conn.Write(bytes.Repeat([]byte("garbage!"), 9)) }, failure: targets.FailureProtocol},
		"closed":       {then: func(f *framed, id uint32) { f.conn.Close() }, failure: targets.FailureClosed},
		"closed in body": {then: func(f *framed, id uint32) {
			f.header(id, false, ":status", "200")
			f.WriteData(id, false, []byte("h"))
			f.conn.Close()
		}, status: 200, content: "h", failure: targets.FailureClosed},
		"GOAWAY":        {then: func(f *framed, id uint32) { f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil) }, failure: targets.FailureClosed, words: "GOAWAY ENHANCE_YOUR_CALM"},
		"polite GOAWAY": {then: func(f *framed, id uint32) { f.WriteGoAway(id, http2.ErrCodeNo, nil); f.answer(id, "hi") }, status: 200, content: "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(chan int, 1)
			url := h2peer(t, func(f *framed) {
				f.requests(1)
				seen <- len(f.streams)
				row.then(f, f.streams[0])
				f.drain()
			})
			all := numbered(url, []byte("hello"), 1)
			if row.method != "" {
				all[0].Method = row.method
			}
			x := burst.Send(t.Context(), newSender(h2c), all, burst.Options{}).Exchanges[0]
			assert.Equal(t, row.status, x.Status, describe(x))
			assert.Equal(t, row.content, string(x.Content))
			assert.Equal(t, row.failure, x.Failure, describe(x))
			assert.Contains(t, x.Err, row.words)
			assert.Equal(t, "HTTP/2.0", x.Proto)
			assert.False(t, x.Wrote.IsZero())
			assert.Equal(t, 1, <-seen)
		})
	}
}

// A target that goes away in the middle has looked at some requests and not at the others.
func TestGoAwayInTheMiddle(t *testing.T) {
	t.Parallel()
	url := h2peer(t, func(f *framed) {
		f.until(func() bool { return f.pings == 1 })
		f.WriteGoAway(3, http2.ErrCodeNo, nil)
		f.requests(2)
		f.answer(1, "one")
		f.answer(3, "two")
		f.drain()
	})
	b := burst.Send(t.Context(), newSender(h2c), numbered(url, payload(58), 4), burst.Options{})
	for i, x := range b.Exchanges {
		if i < 2 {
			assert.Equal(t, 200, x.Status, describe(x))
			continue
		}
		assert.Equal(t, targets.FailureClosed, x.Failure, describe(x))
		assert.Contains(t, x.Err, "GOAWAY NO_ERROR")
	}
}

// An answer that comes before the release is an answer, and no overlap.
func TestEarlyAnswersOverHTTP2(t *testing.T) {
	t.Parallel()
	url := h2peer(t, func(f *framed) {
		f.until(func() bool { return len(f.streams) == 2 })
		for _, id := range f.streams {
			f.header(id, true, ":status", "413")
			f.WriteRSTStream(id, http2.ErrCodeNo)
		}
		f.drain()
	})
	b := burst.Send(t.Context(), newSender(h2c), numbered(url, payload(58), 2), burst.Options{})
	for _, x := range b.Exchanges {
		assert.Equal(t, 413, x.Status, describe(x))
		assert.True(t, x.Wrote.IsZero())
	}
	assert.False(t, b.Overlapped())
}

func TestATargetThatNeverAnswersOverHTTP2(t *testing.T) {
	t.Parallel()
	url := h2peer(t, (*framed).drain)
	all := numbered(url, payload(58), 3)
	for i := range all {
		all[i].Timeout = 300 * time.Millisecond
	}
	b := burst.Send(t.Context(), newSender(h2c), all, burst.Options{})
	for _, x := range b.Exchanges {
		assert.Equal(t, targets.FailureTimeout, x.Failure, describe(x))
		assert.Contains(t, x.Err, "no answer within")
		assert.False(t, x.Wrote.IsZero())
	}
	assert.True(t, b.Overlapped())

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for _, x := range burst.Send(ctx, newSender(h2c), numbered(url, payload(58), 3), burst.Options{}).Exchanges {
		assert.Equal(t, targets.FailureTimeout, x.Failure, describe(x))
	}
}
