package observe_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

var aged = targets.Vars{"seconds": "3600", "key": "k-1"}

// keysTable makes two keys that were stored at 10000 seconds.
func keysTable(t *testing.T, dsn, table string) {
	t.Helper()
	ddl := []targets.Statement{{Query: "drop table if exists " + table}, {Query: "create table " + table + " (k varchar(20), stored bigint)"},
		{Query: "insert into " + table + " values ('k-1', 10000), ('k-2', 10000)"}}
	_, err := observe.Execute(t.Context(), dsn, ddl, nil)
	require.NoError(t, err)
}

func TestExecuteMakesKeysOlder(t *testing.T) {
	t.Parallel()
	file, _ := tasks(t)
	for name, c := range map[string]struct{ dsn, first, second string }{
		"sqlite":   {"sqlite:" + file, "?", "?"},
		"postgres": {os.Getenv("IDEMCHECK_TEST_POSTGRES"), "$1", "$2"},
		"mysql":    {os.Getenv("IDEMCHECK_TEST_MYSQL"), "?", "?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.dsn == "" {
				t.Skip("no such database is given by IDEMCHECK_TEST_POSTGRES or IDEMCHECK_TEST_MYSQL")
			}
			keysTable(t, c.dsn, "observe_keys")
			n, err := observe.Execute(t.Context(), c.dsn, []targets.Statement{
				{Query: "update observe_keys set stored = stored - " + c.first + " where k = " + c.second, Args: targets.Strings{"{{seconds}}", "{{key}}"}},
			}, aged)
			require.NoError(t, err)
			assert.EqualValues(t, 1, n)
			for key, want := range map[string]string{"k-1": "6400", "k-2": "10000"} {
				got, err := observe.Value(t.Context(), targets.SQLQuery{DSN: c.dsn, Query: "select stored from observe_keys where k = " + c.first,
					Args: targets.Strings{key}}, nil)
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
			_, err = observe.Value(t.Context(), targets.SQLQuery{DSN: c.dsn, Query: "select stored from observe_keys"}, nil)
			assert.ErrorContains(t, err, "2 rows where one value is needed")
		})
	}
}

func TestExecuteIsOneTransaction(t *testing.T) {
	t.Parallel()
	file, _ := tasks(t)
	dsn := "sqlite:" + file
	_, err := observe.Execute(t.Context(), dsn, []targets.Statement{{Query: "delete from tasks"}, {Query: "delete from nothing"}}, nil)
	assert.ErrorContains(t, err, "change sqlite: ")
	assert.Equal(t, 2, asked(t, dsn, "select count(*) from tasks where note like '%' || ? || '%'", "{{marker}}").Count)
	for _, query := range []string{"delete from tasks; delete from tasks", "delete from tasks where id = ?"} {
		_, err = observe.Execute(t.Context(), dsn, []targets.Statement{{Query: query, Args: targets.Strings{"{{nobody}}"}}}, nil)
		assert.Error(t, err, query)
	}
	_, err = observe.Value(t.Context(), targets.SQLQuery{DSN: dsn, Query: "delete from tasks"}, nil)
	assert.ErrorContains(t, err, "must begin with select")
	_, err = observe.Execute(t.Context(), "oracle:x", nil, nil)
	assert.ErrorContains(t, err, "the dsn must begin with")
}

func TestRun(t *testing.T) {
	t.Parallel()
	run := func(role string, argv ...string) error {
		return observe.Run(t.Context(), targets.CommandCall{Argv: append(targets.Strings{os.Args[0]}, argv...)}, aged,
			observe.Deps{Environ: append(os.Environ(), play+"="+role)})
	}
	assert.NoError(t, run("print", "{{seconds}}"))
	assert.ErrorContains(t, run("fail", "by {{seconds}}"), "exit status 3: by 3600")
	assert.ErrorContains(t, run("print", "{{nobody}}"), "expand argument 1")
}
