package crash

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestPostgresPoolWithNoise(t *testing.T) {
	t.Parallel()
	p, direct, through := realPostgres(t, Options{})
	schema, own := pgTable(t, direct)
	pool := openPool(t, through+"&search_path="+schema)
	ctx, cancel := context.WithCancel(t.Context())
	ended := noise(ctx, pool)
	defer func() { cancel(); <-ended }()
	require.NoError(t, pool.order(t.Context(), "warm"))
	idle := p.Record()
	soon(t, func() bool { _, err := own.Exec(ctx, "SELECT pg_sleep(0.3)"); return err == nil }, "idle traffic")
	seen := idle()
	require.NotEmpty(t, seen)
	for i := range 20 {
		points := targets.PlanPoints(labelLists(dryRuns(t, p, pool.order, 5, fmt.Sprintf("run%d-", i))), Labels(seen), true)
		assert.Equal(t, []targets.Point{
			pointAt("BEGIN", 1, targets.Before), pointAt("BEGIN", 1, targets.After), pointAt("INSERT INTO idem", 1, targets.After), pointAt("INSERT INTO orders", 1, targets.After),
			pointAt("UPDATE idem", 1, targets.After), pointAt("COMMIT", 1, targets.After)}, points)
	}
	for i, pt := range targets.PlanPoints(labelLists(dryRuns(t, p, pool.order, 5, "dry")), Labels(seen), true) {
		key := fmt.Sprintf("key%d", i)
		a := p.Arm(pt, Cut, nil)
		require.Error(t, pool.order(t.Context(), key))
		fired(t, a)
		want := 0
		if i == 5 {
			want = 1
		}
		// Nobody else writes: what waits for the table has seen the transaction that died rolled back.
		_, err := own.Exec(t.Context(), "BEGIN; LOCK TABLE orders; COMMIT")
		require.NoError(t, err)
		assert.Equal(t, want, count(t, own, key), pt)
	}
}

// pgPool hands out the connection that was idle longest, or another one if that is dead.
type pgPool struct {
	dsn  string
	free chan *pgx.Conn
}

// openPool opens a pool of eight.
func openPool(t *testing.T, dsn string) *pgPool {
	p := &pgPool{dsn: dsn, free: make(chan *pgx.Conn, 8)}
	for range cap(p.free) {
		conn, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		p.free <- conn
	}
	t.Cleanup(func() {
		for range cap(p.free) {
			(<-p.free).Close(context.WithoutCancel(t.Context())) //nolint:errcheck // it may be dead
		}
	})
	return p
}

// with uses a connection.
func (p *pgPool) with(ctx context.Context, use func(*pgx.Conn) error) error {
	conn := <-p.free
	defer func() { p.free <- conn }()
	if conn.Ping(ctx) != nil {
		fresh, err := pgx.Connect(ctx, p.dsn)
		if err != nil {
			return err
		}
		conn = fresh
	}
	return use(conn)
}

// order does one request over a connection of the pool.
func (p *pgPool) order(ctx context.Context, key string) error {
	return p.with(ctx, func(conn *pgx.Conn) error { return order(ctx, conn, key) })
}

// noise asks other things over the same pool.
func noise(ctx context.Context, pool *pgPool) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(4 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				pool.with(ctx, func(c *pgx.Conn) error { //nolint:errcheck // noise
					_, err := c.Exec(ctx, "SELECT 1")
					c.Exec(ctx, "SELECT count(*) FROM pg_class WHERE relname = $1", "x") //nolint:errcheck // noise
					return err
				})
			}
		}
	}()
	return ended
}
