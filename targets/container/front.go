package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// frontDial bounds how long a front waits for the container to take a connection.
const frontDial = 5 * time.Second

// front listens at an address that stays the same and forwards to wherever a container is now. While the container is
// nowhere, new connections are reset: as near as one comes to nobody listening while the port stays one's own.
type front struct {
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	to     string // empty: nowhere
	links  map[*link]struct{}
	closed bool
}

// newFront listens at a port of 127.0.0.1, and leads nowhere yet.
func newFront(ctx context.Context) (*front, error) {
	var err error
	for range 10 {
		port, freeErr := targets.FreePort("127.0.0.1")
		if freeErr != nil {
			return nil, freeErr
		}
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			f := &front{listener: listener, links: map[*link]struct{}{}}
			f.running.Go(f.accept)
			return f, nil
		}
	}
	return nil, fmt.Errorf("listen before a container: %w", err)
}

// addr is the address that stays the same.
func (f *front) addr() string { return f.listener.Addr().String() }

// lead says where the container is now.
func (f *front) lead(to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = to
}

// cut says that the container is nowhere: what is connected is reset.
func (f *front) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = ""
	for l := range f.links {
		l.reset()
	}
}

// close stops listening and waits until nothing is forwarded any more.
func (f *front) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.listener.Close()
	f.cut()
	f.running.Wait()
}

func (f *front) accept() {
	for {
		client, err := f.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, or the client has gone already
			time.Sleep(5 * time.Millisecond)
			continue
		}
		f.running.Go(func() { f.forward(&link{client: client.(*net.TCPConn)}) })
	}
}

// forward serves one connection.
func (f *front) forward(l *link) {
	to := f.enter(l)
	defer f.leave(l)
	if to == "" {
		return
	}
	server, err := (&net.Dialer{Timeout: frontDial}).Dial("tcp", to)
	if err != nil {
		return
	}
	if f.join(l, server.(*net.TCPConn)) {
		l.run()
	}
}

// enter registers a connection and gives where it leads.
func (f *front) enter(l *link) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ""
	}
	f.links[l] = struct{}{}
	return f.to
}

// join adds the container's side, unless the container has gone in the meantime.
func (f *front) join(l *link, server *net.TCPConn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l.server = server
	return !l.cut
}

// leave forgets a connection and closes it: with a reset, unless both sides have ended it properly.
func (f *front) leave(l *link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.links, l)
	if !l.ended {
		l.reset()
		return
	}
	l.client.Close()
	l.server.Close()
}

// link is a connection and what it is forwarded to. The front's lock is over its fields; the connections themselves
// may be closed while they are read.
type link struct {
	client, server *net.TCPConn
	cut            bool
	ended          bool // both sides have said that they send no more
}

func (l *link) reset() {
	l.cut = true
	for _, c := range []*net.TCPConn{l.client, l.server} {
		if c != nil {
			c.SetLinger(0) //nolint:errcheck // it is closed anyway
			c.Close()
		}
	}
}

// run forwards both ways until both have ended.
func (l *link) run() {
	back := make(chan bool)
	go func() { back <- pipe(l.client, l.server) }()
	there := pipe(l.server, l.client)
	if !<-back {
		there = false
	}
	l.ended = there
}

// pipe forwards what src sends, and its end, to dst; false where either has broken. Where src was reset so is dst. Where
// dst takes no more, what it has sent before must still arrive: then the other direction ends the connection.
func pipe(dst, src *net.TCPConn) bool {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return false
			}
		}
		switch {
		case err == io.EOF:
			return dst.CloseWrite() == nil
		case err != nil:
			dst.SetLinger(0) //nolint:errcheck // it is closed anyway
			dst.Close()
			return false
		}
	}
}
