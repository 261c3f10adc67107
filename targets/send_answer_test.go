package targets_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Each row is what a peer says after one request; then it closes.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, row := range map[string]struct {
		say     string
		status  int
		content string
		failure targets.FailureKind
		words   string
		cut     bool
	}{
		"length":            {say: ok + "Content-Length: 2\r\n\r\nhi", status: 200, content: "hi"},
		"length, then more": {say: ok + "Content-Length: 2\r\n\r\nhi there", status: 200, content: "hi"},
		"chunked":           {say: ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", status: 200, content: "hi"},
		"until closed":      {say: ok + "\r\nhi", status: 200, content: "hi"},
		"HTTP/1.0":          {say: "HTTP/1.0 200 OK\r\n\r\nhi", status: 200, content: "hi"},
		"100, then 200":     {say: "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", status: 200, content: "hi"},
		"103, 103, 200":     {say: strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 2) + ok + "\r\nhi", status: 200, content: "hi"},
		"101":               {say: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", status: 101},
		"unknown status":    {say: "HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n", status: 799},

		"nothing":          {say: "", failure: targets.FailureClosed, words: "closed before"},
		"part of a line":   {say: "HTTP/1.1 2", failure: targets.FailureClosed},
		"part of a header": {say: ok + "Content-Le", failure: targets.FailureClosed},
		"interim only":     {say: "HTTP/1.1 100 Continue\r\n\r\n", failure: targets.FailureClosed},
		"half a body":      {say: ok + "Content-Length: 9\r\n\r\nhi", status: 200, content: "hi", failure: targets.FailureClosed, cut: true},
		"half a chunk":     {say: ok + "Transfer-Encoding: chunked\r\n\r\n9\r\nhi", status: 200, content: "hi", failure: targets.FailureClosed, cut: true},
		"no last chunk":    {say: ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", status: 200, content: "hi", failure: targets.FailureClosed, cut: true},
		"broken chunk":     {say: ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n", status: 200, content: "hi", failure: targets.FailureProtocol, cut: true},
		"garbage":          {say: "SSH-2.0-OpenSSH\r\n\r\n", failure: targets.FailureProtocol, words: "not valid HTTP"},
		"binary garbage":   {say: "\x15\x03\x01\x00\x02\x02\x46\n", failure: targets.FailureProtocol},
		"status 0":         {say: "HTTP/1.1 000 Odd\r\n\r\n", failure: targets.FailureProtocol, words: "status 0"},
		"bad length":       {say: ok + "Content-Length: -1\r\n\r\n", failure: targets.FailureProtocol},
		"two lengths":      {say: ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", failure: targets.FailureProtocol},
		"long garbage":     {say: strings.Repeat("x", 5000) + "\r\n", failure: targets.FailureProtocol, words: "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, answers(row.say))
			x := send(t, sender(), create(p.url()))
			assert.Equal(t, row.status, x.Status)
			assert.Equal(t, row.content, string(x.Content))
			assert.Equal(t, row.failure, x.Failure, x.Err)
			assert.Contains(t, x.Err, row.words)
			assert.Less(t, len(x.Err), 250)
			assert.Equal(t, row.cut, x.Cut)
			assert.Equal(t, row.failure == targets.NoFailure, x.Err == "")
			assert.Len(t, p.requests(), 1)
			assert.Equal(t, row.say == "", x.FirstByte.IsZero())
		})
	}
}

// endless says something again and again until the other side is gone.
func endless(start, again string) func(*peerConn) {
	return func(c *peerConn) {
		c.request()
		c.say(start)
		for {
			if _, err := io.WriteString(c.Conn, again); err != nil {
				return
			}
		}
	}
}

func TestEndlessAnswersStopAtTheCap(t *testing.T) {
	t.Parallel()
	junk := strings.Repeat("x", 4096)
	for name, serve := range map[string]func(*peerConn){
		"until closed": endless("HTTP/1.1 200 OK\r\n\r\n", junk),
		"chunked":      endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1000\r\n"+junk+"\r\n"),
		"length":       endless("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", junk),
		"gzip members": endless("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", string(zip(nil))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, serve)
			x := send(t, sender(func(o *targets.SenderOptions) { o.MaxBody = 10000 }), create(p.url()))
			assert.Equal(t, 200, x.Status)
			assert.True(t, x.Cut)
			assert.Empty(t, x.Failure, x.Err)
			assert.LessOrEqual(t, len(x.Content), 10000)
			assert.GreaterOrEqual(t, x.Size, int64(len(x.Content)))
		})
	}
}

