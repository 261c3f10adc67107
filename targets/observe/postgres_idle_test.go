package observe_test

import (
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// TestPostgresKeepsAConnectionForAMoment: readings that follow each other share one, a dead one is replaced within the
// reading, and none is there for long.
func TestPostgresKeepsAConnectionForAMoment(t *testing.T) {
	t.Parallel()
	dsn := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("IDEMCHECK_TEST_POSTGRES is not set: no PostgreSQL to count in (.ci/databases starts one)")
	}
	db, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer db.Close(t.Context())
	o, err := observe.Open(t.Context(), targets.Observer{Name: "pids", SQL: &targets.SQLQuery{DSN: dsn, Query: "select pg_backend_pid() as id"}}, observe.Deps{})
	require.NoError(t, err)
	pid := func() string {
		r := o.Count(t.Context(), observe.Query{})
		require.Empty(t, r.Err)
		return r.IDs[0]
	}
	first := pid()
	if second := pid(); second != first {
		t.Log("the machine is so busy that the first one was closed already")
		first = second
	}
	_, err = db.Exec(t.Context(), "select pg_terminate_backend($1::text::int)", first)
	require.NoError(t, err)
	last := pid()
	assert.NotEqual(t, first, last)
	gone := func() bool {
		n := 0
		err := db.QueryRow(t.Context(), "select count(*) from pg_stat_activity where pid = $1::text::int", last).Scan(&n)
		return assert.NoError(t, err) && n == 0
	}
	assert.Eventually(t, gone, 20*time.Second, 10*time.Millisecond, "it is closed by itself")
	pid()
	require.NoError(t, o.Close())
	require.NoError(t, o.Close())
}
