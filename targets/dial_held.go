package targets

import (
	"net"
	"sync"
)

// heldConn is a socket whose writes can be held back. TLS writes into it as ever, so that the last record of a
// request is encrypted before the moment at which it must leave.
type heldConn struct {
	net.Conn
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

// release writes what was kept, in one write.
func (c *heldConn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	_, err := c.Conn.Write(c.kept)
	c.kept = nil
	return err
}

// closeWrite says that nothing more will be written.
func (c *heldConn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}
