//go:build linux && !386 && !s390x

package burst

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"
)

// Where struct tcp_info of linux/tcp.h has what we read, in bytes from its start.
const (
	tcpInfoUnacked  = 24
	tcpInfoNotSent  = 144
	tcpInfoDataSegs = 156 // segments with data sent, since Linux 4.6
	tcpInfoSize     = 160
)

// readTCP asks the system about a connection (TCP_INFO); false where it does not say.
func readTCP(conn net.Conn) (info tcpInfo, ok bool) {
	socket, is := conn.(syscall.Conn)
	if !is {
		return info, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return info, false
	}
	var b [256]byte
	size := uint32(len(b))
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&b)), uintptr(unsafe.Pointer(&size)), 0)
	})
	if err != nil || errno != 0 || size < tcpInfoSize {
		return info, false
	}
	word := func(at int) int { return int(binary.NativeEndian.Uint32(b[at:])) }
	return tcpInfo{segments: word(tcpInfoDataSegs), acknowledged: word(tcpInfoUnacked) == 0 && word(tcpInfoNotSent) == 0}, true
}
