package burst

import (
	"net/http"
	"strconv"

	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// maxInterim bounds how many interim answers (1xx) come before an answer.
const maxInterim = 100

// takeHeader takes the header of an answer, an interim one, or trailers.
func (c *conn) takeHeader(f *http2.MetaHeadersFrame) error {
	at := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	st := c.streams[f.StreamID]
	if st == nil {
		return c.unknown(f.StreamID)
	}
	if st.over() {
		return nil
	}
	if st.first.IsZero() {
		st.first = at
	}
	if f.Truncated {
		st.fail(targets.NewFailure(targets.FailureProtocol, "the header of the answer is longer than %d bytes", ownHeaderList))
		return nil
	}
	return st.header(f)
}

// header takes a header of the answer; under the lock.
func (st *stream) header(f *http2.MetaHeadersFrame) error {
	bad := http2.StreamError{StreamID: st.id, Code: http2.ErrCodeProtocol}
	if st.answer != nil { // trailers end the answer; nobody asks for them
		if !f.StreamEnded() || len(f.PseudoFields()) > 0 {
			return bad
		}
		return st.end()
	}
	status, err := strconv.Atoi(f.PseudoValue("status"))
	switch {
	case err != nil || len(f.PseudoFields()) != 1 || status < 100 || status > 999 || status == http.StatusSwitchingProtocols:
		return bad
	case status < 200:
		if st.interim++; f.StreamEnded() || st.interim > maxInterim {
			return bad
		}
		return nil
	}
	st.begin(status, f)
	if f.StreamEnded() {
		return st.end()
	}
	return nil
}

// begin takes over the header of the answer; under the lock.
func (st *stream) begin(status int, f *http2.MetaHeadersFrame) {
	h := make(http.Header, len(f.Fields))
	for _, field := range f.RegularFields() {
		h.Add(field.Name, field.Value)
	}
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && n >= 0 && hasContent(st.Attempt().Method, status) {
		st.length = n
	}
	st.answer = &http.Response{
		StatusCode: status, Proto: "HTTP/2.0", ProtoMajor: 2, Header: h, Body: st, ContentLength: st.length,
	}
}

// hasContent reports whether the length of an answer is that of a body which follows (RFC 9110 section 6.4.1).
func hasContent(method string, status int) bool {
	return method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified
}

// end takes note of the end of the answer; under the lock. An answer that is shorter or longer than it said is none
// (RFC 9113 section 8.1.1).
func (st *stream) end() error {
	if st.length >= 0 && st.got != st.length {
		return http2.StreamError{StreamID: st.id, Code: http2.ErrCodeProtocol}
	}
	st.ended, st.at = true, st.conn.now()
	return nil
}

// takeData takes a part of a body.
func (c *conn) takeData(f *http2.DataFrame) error {
	give, err := c.keep(f)
	if err != nil || give == 0 {
		return err
	}
	return c.write(func() { c.frames.WriteWindowUpdate(0, uint32(give)) })
}

// keep stores a part of a body for its reader. It gives back the connection's window at once, because what is stored is
// bounded by the windows of the streams.
func (c *conn) keep(f *http2.DataFrame) (give int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	size := int64(f.Length)
	if c.received -= size; c.received < 0 {
		return 0, http2.ConnectionError(http2.ErrCodeFlowControl)
	}
	if c.received < ownConnWindow/2 {
		give = ownConnWindow - c.received
		c.received = ownConnWindow
	}
	st := c.streams[f.StreamID]
	if st == nil {
		return give, c.unknown(f.StreamID)
	}
	return give, st.keep(f, size)
}

func (st *stream) keep(f *http2.DataFrame, size int64) error {
	if st.over() {
		return nil
	}
	bad := http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
	if st.received -= size; st.received < 0 || st.answer == nil {
		return bad
	}
	b := f.Data()
	st.data.Write(b)
	st.got += int64(len(b))
	st.owed += size - int64(len(b)) // the padding is read already
	if st.length >= 0 && st.got > st.length {
		return bad
	}
	if f.StreamEnded() {
		return st.end()
	}
	return nil
}
