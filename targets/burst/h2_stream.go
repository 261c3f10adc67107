package burst

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// stream is one request on an HTTP/2 connection, and its answer. Everything that changes is under the connection's lock.
type stream struct {
	*targets.Prepared
	conn   *conn
	place  int // in the burst
	gated  bool
	fields []targets.Field
	body   []byte

	id       uint32 // 0: not opened
	sent     int    // of the body
	window   int64  // what the other side still takes, on this stream
	closed   bool   // our half, or given up
	finished bool   // our half, by END_STREAM
	wrote    time.Time

	first    time.Time
	answer   *http.Response // nil until its header is there
	interim  int            // answers before it
	data     bytes.Buffer   // of its body, unread
	got      int64          // of its body, in all
	length   int64          // of its body, as announced; -1: not
	received int64          // what we still take, on this stream
	owed     int64          // read, and not given back to the window yet
	ended    bool           // their half
	at       time.Time      // the end of it, or of the stream
	err      error
}

func newStream(c *conn, p *targets.Prepared, place int, gated bool) *stream {
	st := &stream{Prepared: p, conn: c, place: place, gated: gated, received: ownStreamWindow, length: -1}
	st.fields, st.body = p.Fields()
	p.Carry(c.line)
	return st
}

// fail ends the stream, unless its answer is whole; under the lock.
func (st *stream) fail(err error) {
	if st.err == nil && !st.ended {
		st.err, st.at = err, st.conn.now()
	}
	st.closed = true
}

// over reports whether nothing more comes; under the lock.
func (st *stream) over() bool { return st.err != nil || st.ended }

// finish waits for the answer and reads it.
func (st *stream) finish(ctx context.Context) targets.Exchange {
	if st.Failed() {
		return st.Conclude(targets.Outcome{})
	}
	stop := st.Cancel(ctx)
	defer stop()
	err := st.conn.wait(st.Context(), func() bool { return st.answer != nil || st.over() })
	st.conn.mu.Lock()
	st.conn.restamp()
	out := targets.Outcome{Wrote: st.wrote, First: st.first, Ended: st.at, Response: st.answer}
	if st.answer == nil {
		if out.Err = st.err; out.Err == nil {
			out.Err = err
		}
	}
	st.conn.mu.Unlock()
	return st.Conclude(out)
}

// Read reads the body of the answer, and lets the other side send more.
func (st *stream) Read(b []byte) (int, error) {
	err := st.conn.wait(st.Context(), func() bool { return st.data.Len() > 0 || st.over() })
	st.conn.mu.Lock()
	n, _ := st.data.Read(b)
	st.owed += int64(n)
	give := int64(0)
	if st.owed >= ownStreamWindow/2 && !st.over() {
		give, st.owed = st.owed, 0
		st.received += give
	}
	switch {
	case n > 0:
		err = nil
	case st.err != nil:
		err = st.err
	case st.ended:
		err = io.EOF
	}
	st.conn.mu.Unlock()
	if give > 0 {
		st.conn.write(func() { st.conn.frames.WriteWindowUpdate(st.id, uint32(give)) })
	}
	return n, err
}

// Close is for http.Response.
func (st *stream) Close() error { return nil }

// reset gives the stream up on both sides.
func (st *stream) reset(err error, code http2.ErrCode) {
	st.conn.mu.Lock()
	open := st.id != 0 && !(st.closed && st.ended) && !st.conn.over
	st.fail(err)
	st.conn.wake()
	st.conn.mu.Unlock()
	if open {
		st.conn.write(func() { st.conn.frames.WriteRSTStream(st.id, code) })
	}
}
