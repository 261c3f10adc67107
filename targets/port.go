package targets

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The ports that are given out. They lie below what systems use for outgoing connections (from 32768 on Linux, from
// 49152 elsewhere): otherwise, while the target is down, such a connection could take its port, and a probe could even
// reach itself.
const (
	firstPort = 20000
	lastPort  = 31999
)

// given holds the ports that this process has given out. Each is given once: one that is free now may belong to a
// target that is down just now.
var given sync.Map

// FreePort gives a TCP port that is free at an address of this machine, and lies below the range of ephemeral ports.
// Each is given once in the life of the program.
func FreePort(host string) (int, error) {
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		if PortIsFree(host, port) {
			return port, nil
		}
	}
	return 0, errors.New("find a free port: none found between 20000 and 31999; is " + host + " an address of this machine?")
}

// PortIsFree reports whether nobody listens on a port of an address of this machine now.
func PortIsFree(host string, port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	return err == nil && l.Close() == nil
}
