package crash

import (
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// fakeDB is a server that speaks just enough of the PostgreSQL protocol, and notes what it is asked.
type fakeDB struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu    sync.Mutex
	asked []string
	conns []net.Conn
	ended int
}

// startFake starts a server that ends with the test.
func startFake(t testing.TB) *fakeDB {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fakeDB{listener: listener}
	f.wg.Go(f.accept)
	t.Cleanup(func() {
		listener.Close()
		f.mu.Lock()
		for _, c := range f.conns {
			c.Close()
		}
		f.mu.Unlock()
		f.wg.Wait()
	})
	return f
}

func (f *fakeDB) accept() {
	for {
		c, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.mu.Unlock()
		f.wg.Go(func() {
			f.serve(c)
			c.Close()
			f.mu.Lock()
			f.ended++
			f.mu.Unlock()
		})
	}
}

func (f *fakeDB) note(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, s)
}

// seen gives what was asked so far.
func (f *fakeDB) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.asked, " ")
}

// closedConns gives how many connections have ended.
func (f *fakeDB) closedConns() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

func (f *fakeDB) serve(c net.Conn) {
	b := pgproto3.NewBackend(c, c)
	first, err := b.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if _, ok := first.(*pgproto3.CancelRequest); ok {
		f.note("cancel")
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for b.Flush() == nil {
		m, err := b.Receive()
		if err != nil || !f.answer(b, m) {
			return
		}
	}
}

// answer answers one message; false: the connection ends.
func (f *fakeDB) answer(b *pgproto3.Backend, m pgproto3.FrontendMessage) bool {
	switch m := m.(type) {
	case *pgproto3.Query:
		f.note("Q(" + m.String + ")")
		return f.query(b, m.String)
	case *pgproto3.Parse:
		b.Send(&pgproto3.ParseComplete{})
	case *pgproto3.Bind:
		b.Send(&pgproto3.BindComplete{})
	case *pgproto3.Describe:
		b.Send(&pgproto3.NoData{})
	case *pgproto3.Execute:
		f.note("E")
		b.Send(&pgproto3.CommandComplete{CommandTag: []byte("INSERT 0 1")})
	case *pgproto3.Close:
		b.Send(&pgproto3.CloseComplete{})
	case *pgproto3.Sync:
		f.note("S")
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	case *pgproto3.Terminate:
		f.note("X")
		return false
	}
	return true
}

// query answers a simple query, whose text says how.
func (f *fakeDB) query(b *pgproto3.Backend, sql string) bool {
	switch {
	case sql == "die":
		b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P01", Message: "terminating"})
		b.Flush() //nolint:errcheck // a test
		return false
	case sql == "silence":
		return true
	case strings.HasPrefix(sql, "large"):
		row := make([]byte, 1<<20)
		for range 17 {
			b.Send(&pgproto3.DataRow{Values: [][]byte{row}})
			if b.Flush() != nil {
				return false
			}
		}
	case sql == "notify":
		b.Send(&pgproto3.NotificationResponse{Channel: "jobs"})
	}
	b.Send(&pgproto3.CommandComplete{CommandTag: []byte("OK")})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	return true
}

// fakeTarget is a connection of a target's, by hand.
type fakeTarget struct {
	t testing.TB
	*pgproto3.Frontend
	conn net.Conn
}

// dialTarget opens a connection through the proxy.
func dialTarget(t testing.TB, p *Proxy) *fakeTarget {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	x := &fakeTarget{t: t, Frontend: pgproto3.NewFrontend(c, c), conn: c}
	x.say(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "x"}})
	require.NoError(t, x.until("Z"))
	return x
}

// say sends messages in one go.
func (x *fakeTarget) say(messages ...pgproto3.FrontendMessage) {
	x.t.Helper()
	for _, m := range messages {
		x.Send(m)
	}
	require.NoError(x.t, x.Flush())
}

// until reads as many replies as there are letters.
func (x *fakeTarget) until(replies string) error {
	for range replies {
		for {
			m, err := x.Receive()
			if err != nil {
				return err
			}
			if _, ok := m.(*pgproto3.ReadyForQuery); ok {
				break
			}
		}
	}
	return nil
}

// query asks and waits for the answer.
func (x *fakeTarget) query(sql string) error {
	x.Send(&pgproto3.Query{String: sql})
	if err := x.Flush(); err != nil {
		return err
	}
	return x.until("Z")
}

// startProxy starts a proxy that ends with the test.
func startProxy(t testing.TB, o Options) *Proxy {
	t.Helper()
	p, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// before starts a proxy before the fake server.
func before(t testing.TB, f *fakeDB) *Proxy {
	t.Helper()
	return startProxy(t, Options{Upstream: f.listener.Addr().String(), Protocol: Postgres})
}

// labels gives the labels of a run.
func labels(run []Unit) string {
	var all []string
	for _, u := range run {
		all = append(all, u.Label)
	}
	return strings.Join(all, ", ")
}

// labelLists gives the labels of dry runs.
func labelLists(runs [][]Unit) [][]string {
	var out [][]string
	for _, r := range runs {
		out = append(out, Labels(r))
	}
	return out
}

func pointAt(label string, occurrence int, side targets.Side) targets.Point {
	return targets.Point{Label: label, Occurrence: occurrence, Side: side}
}
