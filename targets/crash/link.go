package crash

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// errCut says that a connection ends because of a point.
var errCut = errors.New("cut at a crash point")

// flight is a unit on its way, until its reply has come back.
type flight struct {
	unit  Unit
	armed *Armed // its reply is the point
	reply replyKind
}

// link is one connection of the target with the one to the database behind it.
type link struct {
	p      *Proxy
	id     int
	client net.Conn
	server net.Conn
	// The same without TLS: its closing could block, and a crash says no goodbye.
	rawClient, rawServer net.Conn

	gone     atomic.Bool  // the target's side is closed
	holds    atomic.Int32 // flights whose reply is the point
	answered atomic.Bool  // tcp: the database has spoken since the last step

	mu      sync.Mutex
	orphan  bool // the database's side stays open
	pending []flight
	settled chan struct{} // closed when the held reply has gone either way
}

func newLink(p *Proxy, client net.Conn, id int) *link {
	l := &link{p: p, id: id, client: client, rawClient: client}
	l.answered.Store(true)
	return l
}

// halves are the two directions of a connection, each run by a goroutine of its own.
type halves struct{ front, back func() error }

// run serves the connection until it ends.
func (l *link) run() {
	defer l.p.unlink(l)
	defer l.close(Cut)
	h, err := l.open()
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		h.front() //nolint:errcheck // either side may end it
		l.pass()  //nolint:errcheck // whether the database is told that the target died is decided at the point
		l.end()
	})
	h.back() //nolint:errcheck // as above
	l.abandon()
	l.end()
	wg.Wait()
	if l.orphaned() {
		io.Copy(io.Discard, l.server) //nolint:errcheck // until it is cut, or the database has enough of it
	}
}

// open gets the connection to the point where both sides talk to each other.
func (l *link) open() (halves, error) {
	switch l.p.options.Protocol {
	case Postgres:
		return l.openPostgres()
	case MySQL:
		return l.openMySQL()
	default:
		return l.openTCP()
	}
}

// connect dials the database.
func (l *link) connect() error {
	server, err := l.p.dial()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone.Load() {
		server.Close()
		return errCut
	}
	l.server, l.rawServer = server, server
	return nil
}

// close closes both sides, or the client's only; then the other stays open until it is cut.
func (l *link) close(then Then) {
	l.mu.Lock()
	l.orphan = then == Orphan && l.rawServer != nil
	l.mu.Unlock()
	l.end()
}

// end closes what must not outlive either direction.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone.Store(true)
	l.rawClient.Close()
	if l.rawServer != nil && !l.orphan {
		l.rawServer.Close()
	}
}

func (l *link) orphaned() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.orphan
}
