package crash

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// realPostgres gives the DSN of a real server, and one that goes through a proxy.
func realPostgres(t testing.TB, o Options, params ...string) (p *Proxy, direct, through string) {
	t.Helper()
	direct = os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if direct == "" {
		t.Skip("IDEMCHECK_TEST_POSTGRES is not set")
	}
	u, err := url.Parse(direct)
	require.NoError(t, err)
	o.Upstream, o.Protocol = u.Host, Postgres
	p = startProxy(t, o)
	u.Host = p.Addr()
	q := u.Query()
	for _, param := range params {
		name, value, _ := strings.Cut(param, "=")
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return p, direct, u.String()
}

// pgTable makes the tables of a small shop of its own, and gives their schema and a connection straight to the server.
func pgTable(t testing.TB, direct string) (schema string, conn *pgx.Conn) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), direct)
	require.NoError(t, err)
	schema = fmt.Sprintf("crash_%d", time.Now().UnixNano())
	_, err = conn.Exec(t.Context(), "CREATE SCHEMA "+schema+"; CREATE TABLE "+schema+".orders (id text); CREATE TABLE "+
		schema+".idem (key text PRIMARY KEY, done bool); SET search_path = "+schema)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		_, err := conn.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
		assert.NoError(t, err)
		conn.Close(ctx)
	})
	return schema, conn
}

// order does one request in one transaction.
func order(ctx context.Context, db *pgx.Conn, key string) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // it may be committed
	for _, sql := range []string{
		"INSERT INTO idem (key, done) SELECT $1, false",
		"/* the order */ INSERT INTO orders (id) VALUES ($1)",
		"UPDATE idem SET done = true WHERE key = $1",
	} {
		if _, err := tx.Exec(ctx, sql, key); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

const orderUnits = "BEGIN, INSERT INTO idem, INSERT INTO orders, UPDATE idem, COMMIT"

// count counts over a connection of its own until no transaction of the proxy's is left.
func count(t testing.TB, conn *pgx.Conn, key string) (n int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM orders WHERE id = $1", key).Scan(&n))
	return n
}

// rolledBack waits until no other session of the schema's is in a transaction.
func rolledBack(t testing.TB, conn *pgx.Conn, name string) {
	t.Helper()
	soon(t, func() bool {
		var n int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name).Scan(&n)
		return err == nil && n == 0
	}, "the sessions have ended")
}

// dryRuns records requests.
func dryRuns(t testing.TB, p *Proxy, order func(context.Context, string) error, n int, prefix string) [][]Unit {
	t.Helper()
	var runs [][]Unit
	for i := range n {
		stop := p.Record()
		require.NoError(t, order(t.Context(), fmt.Sprintf("%s%d", prefix, i)))
		runs = append(runs, stop())
	}
	return runs
}

func TestPostgresModes(t *testing.T) {
	t.Parallel()
	for _, params := range [][]string{
		{"default_query_exec_mode=cache_statement"},
		{"default_query_exec_mode=cache_describe"},
		{"default_query_exec_mode=describe_exec"},
		{"default_query_exec_mode=exec"},
		{"default_query_exec_mode=simple_protocol"},
		{"sslmode=require"},
		{"sslmode=prefer"},
	} {
		t.Run(params[0], func(t *testing.T) {
			t.Parallel()
			p, direct, through := realPostgres(t, Options{}, params...)
			schema, own := pgTable(t, direct)
			through += "&search_path=" + schema + "&application_name=" + schema
			conn, err := pgx.Connect(t.Context(), through)
			require.NoError(t, err)
			defer conn.Close(t.Context())
			assert.Equal(t, params[0] == "sslmode=require" || params[0] == "sslmode=prefer", isTLS(conn))
			require.NoError(t, order(t.Context(), conn, "warm"))
			runs := dryRuns(t, p, func(ctx context.Context, key string) error { return order(ctx, conn, key) }, 3, "dry")
			got := strings.ReplaceAll(labels(runs[2]), "prepare INSERT INTO idem, INSERT", "INSERT")
			got = strings.ReplaceAll(got, "prepare INSERT INTO orders, INSERT", "INSERT")
			assert.Equal(t, orderUnits, strings.ReplaceAll(got, "prepare UPDATE idem, UPDATE", "UPDATE"))
			sweep(t, p, targets.PlanPoints(labelLists(runs), nil, false), through, own, schema)
		})
	}
}

// sweep dies at each point, and looks at what the database has then.
func sweep(t *testing.T, p *Proxy, points []targets.Point, through string, own *pgx.Conn, name string) {
	require.GreaterOrEqual(t, len(points), 10)
	for i, pt := range points {
		key := fmt.Sprintf("key%d", i)
		conn, err := pgx.Connect(t.Context(), through)
		require.NoError(t, err)
		require.NoError(t, order(t.Context(), conn, key+"warm"))
		a := p.Arm(pt, Cut, nil)
		require.Error(t, order(t.Context(), conn, key), pt)
		fired(t, a)
		conn.Close(t.Context())
		rolledBack(t, own, name)
		want := 0
		if pt.Label == "COMMIT" && pt.Side == targets.After {
			want = 1
		}
		assert.Equal(t, want, count(t, own, key), pt)
	}
}

