package targets

import (
	"net"
	"sync"
	"syscall"
)

// heldConn is a socket whose writes can be held back. TLS writes into it as ever, so that the last record of a
// request is encrypted before the moment at which it must leave.
type heldConn struct {
	net.Conn
	raw  syscall.RawConn // the same socket, for writes past the scheduler; nil where there is none
	mu   sync.Mutex
	held bool
	kept []byte
}

// Write writes, or keeps what would be written.
func (c *heldConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if c.held {
		defer c.mu.Unlock()
		c.kept = append(c.kept, b...)
		return len(b), nil
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// hold keeps all further writes.
func (c *heldConn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
}

// release writes what was kept in one system call, and reports whether that was all. What the socket has no room for
// stays kept until flush: a release does not wait.
func (c *heldConn) release() (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := writeNow(c.Conn, c.raw, c.kept)
	c.kept = c.kept[n:]
	if err != nil || len(c.kept) > 0 {
		return false, err
	}
	c.held, c.kept = false, nil
	return true, nil
}

// flush writes whatever is still kept, and waits for it. Nothing is kept any more then.
func (c *heldConn) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.kept
	c.held, c.kept = false, nil
	if len(kept) == 0 {
		return nil
	}
	_, err := c.Conn.Write(kept)
	return err
}

// pending is how many bytes are kept.
func (c *heldConn) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept)
}

// closeWrite says that nothing more will be written.
func (c *heldConn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}
