package crash

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxLinks      = 1024             // connections of the target at one time
	maxUnits      = 100_000          // units kept by one recording
	maxHeld       = 16 << 20         // bytes of a reply that are held back
	maxPending    = 1 << 16          // units of one connection that wait for their replies
	startUpWithin = 30 * time.Second // a connection must have said what it wants
	dialWithin    = 10 * time.Second
)

// Proxy stands between a target and its database.
type Proxy struct {
	options  Options
	listener net.Listener
	ctx      context.Context // ends with the proxy
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	ca       func() (*authority, error)
	refusing atomic.Bool
	refused  atomic.Int64
	gate     atomic.Pointer[gate] // closed while a point is being dealt with

	mu        sync.Mutex
	closed    bool
	links     map[*link]struct{}
	conns     int
	recorders map[*recorder]struct{}
	watches   map[*watch]struct{}
	armed     *Armed
}

// Start listens. The proxy ends with the context, or with Close.
func Start(ctx context.Context, o Options) (*Proxy, error) {
	if o.Upstream == "" {
		return nil, errors.New("start the crash proxy: no database to stand before")
	}
	if o.Protocol != Postgres && o.Protocol != MySQL && o.Protocol != TCP {
		return nil, fmt.Errorf("start the crash proxy: protocol %q is none of postgres, mysql, tcp", o.Protocol)
	}
	if o.TLSUpstream != nil && o.Protocol != Postgres {
		return nil, errors.New("start the crash proxy: TLS to the database is possible for postgres only")
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("start the crash proxy: %w", err)
	}
	p := &Proxy{options: o, listener: listener, ca: sync.OnceValues(newAuthority), links: map[*link]struct{}{},
		recorders: map[*recorder]struct{}{}, watches: map[*watch]struct{}{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	context.AfterFunc(p.ctx, p.shut)
	p.wg.Go(p.accept)
	return p, nil
}

// Addr is where the target must look for its database.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// CA gives the certificate, in PEM, with which the proxy's own can be verified.
func (p *Proxy) CA() ([]byte, error) {
	ca, err := p.ca()
	if err != nil {
		return nil, fmt.Errorf("make the proxy's certificate: %w", err)
	}
	return ca.pem, nil
}

// Drop closes all connections of the target, and those that a host crash has left open on the database's side.
func (p *Proxy) Drop() { p.cut(Cut) }

// Refuse says whether the database seems to be down: then connections are cut, new ones at once. It gives the number of
// new connections that were refused since the last call.
func (p *Proxy) Refuse(refuse bool) (refused int) {
	p.refusing.Store(refuse)
	if refuse {
		p.Drop()
	}
	return int(p.refused.Swap(0))
}

// Close ends the proxy and all connections, and waits until nothing of it runs any more; that is also until a function
// that was called at a point has returned. It may be called twice.
func (p *Proxy) Close() error {
	p.cancel()
	p.shut()
	p.wg.Wait()
	return nil
}

// shut closes everything without waiting.
func (p *Proxy) shut() {
	p.mu.Lock()
	p.closed = true
	armed := p.armed
	p.mu.Unlock()
	p.listener.Close()
	if armed != nil {
		armed.end(ErrClosed)
	}
	p.Drop()
}

// accept takes connections until the proxy is closed.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, or the client has gone already
			select {
			case <-time.After(5 * time.Millisecond):
				continue
			case <-p.ctx.Done():
				return
			}
		}
		if l := p.link(client); l != nil {
			p.wg.Go(l.run)
		} else {
			refuse(client)
		}
	}
}

// link registers a connection; nil: it is not wanted.
func (p *Proxy) link(client net.Conn) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusing.Load() {
		p.refused.Add(1)
	}
	if p.closed || p.refusing.Load() || len(p.links) >= maxLinks {
		return nil
	}
	p.conns++
	l := newLink(p, client, p.conns)
	p.links[l] = struct{}{}
	return l
}

// unlink forgets a connection that has ended.
func (p *Proxy) unlink(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// cut closes what is open now.
func (p *Proxy) cut(then Then) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close(then)
	}
}

// dial connects to the database.
func (p *Proxy) dial() (net.Conn, error) {
	network := "tcp"
	if strings.HasPrefix(p.options.Upstream, "/") {
		network = "unix"
	}
	ctx, cancel := context.WithTimeout(p.ctx, dialWithin)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, network, p.options.Upstream)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return conn, nil
}

// refuse resets a connection: as near as one comes to nobody listening while the port stays one's own.
func refuse(client net.Conn) {
	if tcp, ok := client.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // it is closed anyway
	}
	client.Close()
}
