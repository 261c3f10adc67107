package observe_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// tasks makes an SQLite file in WAL mode with the tasks D1 and D2 (m-1) and D3 (m-2), open for writing as a target
// would have it.
func tasks(t *testing.T) (file string, db *sql.DB) {
	t.Helper()
	name := "the ?database#%.db"
	if runtime.GOOS == "windows" {
		name = "the database.db"
	}
	file = filepath.Join(t.TempDir(), name)
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(file)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range []string{
		`pragma journal_mode = wal`,
		`create table tasks (id integer primary key, uuid text, note text, parent text, weight real, amount decimal(10,2))`,
		`insert into tasks values (11, 'D1', 'for m-1', 'E1', 1.5, 2), (12, 'D2', 'for m-1', null, 1.5, 3), (13, 'D3', 'for m-2', 'E3', 2.5, 4)`,
	} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
	return file, db
}

func asked(t *testing.T, dsn, query string, args ...string) targets.Reading {
	t.Helper()
	o := open(t, targets.Observer{Name: "tasks", SQL: &targets.SQLQuery{DSN: dsn, Query: query, Args: args}}, observe.Deps{})
	return o.Count(t.Context(), marked("m-1"))
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	file, _ := tasks(t)
	const where = ` from tasks where note like '%' || ? || '%'`
	for name, c := range map[string]struct {
		query string
		want  targets.Reading
	}{
		"count":           {"select count(*)" + where, targets.Reading{Count: 2}},
		"dollar":          {"select count(*) as n from tasks where note like '%' || $1 || '%';", targets.Reading{Count: 2}},
		"numbered":        {"select count(*) from tasks where note like '%' || ?1 || '%' -- ; the end", targets.Reading{Count: 2}},
		"sum":             {"select total(amount) / 5" + where, targets.Reading{Count: 1}},
		"ids":             {"select uuid" + where + " order by 1", targets.Reading{Count: 2, IDs: []string{"D1", "D2"}}},
		"one id":          {"select uuid" + where + " limit 1", targets.Reading{Count: 1, IDs: []string{"D1"}}},
		"integer id":      {"select id" + where + " limit 1", targets.Reading{Count: 1, IDs: []string{"11"}}},
		"cast":            {"select cast(id as text) as number" + where, targets.Reading{Count: 2, IDs: []string{"11", "12"}}},
		"id and ref":      {"select id, parent" + where, targets.Reading{Count: 2, IDs: []string{"11", "12"}, Refs: []string{"E1", ""}}},
		"none":            {"select id, parent" + where + " and 1 = 0", targets.Reading{IDs: []string{}, Refs: []string{}}},
		"with":            {"with t as (select uuid" + where + ") select uuid from t /* all */", targets.Reading{Count: 2, IDs: []string{"D1", "D2"}}},
		"weights are ids": {"select weight" + where + " limit 1", targets.Reading{Count: 1, IDs: []string{"1.5"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := asked(t, "sqlite:"+file, c.query, "{{marker}}")
			assert.Empty(t, got.Err)
			assert.Equal(t, c.want.Count, got.Count)
			assert.Equal(t, c.want.IDs, got.IDs)
			assert.Equal(t, c.want.Refs, got.Refs)
		})
	}
}

func TestSQLiteRefuses(t *testing.T) {
	t.Parallel()
	file, db := tasks(t)
	other := filepath.Join(t.TempDir(), "other.db")
	for name, c := range map[string]struct{ query, want string }{
		"delete":      {"with x as (select 1) delete from tasks", "not authorized"},
		"returning":   {"with x as (select 1) delete from tasks returning uuid", "not authorized"},
		"pragma":      {"select * from pragma_query_only", "not authorized"},
		"several":     {"select 1; delete from tasks", "several statements"},
		"attach":      {"select 1; attach '" + other + "' as o", "several statements"},
		"numbers":     {"select amount from tasks", "3 rows of whole numbers"},
		"null count":  {"select sum(id) from tasks where 1 = 0", "it is NULL and not a count"},
		"null id":     {"select nullif(uuid, 'D2') from tasks order by id", "row 2 has no id"},
		"negative":    {"select -1", "-1 is not a count"},
		"three":       {"select id, uuid, note from tasks", "it has 3 columns"},
		"no table":    {"select * from nothing", "query sqlite: "},
		"placeholder": {"select count(*) from tasks where note = ?", "query sqlite: "},
		"too many":    {"with recursive n(id) as (select 1 union all select id + 1 from n) select id from n", "more than 100000 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, asked(t, "sqlite:"+file, c.query).Err, c.want)
		})
	}
	t.Cleanup(func() {
		var n int
		assert.NoError(t, db.QueryRow("select count(*) from tasks").Scan(&n))
		assert.Equal(t, 3, n)
		assert.NoFileExists(t, other)
	})
}

