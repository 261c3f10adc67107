package crash

import (
	"errors"
	"os"
	"time"
)

// tailWait is how long a reply whose end cannot be seen is held after its first bytes.
const tailWait = 3 * time.Millisecond

// tcpLink is a connection whose protocol is not understood.
type tcpLink struct {
	*link
	out *outlet
}

// openTCP connects.
func (l *link) openTCP() (halves, error) {
	if err := l.connect(); err != nil {
		return halves{}, err
	}
	t := &tcpLink{link: l, out: newOutlet(l)}
	return halves{front: t.front, back: t.back}, nil
}

// front passes the target's bytes on. What is sent until the database answers is one step, in however many pieces.
func (t *tcpLink) front() error {
	buf := make([]byte, bufferSize)
	for {
		n, err := t.client.Read(buf)
		if n > 0 && t.answered.Swap(false) {
			if err := t.depart(Step, n, replyOne); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if err := t.pass(); err != nil {
			return err
		}
		if _, err := t.server.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// back passes the database's bytes on.
func (t *tcpLink) back() error {
	buf := make([]byte, bufferSize)
	for {
		n, err := t.server.Read(buf)
		if n > 0 {
			if err := t.reply(buf, n); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// reply passes on the first bytes of a reply, or holds them and what follows at once.
func (t *tcpLink) reply(buf []byte, n int) error {
	if err := t.out.hold(); err != nil {
		return err
	}
	if _, err := t.out.Write(buf[:n]); err != nil {
		return err
	}
	if t.out.armed != nil {
		if err := t.tail(buf); err != nil {
			return err
		}
	}
	if err := t.out.complete(); err != nil {
		return err
	}
	t.answered.Store(true)
	return t.out.flush()
}

// tail holds what comes within the time.
func (t *tcpLink) tail(buf []byte) error {
	if err := t.server.SetReadDeadline(time.Now().Add(tailWait)); err != nil {
		return err
	}
	for {
		n, err := t.server.Read(buf)
		if _, err := t.out.Write(buf[:n]); err != nil {
			return err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return t.server.SetReadDeadline(time.Time{})
		}
		if err != nil {
			return t.out.complete() // the database has ended it; what it has said counts
		}
	}
}
