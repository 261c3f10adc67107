package crash

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// patience bounds what must happen.
const patience = 10 * time.Second

// soon waits until something is so.
func soon(t testing.TB, so func() bool, words string) {
	t.Helper()
	require.Eventually(t, so, patience, time.Millisecond, words)
}

// fired waits until a point has fired, and gives its unit.
func fired(t testing.TB, a *Armed) Unit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	u, err := a.Wait(ctx)
	require.NoError(t, err)
	assert.True(t, a.Fired())
	return u
}

func insert(name string) []pgproto3.FrontendMessage {
	return []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: name}, &pgproto3.Execute{}, &pgproto3.Sync{}}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := startProxy(t, Options{Upstream: f.listener.Addr().String(), Protocol: Postgres, Now: func() time.Time { return at }})
	x, y := dialTarget(t, p), dialTarget(t, p)
	require.NoError(t, x.query("SELECT not_seen()"))
	stop := p.Record()
	x.say(&pgproto3.Parse{Name: "a", Query: "INSERT INTO orders VALUES ($1)"}, &pgproto3.Describe{ObjectType: 'S', Name: "a"}, &pgproto3.Sync{})
	require.NoError(t, x.until("Z"))
	require.NoError(t, x.query("BEGIN"))
	x.say(insert("a")...)
	require.NoError(t, x.until("Z"))
	x.say(append(append(insert("a")[:2], insert("a")[:2]...), &pgproto3.Sync{})...)
	require.NoError(t, x.until("Z"))
	x.say(&pgproto3.Close{ObjectType: 'S', Name: "a"}, &pgproto3.Sync{}, &pgproto3.Sync{})
	require.NoError(t, x.until("ZZ"))
	require.NoError(t, y.query("PREPARE b AS UPDATE stock SET n = 1"))
	require.NoError(t, y.query("EXECUTE b"))
	require.NoError(t, y.query("DEALLOCATE b"))
	require.NoError(t, y.query("EXECUTE b; COMMIT"))
	run := stop()
	assert.Equal(t, "prepare INSERT INTO orders, BEGIN, INSERT INTO orders, INSERT INTO orders ×2, close, sync, "+
		"prepare UPDATE stock, UPDATE stock, DEALLOCATE, statement; COMMIT", labels(run))
	assert.Equal(t, Unit{Label: "BEGIN", At: at, Conn: 1}, run[1])
	assert.Equal(t, 2, run[6].Conn)
	require.NoError(t, x.query("BEGIN"))
	assert.Len(t, stop(), len(run))
}

func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		point, asked string
	}{
		{"BEGIN#1:before", ""},
		{"BEGIN#1:after", "Q(BEGIN)"},
		{"INSERT INTO a#1:before", "Q(BEGIN)"},
		{"INSERT INTO a#1:after", "Q(BEGIN) E S"},
		{"INSERT INTO a#2:before", "Q(BEGIN) E S"},
		{"INSERT INTO a#2:after", "Q(BEGIN) E S E S"},
		{"COMMIT#1:before", "Q(BEGIN) E S E S"},
		{"COMMIT#1:after", "Q(BEGIN) E S E S Q(COMMIT)"},
	} {
		t.Run(row.point, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			p := before(t, f)
			x, other := dialTarget(t, p), dialTarget(t, p)
			pt, err := targets.ParsePoint(row.point)
			require.NoError(t, err)
			calls, asked := 0, ""
			a := p.Arm(pt, Cut, func() { calls++; asked = f.seen() })
			assert.False(t, a.Fired())
			err = pay(x)
			require.Error(t, err)
			u := fired(t, a)
			assert.Equal(t, pt.Label, u.Label)
			assert.Equal(t, row.asked, asked)
			assert.Equal(t, 1, calls)
			require.Error(t, other.until("Z"), "all of the target's connections are cut")
			soon(t, func() bool { return f.closedConns() == 2 }, "the database is told")
			assert.Equal(t, row.asked, f.seen())
			require.NoError(t, pay(dialTarget(t, p)), "it fires once")
		})
	}
}

// pay does a transaction.
func pay(x *fakeTarget) error {
	if err := x.query("BEGIN"); err != nil {
		return err
	}
	for range 2 {
		x.Send(&pgproto3.Parse{Query: "INSERT INTO a VALUES (1)"})
		for _, m := range insert("") {
			x.Send(m)
		}
		if err := x.Flush(); err != nil {
			return err
		}
		if err := x.until("Z"); err != nil {
			return err
		}
	}
	return x.query("COMMIT")
}