func TestSQLiteIsNotCreated(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "missing.db")
	assert.Contains(t, asked(t, "sqlite:"+file, "select 1").Err, "unable to open")
	assert.NoFileExists(t, file)
}

// A reading must work while the target writes, and many at once.
func TestSQLiteWhileWriting(t *testing.T) {
	t.Parallel()
	file, db := tasks(t)
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("insert into tasks values (14, 'D4', 'for m-1', null, 0, 0)")
	require.NoError(t, err)
	o := open(t, targets.Observer{SQL: &targets.SQLQuery{DSN: "sqlite:" + file, Query: "select uuid from tasks where note like ?", Args: []string{"%{{marker}}"}}}, observe.Deps{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.Equal(t, 2, o.Count(t.Context(), marked("m-1")).Count) })
	}
	all.Wait()
	require.NoError(t, tx.Commit())
	assert.Equal(t, 3, o.Count(t.Context(), marked("m-1")).Count)
}

func TestSQLStopsWithTheContext(t *testing.T) {
	t.Parallel()
	file, _ := tasks(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := open(t, targets.Observer{SQL: &targets.SQLQuery{DSN: "sqlite:" + file, Query: "select 1"}}, observe.Deps{})
	assert.Contains(t, o.Count(ctx, marked("m")).Err, "context canceled")
}

func TestSQLOpenFindsMistakes(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]targets.SQLQuery{
		"the query is missing":          {DSN: "sqlite:x"},
		"{{marker}} under args":         {DSN: "sqlite:x", Query: "select count(*) from t where n = '{{marker}}'"},
		"must begin with select":        {DSN: "sqlite:x", Query: "/* select */ drop table t"},
		"the dsn must begin with":       {DSN: "oracle://x", Query: "select 1"},
		"must name a file":              {DSN: "sqlite:", Query: "select 1"},
		"a database in memory":          {DSN: "sqlite::memory:", Query: "select 1"},
		"the dsn is not a valid URL":    {DSN: "postgres://u:s3cret%@h/d", Query: "select 1"},
		"postgres dsn is not valid":     {DSN: "postgres://u:s3cret@h/d?sslmode=s3cret", Query: "select 1"},
		"parameters of the mysql dsn":   {DSN: "mysql://u:s3cret@h/d?timeout=s3cret", Query: "select 1"},
		"must look like mysql://user":   {DSN: "mysql:u:s3cret@h", Query: "select 1"},
		"parameters of the mysql dsn a": {DSN: "mysql://u:s3cret@h/d?a;b=s3cret", Query: "select 1"},
	} {
		_, err := observe.Open(t.Context(), targets.Observer{SQL: &q}, observe.Deps{})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestSQLArguments(t *testing.T) {
	t.Parallel()
	assert.Contains(t, asked(t, "sqlite:x", "select ?", "{{nobody}}").Err, "expand argument 1")
}

// A password must not show, wherever the driver puts it.
func TestSQLHidesThePassword(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://u:s3%2Fcret@127.0.0.1:1/d?sslmode=disable", "mysql://u:s3%2Fcret@127.0.0.1:1/d"} {
		got := asked(t, dsn, "select 1")
		assert.NotEmpty(t, got.Err)
		assert.NotContains(t, got.Err, "s3/cret")
		assert.NotContains(t, got.Err, "s3%2Fcret")
	}
}

// server describes what the two servers of the integration tests have in common.
type server struct {
	variable string
	create   []string
	cases    map[string]struct {
		query string
		want  targets.Reading
	}
	refused map[string]string // query: part of the error
}

// run tests against a real server where the environment names one, and in a table of its own.
func (s server) run(t *testing.T, exec func(ctx context.Context, dsn string, statements []string) error) {
	t.Helper()
	dsn := os.Getenv(s.variable)
	if dsn == "" {
		t.Skipf("%s is not set to the DSN of a server", s.variable)
	}
	require.NoError(t, exec(t.Context(), dsn, s.create))
	for name, c := range s.cases {
		t.Run(name, func(t *testing.T) {
			got := asked(t, dsn, c.query, "{{marker}}")
			assert.Empty(t, got.Err)
			assert.Equal(t, c.want.Count, got.Count)
			assert.Equal(t, c.want.IDs, got.IDs)
			assert.Equal(t, c.want.Refs, got.Refs)
		})
	}
	for query, want := range s.refused {
		t.Run(query, func(t *testing.T) { assert.Contains(t, asked(t, dsn, query).Err, want) })
	}
	t.Run("nothing was changed", func(t *testing.T) {
		assert.Equal(t, 3, asked(t, dsn, "select count(*) from observe_tasks").Count)
	})
	t.Run("wrong password", func(t *testing.T) {
		got := asked(t, strings.Replace(dsn, "@", "-s3cret@", 1), "select 1")
		assert.NotEmpty(t, got.Err)
		assert.NotContains(t, got.Err, "s3cret")
	})
}
