//go:build unix

package targets

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// writeNow writes as much as the socket takes at once. It goes past net.Conn.Write, which would park the goroutine, and
// with it the requests that are to be released after it, when the socket is full.
func writeNow(conn net.Conn, raw syscall.RawConn, b []byte) (int, error) {
	if raw == nil {
		return conn.Write(b)
	}
	var n int
	var err error
	refused := raw.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), b)
		return true
	})
	switch {
	case refused != nil:
		return 0, refused
	case errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR):
		return 0, nil
	case err != nil:
		return 0, &net.OpError{Op: "write", Net: "tcp", Addr: conn.RemoteAddr(), Err: os.NewSyscallError("write", err)}
	}
	return n, nil
}
