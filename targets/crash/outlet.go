package crash

import (
	"bufio"
	"io"
)

const (
	bufferSize = 32 << 10
	maxPeek    = 16 << 10 // how far into a message is read
)

// inlet reads one direction of a connection message by message, without copying.
type inlet struct {
	r    *bufio.Reader
	idle func() error // called before it waits for more: what was written must go out first
}

func newInlet(r io.Reader, idle func() error) *inlet {
	return &inlet{r: bufio.NewReaderSize(r, bufferSize), idle: idle}
}

// peek gives the next n bytes, and waits for them.
func (i *inlet) peek(n int) ([]byte, error) {
	if i.r.Buffered() < n {
		if err := i.idle(); err != nil {
			return nil, err
		}
	}
	return i.r.Peek(n)
}

// send moves the next n bytes.
func (i *inlet) send(w io.Writer, n int) error {
	for n > 0 {
		if _, err := i.peek(1); err != nil {
			return err
		}
		part, err := i.r.Peek(min(n, i.r.Buffered()))
		if err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		if _, err := i.r.Discard(len(part)); err != nil {
			return err
		}
		n -= len(part)
	}
	return nil
}

// outlet writes to the target, and holds a reply back where that is the point.
type outlet struct {
	l     *link
	w     *bufio.Writer
	armed *Armed // nil: nothing is held
	held  []byte
}

func newOutlet(l *link) *outlet { return &outlet{l: l, w: newGated(l, l.client)} }

// gated writes to one side of a connection, except while a point is being dealt with.
type gated struct {
	l  *link
	to io.Writer
}

func newGated(l *link, to io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(gated{l, to}, bufferSize)
}

// Write waits until the gate is open.
func (g gated) Write(b []byte) (int, error) {
	if err := g.l.pass(); err != nil {
		return 0, err
	}
	return g.to.Write(b)
}

// hold begins to hold, if the reply that comes next is the point. The replies before it go out.
func (o *outlet) hold() error {
	if o.armed != nil || o.l.holds.Load() == 0 {
		return nil
	}
	if f, ok := o.l.head(); ok && f.armed != nil {
		o.armed = f.armed
		return o.flush()
	}
	return nil
}

// Write passes on, or holds.
func (o *outlet) Write(b []byte) (int, error) {
	if o.armed == nil {
		return o.w.Write(b)
	}
	if len(o.held)+len(b) > maxHeld {
		o.armed.end(ErrTooLarge)
		if err := o.release(); err != nil {
			return 0, err
		}
		o.l.settleHold()
		return o.w.Write(b)
	}
	o.held = append(o.held, b...)
	return len(b), nil
}

// flush puts what was passed on onto the wire.
func (o *outlet) flush() error { return o.w.Flush() }

// spill passes on what is held so far, and goes on to hold: the target has to see it for the reply to be completed.
func (o *outlet) spill() error {
	_, err := o.w.Write(o.held)
	o.held = o.held[:0]
	return err
}

// release passes on what is held, and ends the holding.
func (o *outlet) release() error {
	err := o.spill()
	o.armed, o.held = nil, nil
	return err
}

// complete is called when a reply is complete.
func (o *outlet) complete() error {
	f, ok := o.l.pop()
	if !ok || f.armed == nil {
		return nil
	}
	if !o.l.p.reached(f.armed) {
		return errCut
	}
	o.l.settleHold()
	return o.release()
}
