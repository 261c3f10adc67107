package burst

import (
	"context"
	"net"
	"time"
)

// tcpInfo is what the system knows of a connection.
type tcpInfo struct {
	segments     int  // with data, sent so far
	acknowledged bool // everything written was sent, and acknowledged by the other side's system
}

// segments adds up what was sent on some connections so far; -1 where the system does not say.
func segments(conns []net.Conn) int {
	sum := 0
	for _, conn := range conns {
		info, ok := readTCP(conn)
		if !ok {
			return -1
		}
		sum += info.segments
	}
	return sum
}

// ackPoll is how often an acknowledgement is asked for; ackLimit is how long it is waited for. Systems delay an
// acknowledgement by up to 40 ms (Linux) or 200 ms (RFC 9293 section 3.8.6.3 allows 500), so that a connection which
// still has none is more likely to be delayed than to have lost something.
const (
	ackPoll  = 500 * time.Microsecond
	ackLimit = 250 * time.Millisecond
)

// acknowledged waits until everything that was written has been acknowledged, and reports whether it was seen. Nothing
// gets lost on the way to this machine: there it looks only once.
func acknowledged(ctx context.Context, conns []net.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, ackLimit)
	defer cancel()
	for _, conn := range conns {
		for {
			info, ok := readTCP(conn)
			if ok && info.acknowledged {
				break
			}
			if !ok || local(conn) || ctx.Err() != nil {
				return false
			}
			pause(ctx, ackPoll)
		}
	}
	return true
}

// local reports whether a connection leads to this machine.
func local(conn net.Conn) bool {
	to, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && to.IP.IsLoopback()
}
