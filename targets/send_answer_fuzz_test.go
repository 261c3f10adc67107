package targets

import (
	"bytes"
	"net/http"
	"testing"
	"testing/iotest"
	"time"
)

// FuzzAnswer gives the reader of answers arbitrary bytes, at once and byte by byte: it must end, within its caps, and
// say the same of both.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.0 200 OK\r\nContent-Encoding: deflate\r\n\r\n\x78\x9c\xcb\x00\x00",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n\x1f\x8b\x08\x00", "SSH-2.0-x\r\n",
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, input []byte, post bool) {
		r := answerReader{method: http.MethodHead, maxBody: 1000, now: time.Now}
		if post {
			r.method = http.MethodPost
		}
		whole, bit := r.read(bytes.NewReader(input)), r.read(iotest.OneByteReader(bytes.NewReader(input)))
		for _, a := range []answer{whole, bit} {
			checkAnswer(t, a)
		}
		if whole.status != bit.status || !bytes.Equal(whole.content, bit.content) || whole.cut != bit.cut {
			t.Errorf("at once %d %q, byte by byte %d %q", whole.status, whole.content, bit.status, bit.content)
		}
		r.await(bytes.NewReader(input))
		r.halve(bytes.NewReader(input))
	})
}

// checkAnswer checks what holds for every answer.
func checkAnswer(t *testing.T, a answer) {
	t.Helper()
	if a.status == 0 && a.err == nil {
		t.Error("neither an answer nor a failure")
	}
	if len(a.content) > 1000 || a.size < int64(len(a.content)) {
		t.Errorf("%d bytes kept, size %d", len(a.content), a.size)
	}
	if a.err != nil {
		if kind, words := classify(a.err); kind == NoFailure || words == "" || len(words) > 300 {
			t.Errorf("%q: %q", kind, words)
		}
	}
}