func TestEverythingStandsStillAtAPoint(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x, other := dialTarget(t, p), dialTarget(t, p)
	reached, killed := make(chan struct{}), make(chan struct{})
	a := p.Arm(pointAt("BEGIN", 1, targets.After), Cut, func() { close(reached); <-killed })
	x.say(&pgproto3.Query{String: "BEGIN"})
	<-reached
	assert.False(t, a.Fired(), "not before everything is done")
	other.say(&pgproto3.Query{String: "UPDATE a"})
	require.NoError(t, other.conn.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := other.conn.Read(make([]byte, 1))
	assert.ErrorContains(t, err, "timeout", "its connection is still there")
	close(killed)
	fired(t, a)
	soon(t, func() bool { return f.closedConns() == 2 }, "cut")
	assert.Equal(t, "Q(BEGIN)", f.seen())
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, side := range []targets.Side{targets.Before, targets.After} {
		f := startFake(t)
		p := before(t, f)
		x := dialTarget(t, p)
		asked := "-"
		a := p.Arm(pointAt("INSERT INTO a", 2, side), Resume, func() { asked = f.seen() })
		require.NoError(t, pay(x))
		fired(t, a)
		assert.Equal(t, map[targets.Side]string{targets.Before: "Q(BEGIN) E S", targets.After: "Q(BEGIN) E S E S"}[side], asked)
		assert.Equal(t, "Q(BEGIN) E S E S Q(COMMIT)", f.seen())
		assert.Zero(t, f.closedConns())
	}
}

func TestOrphan(t *testing.T) {
	t.Parallel()
	for _, side := range []targets.Side{targets.Before, targets.After} {
		f := startFake(t)
		p := before(t, f)
		x, idle := dialTarget(t, p), dialTarget(t, p)
		a := p.Arm(pointAt("COMMIT", 1, side), Orphan, func() {
			x.conn.Close()
			idle.conn.Close()
			assert.Never(t, func() bool { return f.closedConns() > 0 }, 20*time.Millisecond, time.Millisecond, "not told by the kill")
		})
		require.Error(t, pay(x))
		fired(t, a)
		require.NoError(t, pay(dialTarget(t, p)))
		assert.Zero(t, f.closedConns(), "the database is not told")
		p.Drop()
		soon(t, func() bool { return f.closedConns() == 3 }, "until then")
	}
}

func TestPipelinedUnitsWaitBehindTheHeldOne(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	a := p.Arm(pointAt("UPDATE a", 1, targets.After), Cut, nil)
	x.say(&pgproto3.Query{String: "BEGIN"}, &pgproto3.Query{String: "UPDATE a"}, &pgproto3.Query{String: "COMMIT"})
	require.NoError(t, x.until("Z"))
	require.Error(t, x.until("Z"))
	fired(t, a)
	soon(t, func() bool { return f.closedConns() == 1 }, "cut")
	assert.Equal(t, "Q(BEGIN) Q(UPDATE a)", f.seen())
}

func TestFlushIsPassedOn(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	x.say(&pgproto3.Parse{Query: "INSERT INTO a VALUES (1)"}, &pgproto3.Flush{})
	m, err := x.Receive()
	require.NoError(t, err)
	assert.IsType(t, &pgproto3.ParseComplete{}, m)
	a := p.Arm(pointAt("INSERT INTO a", 1, targets.Before), Cut, nil)
	x.say(insert("")...)
	require.Error(t, x.until("Z"))
	fired(t, a)
	assert.NotContains(t, f.seen(), "S")
}

func TestNotificationsAreNotHeld(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	killed := make(chan struct{})
	a := p.Arm(pointAt("NOTIFY", 1, targets.After), Resume, func() { <-killed })
	close(killed)
	x.say(&pgproto3.Query{String: "notify"})
	m, err := x.Receive()
	require.NoError(t, err)
	assert.IsType(t, &pgproto3.NotificationResponse{}, m)
	require.NoError(t, x.until("Z"))
	fired(t, a)
}

func TestQuiesce(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x, y := dialTarget(t, p), dialTarget(t, p)
	require.NoError(t, p.Quiesce(t.Context(), time.Millisecond, nil))

	x.say(&pgproto3.Query{String: "silence"}) // its reply never comes
	soon(t, func() bool { return f.seen() == "Q(silence)" }, "it is on its way")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := p.Quiesce(ctx, 2*time.Millisecond, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, `"SILENCE"`)

	ended := make(chan struct{})
	require.NoError(t, y.query("heartbeat"))
	go func() {
		defer close(ended)
		for began := time.Now(); time.Since(began) < 300*time.Millisecond; {
			if y.query("heartbeat") != nil {
				return
			}
		}
	}()
	ignore := map[string]bool{"SILENCE": true, "HEARTBEAT": true}
	require.NoError(t, p.Quiesce(t.Context(), time.Millisecond, ignore))
	delete(ignore, "HEARTBEAT")
	require.NoError(t, p.Quiesce(t.Context(), 200*time.Millisecond, ignore))
	select {
	case <-ended:
	default:
		t.Error("it was not quiet yet")
	}
}

func TestNothingIsLeft(t *testing.T) { // not parallel: it looks at all goroutines
	f := startFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, end := range []func(p *Proxy){func(p *Proxy) { assert.NoError(t, p.Close()) }, func(*Proxy) { cancel() }} {
		p, err := Start(ctx, Options{Upstream: f.listener.Addr().String(), Protocol: Postgres})
		require.NoError(t, err)
		x := dialTarget(t, p)
		dialTarget(t, p)
		p.Arm(pointAt("COMMIT", 1, targets.After), Orphan, nil)
		require.Error(t, pay(x))
		p.Arm(pointAt("SILENCE", 1, targets.After), Cut, nil)
		dialTarget(t, p).say(&pgproto3.Query{String: "silence"}, &pgproto3.Query{String: "BEGIN"})
		end(p)
		soon(t, func() bool {
			stacks := make([]byte, 1<<20)
			return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "crash.(*Proxy)")
		}, "its goroutines have ended")
	}
}
