package targets

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// http2Wire is a request in HTTP/2, alone on its connection. The frames are net/http's; what is sent and when it ends
// is decided here.
type http2Wire struct {
	link    *link
	conn    *http.ClientConn
	request *http.Request
	body    *gatedBody
	fault   FaultKind
	reader  answerReader
	marks   marks
	start   sync.Once
	answers chan answer // one, from run
}

// newHTTP2Wire begins HTTP/2 on a connection.
func newHTTP2Wire(ctx context.Context, l *link, r *outgoing, reader answerReader) (*http2Wire, error) {
	conn, err := clientConn(ctx, l)
	if err != nil {
		return nil, err
	}
	w := &http2Wire{link: l, conn: conn, fault: r.fault, reader: reader, answers: make(chan answer, 1)}
	w.marks.now, w.marks.done = reader.now, make(chan struct{})
	w.body = newGatedBody(r.body)
	w.request = w.build(ctx, r)
	return w, nil
}

// clientConn lets net/http speak HTTP/2 over a connection of ours. ClientConn, unlike Transport, sends what it is given
// once. TLS, where there is any, is done already: for net/http this is HTTP/2 with prior knowledge.
func clientConn(ctx context.Context, l *link) (*http.ClientConn, error) {
	t := &http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return l, nil },
		Protocols:              new(http.Protocols),
		DisableCompression:     true, // so that the header goes out as it is
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
	t.Protocols.SetUnencryptedHTTP2(true)
	return t.NewClientConn(ctx, "http", l.RemoteAddr().String())
}

// build makes the request as net/http wants it.
func (w *http2Wire) build(ctx context.Context, r *outgoing) *http.Request {
	if !r.fault.awaits() {
		// The request outlives the exchange by a moment; see link.hangUp. Until then the end of its time ends the
		// connection, and so the request.
		ctx = context.WithoutCancel(ctx)
	}
	ctx = httptrace.WithClientTrace(ctx, w.marks.trace())
	req := &http.Request{Method: r.method, URL: r.url, Host: r.host, Header: r.header, ContentLength: int64(len(r.body))}
	if len(r.body) > 0 {
		req.Body = w.body
	}
	return req.WithContext(ctx)
}

// run sends the request and reads the answer, as far as the fault lets it.
func (w *http2Wire) run() {
	w.start.Do(func() { go func() { w.answers <- w.exchange() }() })
}

func (w *http2Wire) exchange() answer {
	res, err := w.conn.RoundTrip(w.request)
	a := answer{first: w.marks.firstByte(), proto: protoHTTP2, err: err}
	if err != nil {
		return a
	}
	w.reader.begins()
	switch w.fault {
	case NoFault:
		w.reader.take(&a, res)
	case HangUpHalfAnswer:
		a.err = w.reader.half(res)
	}
	return a
}

func (w *http2Wire) send() {
	if at, ok := w.fault.cut(len(w.body.data)); ok {
		w.holdAt(at)
		return
	}
	w.run()
}

// hold withholds the last byte of the body. Without a body, or with the gate at the header, it is the whole request:
// HTTP/2 is not written by the byte.
func (w *http2Wire) hold(gate Gate) {
	n := len(w.body.data)
	if at, ok := w.fault.cut(n); ok {
		w.holdAt(at)
	} else if n > 0 && gate == GateBody {
		w.holdAt(n - 1)
	}
}

// holdAt sends the body up to a byte and waits until that is written.
func (w *http2Wire) holdAt(at int) {
	w.body.gate = at
	w.run()
	select {
	case <-w.body.reached:
	case a := <-w.answers:
		w.answers <- a // ended early; finish tells
	}
}

func (w *http2Wire) release() {
	if _, ok := w.fault.cut(0); !ok {
		w.body.release()
	}
	w.run()
}

// flush has nothing to do: net/http writes by itself.
func (w *http2Wire) flush() {}

// finish waits for the answer, or ends what the fault has broken.
func (w *http2Wire) finish() outcome {
	var a answer
	switch w.fault {
	case NoFault:
		a = <-w.answers
		w.marks.settle()
	case LostResponse:
		full := <-w.answers
		w.marks.settle()
		a = answer{first: full.first, err: full.err}
		if !w.marks.written().IsZero() || a.err == nil {
			a.err = errFault(w.fault, a.first)
		}
	case HangUpHalfAnswer:
		a = <-w.answers
		w.marks.settle()
		if a.err == nil {
			a.err = errFault(w.fault, a.first)
		}
	default:
		a.err = w.breakOff()
	}
	return outcome{wrote: w.marks.written(), answer: a}
}

// breakOff hangs up once as much is written as the fault allows. net/http still reads, and closes at the end.
func (w *http2Wire) breakOff() error {
	if err := w.broken(); err != nil {
		return err
	}
	w.link.hangUp()
	if _, part := w.fault.cut(0); part {
		<-w.answers // as over HTTP/1.1, the target has the time to notice; a connection that was hung up has its deadline
	}
	return errFault(w.fault, time.Time{})
}

// broken waits for the moment to hang up. It gives the error of a request that has ended before it.
func (w *http2Wire) broken() error {
	if w.fault == HangUpAfterWrite {
		select {
		case <-w.marks.done:
		case a := <-w.answers:
			w.answers <- a // not all errors are reported as the end of the writing
		}
		if w.marks.written().IsZero() {
			return (<-w.answers).err
		}
		return nil
	}
	select {
	case a := <-w.answers:
		w.answers <- a // breakOff waits for it
		return a.err
	default:
		return nil // what the fault lets through is written, and net/http waits for the rest
	}
}
