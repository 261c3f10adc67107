package targets

import (
	"io"
	"time"
)

// http1Wire is a request in HTTP/1.1.
type http1Wire struct {
	link    *link
	fault   FaultKind
	bytes   []byte // what the fault leaves of the request
	now     func() time.Time
	wrote   time.Time
	err     error       // of writing
	answers chan answer // one, from the reader
}

// newHTTP1Wire starts to read at once: an answer may come while the request is still being written.
func newHTTP1Wire(l *link, r *outgoing, reader answerReader) *http1Wire {
	w := &http1Wire{link: l, fault: r.fault, bytes: spared(r, r.head(l)), now: reader.now, answers: make(chan answer, 1)}
	switch r.fault {
	case NoFault:
		go w.listen(reader.read)
	case LostResponse:
		go w.listen(reader.await)
	}
	return w
}

// spared is the part of a request that its fault lets through. A hang-up in the headers leaves out the empty line
// only: the target has read the key, and must still not act.
func spared(r *outgoing, head []byte) []byte {
	switch r.fault {
	case HangUpHeaders:
		return head[:len(head)-len("\r\n")]
	case HangUpHalfBody:
		return append(head, r.body[:len(r.body)/2]...)
	}
	return append(head, r.body...)
}

// listen hands over the answer, and stops a write that the target does not take any more.
func (w *http1Wire) listen(read func(conn io.Reader) answer) {
	a := read(w.link.Conn)
	w.link.socket.SetWriteDeadline(time.Unix(1, 0))
	w.answers <- a
}

func (w *http1Wire) send() { w.write(w.bytes) }

// hold leaves the last byte in the socket's own buffer of kept writes, encrypted where there is TLS.
func (w *http1Wire) hold() {
	last := len(w.bytes) - 1
	if _, w.err = w.link.Write(w.bytes[:last]); w.err != nil {
		return
	}
	w.link.socket.hold()
	_, w.err = w.link.Write(w.bytes[last:])
}

func (w *http1Wire) release() {
	if w.err != nil {
		return
	}
	if w.err = w.link.socket.release(); w.err == nil {
		w.wrote = w.now()
	}
}

func (w *http1Wire) write(b []byte) {
	if _, w.err = w.link.Write(b); w.err == nil {
		w.wrote = w.now()
	}
}

// finish waits for the answer, or ends what the fault has broken.
func (w *http1Wire) finish() outcome {
	out := outcome{wrote: w.wrote}
	switch w.fault {
	case NoFault:
		out.answer = <-w.answers
		return out
	case LostResponse:
		a := <-w.answers
		out.first = a.first
		if w.err != nil {
			w.err = a.err // the reader knows why; it has also stopped the write
		}
	case HangUpHeaders, HangUpHalfBody:
		out.wrote = time.Time{} // what was written was not the whole request
	}
	if out.err = w.err; out.err == nil {
		out.err = errFault(w.fault, out.first)
		w.hangUp()
	}
	return out
}

// hangUp leaves, except where the answer has begun: then there is nothing that could still get lost.
func (w *http1Wire) hangUp() {
	if w.fault != LostResponse {
		w.link.hangUp()
		go w.link.drain()
	}
}