func TestEndlessHeadersAreNoAnswer(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*peerConn){
		"many":    endless("HTTP/1.1 200 OK\r\n", "X-Y: "+strings.Repeat("z", 1000)+"\r\n"),
		"one":     endless("HTTP/1.1 200 OK\r\nX-Y: ", "zzzzzzzzzzzzzzzzzz"),
		"status":  endless("HTTP/1.1 200 ", "zzzzzzzzzzzzzzzzzz"),
		"interim": endless("", "HTTP/1.1 100 Continue\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, serve)
			x := send(t, sender(), create(p.url()))
			assert.Zero(t, x.Status)
			assert.Equal(t, targets.FailureProtocol, x.Failure)
			assert.Contains(t, x.Err, "longer than 1048576 bytes")
		})
	}
}

func TestABodyThatDoesNotEndInTimeIsCut(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		c.request()
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
		c.rest()
	})
	a := create(p.url())
	a.Timeout = 50 * time.Millisecond
	x := send(t, sender(), a)
	assert.Equal(t, 200, x.Status)
	assert.Equal(t, "hi", string(x.Content))
	assert.True(t, x.Cut)
	assert.Equal(t, targets.FailureTimeout, x.Failure)
	assert.Contains(t, x.Err, "the answer did not end within")
}

// zip compresses with gzip.
func zip(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// deflated compresses with zlib, or without its header.
func deflated(content string, bare bool) string {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if bare {
		w, _ = flate.NewWriter(&b, flate.BestSpeed)
	}
	io.WriteString(w, content)
	w.Close()
	return b.String()
}

func TestContentEncodings(t *testing.T) {
	t.Parallel()
	hi := string(zip([]byte("hi")))
	for name, row := range map[string]struct {
		coding, body, content string
		failure               targets.FailureKind
	}{
		"gzip":          {coding: "gzip", body: hi, content: "hi"},
		"x-gzip":        {coding: "X-GZIP", body: hi, content: "hi"},
		"zlib":          {coding: "deflate", body: deflated("hi", false), content: "hi"},
		"deflate":       {coding: "deflate", body: deflated("hi", true), content: "hi"},
		"two":           {coding: "gzip, gzip", body: string(zip([]byte(hi))), content: "hi"},
		"three":         {coding: "gzip, gzip, gzip", body: "xyz", content: "xyz"},
		"identity":      {coding: "identity", body: "hi", content: "hi"},
		"unknown":       {coding: "br", body: "\x0b\x00", content: "\x0b\x00"},
		"empty":         {coding: "gzip", body: "", content: ""},
		"broken":        {coding: "gzip", body: "hello there", failure: targets.FailureProtocol},
		"truncated":     {coding: "gzip", body: hi[:len(hi)-5], content: "hi", failure: targets.FailureProtocol},
		"empty deflate": {coding: "deflate", body: "", content: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n", row.coding, len(row.body))
			x := send(t, sender(), create(listen(t, answers(head+row.body)).url()))
			assert.Equal(t, 200, x.Status)
			assert.Equal(t, row.content, string(x.Content))
			assert.Equal(t, row.failure, x.Failure, x.Err)
			assert.Equal(t, row.failure != "", x.Cut)
		})
	}
}

func TestADecompressionBombStopsAtTheCap(t *testing.T) {
	t.Parallel()
	bomb := zip(zip(make([]byte, 16<<20)))
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n", len(bomb))
	x := send(t, sender(), create(listen(t, answers(head+string(bomb))).url()))
	assert.True(t, x.Cut)
	assert.Len(t, x.Content, 4<<20)
	assert.Empty(t, x.Failure)
}

func TestAnEarlyAnswerIsReadWhileTheBodyIsStillSent(t *testing.T) {
	t.Parallel()
	p := listen(t, func(c *peerConn) {
		for line := ""; line != "\r\n"; {
			line, _ = c.br.ReadString('\n')
		}
		// Nothing more is read: a body larger than the buffers of the system cannot be written.
		c.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nbig!")
		c.Conn.(*net.TCPConn).CloseWrite()
		<-t.Context().Done()
	})
	for name, size := range map[string]int{"1 MiB": 1 << 20, "64 MiB": 64 << 20} {
		t.Run(name, func(t *testing.T) {
			a := create(p.url())
			a.Body = make([]byte, size)
			x := send(t, sender(), a)
			require.Equal(t, 413, x.Status, x.Err)
			assert.Equal(t, "big!", string(x.Content))
			assert.Empty(t, x.Failure)
			if size > 1<<20 {
				assert.True(t, x.Wrote.IsZero())
			}
		})
	}
}

func TestALargeBodyArrivesWhole(t *testing.T) {
	t.Parallel()
	p := listen(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	a := create(p.url())
	a.Body = bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	x := send(t, sender(), a)
	require.Equal(t, 200, x.Status, x.Err)
	assert.True(t, strings.HasSuffix(p.requests()[0], "\r\n\r\n"+string(a.Body)))
}