func TestPostgresHostCrash(t *testing.T) {
	t.Parallel()
	p, direct, through := realPostgres(t, Options{})
	name, own := pgTable(t, direct)
	conn, err := pgx.Connect(t.Context(), through+"&application_name="+name+"&search_path="+name)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	a := p.Arm(pointAt("COMMIT", 1, targets.Before), Orphan, nil)
	require.Error(t, order(t.Context(), conn, "key"))
	fired(t, a)
	_, err = own.Exec(t.Context(), "SET lock_timeout = '50ms'; INSERT INTO idem VALUES ('key')")
	require.ErrorContains(t, err, "55P03", "the dead transaction has its lock still")
	p.Drop()
	rolledBack(t, own, name)
	_, err = own.Exec(t.Context(), "INSERT INTO idem VALUES ('key')")
	require.NoError(t, err)
}

func isTLS(conn *pgx.Conn) bool {
	_, plain := conn.PgConn().Conn().(interface{ CloseWrite() error })
	_, secure := conn.PgConn().Conn().(interface{ OCSPResponse() []byte })
	return plain && secure
}

func TestPostgresCancel(t *testing.T) {
	t.Parallel()
	p, direct, through := realPostgres(t, Options{})
	name, own := pgTable(t, direct)
	conn, err := pgx.Connect(t.Context(), through+"&application_name="+name)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	stop := p.Record()
	cancelled := make(chan error, 1)
	go func() {
		for ctx, n := t.Context(), 0; n == 0 && ctx.Err() == nil; {
			own.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'", name).Scan(&n) //nolint:errcheck // asked again
		}
		cancelled <- conn.PgConn().CancelRequest(t.Context())
	}()
	_, err = conn.Exec(t.Context(), "SELECT pg_sleep(20)")
	require.ErrorContains(t, err, "57014")
	require.NoError(t, <-cancelled)
	assert.Contains(t, labels(stop()), "SELECT pg_sleep")
}

// busy says whether a unit waits for its reply.
func busy(p *Proxy) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if label, waits := l.waitsFor(nil); waits {
			return label, true
		}
	}
	return "", false
}

func TestPostgresCopyListenAndLarge(t *testing.T) {
	t.Parallel()
	p, direct, through := realPostgres(t, Options{})
	schema, own := pgTable(t, direct)
	through += "&search_path=" + schema
	conn, err := pgx.Connect(t.Context(), through)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	stop := p.Record()
	rows := pgx.CopyFromSlice(50_000, func(int) ([]any, error) { return []any{"copied"}, nil })
	_, err = conn.CopyFrom(t.Context(), pgx.Identifier{"orders"}, []string{"id"}, rows)
	require.NoError(t, err)
	assert.Equal(t, 50_000, count(t, own, "copied"))
	_, err = conn.PgConn().CopyTo(t.Context(), discard{}, "COPY orders TO STDOUT")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "LISTEN jobs")
	require.NoError(t, err)
	_, err = own.Exec(t.Context(), "NOTIFY jobs")
	require.NoError(t, err)
	_, err = conn.WaitForNotification(t.Context())
	require.NoError(t, err)
	large := strings.Repeat("x", 3<<20)
	_, err = conn.Exec(t.Context(), "INSERT INTO orders VALUES ($1)", large)
	require.NoError(t, err)
	var back string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT id FROM orders WHERE id = $1", large).Scan(&back))
	assert.Equal(t, len(large), len(back))
	for _, label := range []string{"COPY orders", "LISTEN jobs", "INSERT INTO orders", "SELECT FROM orders"} {
		assert.Contains(t, labels(stop()), label)
	}
	for want, side := range map[int]targets.Side{0: targets.Before, 1: targets.After} {
		c, err := pgx.Connect(t.Context(), through)
		require.NoError(t, err)
		a := p.Arm(pointAt("COPY orders", 1, side), Cut, nil)
		rows := pgx.CopyFromRows([][]any{{string(side)}})
		_, err = c.CopyFrom(t.Context(), pgx.Identifier{"orders"}, []string{"id"}, rows)
		require.Error(t, err)
		fired(t, a)
		soon(t, func() bool { return count(t, own, string(side)) == want }, "the rows")
	}
}

// discard takes anything.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func TestPostgresBatch(t *testing.T) {
	t.Parallel()
	p, direct, through := realPostgres(t, Options{})
	schema, own := pgTable(t, direct)
	conn, err := pgx.Connect(t.Context(), through+"&search_path="+schema)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	send := func() error {
		b := &pgx.Batch{}
		for range 200 {
			b.Queue("INSERT INTO orders VALUES ($1)", "batch")
		}
		b.Queue("UPDATE idem SET done = true")
		return conn.SendBatch(t.Context(), b).Close()
	}
	require.NoError(t, send())
	stop := p.Record()
	require.NoError(t, send())
	run := stop()
	assert.Equal(t, "INSERT INTO orders ×200; UPDATE idem", labels(run))
	a := p.Arm(targets.PlanPoints([][]string{Labels(run)}, nil, true)[0], Cut, nil)
	require.Error(t, send())
	fired(t, a)
	assert.Equal(t, 400, count(t, own, "batch"))
}
