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
	header  int    // how many of them are the header block
	reader  answerReader
	now     func() time.Time
	wrote   time.Time
	ended   time.Time     // the answer, or the waiting for it; see answers
	err     error         // of writing
	answers chan answer   // one, from the reader
	heard   chan struct{} // closed when there is one
}

func newHTTP1Wire(l *link, r *outgoing, reader answerReader) *http1Wire {
	head := r.head(l)
	return &http1Wire{
		link: l, fault: r.fault, bytes: spared(r, head), header: len(head), reader: reader, now: reader.now,
		answers: make(chan answer, 1), heard: make(chan struct{}),
	}
}

// start begins to read before anything is written: an answer may come while the request is still on its way.
func (w *http1Wire) start() {
	switch w.fault {
	case NoFault:
		go w.listen(w.reader.read)
	case LostResponse:
		go w.listen(w.reader.await)
	case HangUpHalfAnswer:
		go w.listen(w.reader.halve)
	}
}

// spared is the part of a request that its fault lets through. Where the body is missing, or a part of it, the target has
// read the key, and must still not act.
func spared(r *outgoing, head []byte) []byte {
	payload := r.payload()
	sent, _ := r.fault.cut(len(payload))
	return append(head, payload[:sent]...)
}

// listen hands over the answer, and stops a write that the target does not take any more.
func (w *http1Wire) listen(read func(conn io.Reader) answer) {
	a := read(w.link.Conn)
	w.ended = w.now()
	close(w.heard)
	w.link.socket.SetWriteDeadline(time.Unix(1, 0))
	w.answers <- a
}

func (w *http1Wire) send() {
	w.start()
	if _, w.err = w.link.Write(w.bytes); w.err == nil {
		w.wrote = w.now()
	}
}

// hold leaves what is withheld in the socket's own buffer of kept writes, encrypted where there is TLS.
func (w *http1Wire) hold(gate Gate) {
	w.start()
	last := len(w.bytes) - 1
	if gate == GateHeader {
		last = min(last, w.header-1)
	}
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
	var done bool
	if done, w.err = w.link.socket.release(); done {
		w.wrote = w.now()
	}
}

// flush writes what the release has left, and waits for it.
func (w *http1Wire) flush() {
	if w.err != nil || !w.wrote.IsZero() {
		return
	}
	if w.err = w.link.socket.flush(); w.err == nil {
		w.wrote = w.now()
	}
}

// finish waits for the answer, or ends what the fault has broken.
func (w *http1Wire) finish() outcome {
	out := outcome{wrote: w.wrote}
	switch w.fault {
	case NoFault:
		out.answer = <-w.answers
		out.ended = w.ended
		return out
	case LostResponse:
		a := <-w.answers
		out.first = a.first
		if w.err != nil {
			w.err = a.err // the reader knows why; it has also stopped the write
		}
	case HangUpHalfAnswer:
		a := <-w.answers
		out.first, w.err = a.first, a.err // the reader has stopped a write that goes on, and knows what became of the answer
	case HangUpHeaders, HangUpHalfBody:
		out.wrote = time.Time{} // what was written was not the whole request
	}
	if out.err = w.err; out.err == nil {
		out.err = errFault(w.fault, out.first)
		w.hangUp()
	}
	return out
}

// hangUp leaves, except where the answer has begun: then there is nothing that could still get lost. A target that has
// got but a part of the request is given the time to notice and to close its side: a retry that overtakes what it follows
// would say nothing about that.
func (w *http1Wire) hangUp() {
	if w.fault.awaits() {
		return
	}
	w.link.hangUp()
	if _, part := w.fault.cut(0); part {
		w.link.drain()
	} else {
		go w.link.drain()
	}
}
