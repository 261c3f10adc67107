package observe_test

import (
	"context"
	"database/sql"
	"net/url"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/idempotency-conformance/idemcheck/targets"
)

type sqlCase = struct {
	query string
	want  targets.Reading
}

func TestPostgres(t *testing.T) {
	const where = ` from observe_tasks where note like '%' || $1 || '%'`
	const one, two = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
	server{
		variable: "IDEMCHECK_TEST_POSTGRES",
		create: []string{
			`drop table if exists observe_tasks`,
			`create table observe_tasks (id bigint primary key, uuid uuid, note text, parent text, amount numeric, at timestamptz, raw bytea)`,
			`insert into observe_tasks values (11, '` + one + `', 'for m-1', 'E1', 2, '2026-01-02 03:04:05Z', '\xff'),
				(12, '` + two + `', 'for m-1', null, 3, null, null), (13, null, 'for m-2', 'E3', 4.5, null, null)`,
		},
		cases: map[string]sqlCase{
			"count":      {"select count(*)" + where, targets.Reading{Count: 2}},
			"sum":        {"select sum(amount) / 5" + where, targets.Reading{Count: 1}},
			"uuid":       {"select uuid" + where + " order by id", targets.Reading{Count: 2, IDs: []string{one, two}}},
			"integer id": {"select id" + where + " order by id limit 1", targets.Reading{Count: 1, IDs: []string{"11"}}},
			"id and ref": {"select id, parent" + where + " order by id", targets.Reading{Count: 2, IDs: []string{"11", "12"}, Refs: []string{"E1", ""}}},
			"none":       {"select id, parent" + where + " and false", targets.Reading{IDs: []string{}, Refs: []string{}}},
			"bytes":      {"select raw, at::date" + where + " and raw is not null", targets.Reading{Count: 1, IDs: []string{`\xff`}, Refs: []string{"2026-01-02"}}},
			"cast":       {"select count(*) from observe_tasks where id = length($1) + 8", targets.Reading{Count: 1}},
			"values":     {"values (length($1))", targets.Reading{Count: 3}},
		},
		refused: map[string]string{
			"with x as (select 1) delete from observe_tasks":                      "read-only transaction",
			"with d as (delete from observe_tasks returning id) select id from d": "read-only transaction",
			"select 1; delete from observe_tasks":                                 "multiple commands",
			"select nextval('nothing')":                                           "does not exist",
			"select sum(id) from observe_tasks where false":                       "it is NULL and not a count",
			"select amount from observe_tasks where id < 13":                      "2 rows of whole numbers",
			"select uuid from observe_tasks":                                      "has no id in column",
			"select id, uuid, note from observe_tasks":                            "it has 3 columns",
			"select generate_series(1, 100001) as id":                             "more than 100000 rows",
			"select count(*) from observe_tasks where note like $1":               "query postgres: ",
		},
	}.run(t, func(ctx context.Context, dsn string, statements []string) error {
		c, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close(ctx) }()
		for _, s := range statements {
			if _, err := c.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestMySQL(t *testing.T) {
	const where = ` from observe_tasks where note like concat('%', ?, '%')`
	server{
		variable: "IDEMCHECK_TEST_MYSQL",
		create: []string{
			`drop table if exists observe_tasks`,
			`create table observe_tasks (id bigint unsigned primary key, uuid binary(16), note text, parent varchar(20), amount decimal(10,2), at datetime)`,
			`insert into observe_tasks values (11, unhex('ff000000000000000000000000000001'), 'for m-1', 'E1', 2, '2026-01-02 03:04:05'),
				(12, unhex('ff000000000000000000000000000002'), 'for m-1', null, 3, null), (13, null, 'for m-2', 'E3', 4.5, null)`,
		},
		cases: map[string]sqlCase{
			"count":      {"select count(*)" + where, targets.Reading{Count: 2}},
			"sum":        {"select sum(amount) / 5" + where, targets.Reading{Count: 1}},
			"binary":     {"select uuid" + where + " order by id limit 1", targets.Reading{Count: 1, IDs: []string{"ff000000000000000000000000000001"}}},
			"integer id": {"select id" + where + " order by id limit 1", targets.Reading{Count: 1, IDs: []string{"11"}}},
			"id and ref": {"select id, parent" + where + " order by id", targets.Reading{Count: 2, IDs: []string{"11", "12"}, Refs: []string{"E1", ""}}},
			"none":       {"select id, parent" + where + " and false", targets.Reading{IDs: []string{}, Refs: []string{}}},
			"date":       {"select note, at" + where + " and at is not null", targets.Reading{Count: 1, IDs: []string{"for m-1"}, Refs: []string{"2026-01-02 03:04:05"}}},
			"cast":       {"select count(*) from observe_tasks where id = length(?) + 8", targets.Reading{Count: 1}},
		},
		refused: map[string]string{
			"select nextval(observe_numbers)":                "query mysql: ",
			"select 1; delete from observe_tasks":            "syntax",
			"select sum(id) from observe_tasks where false":  "it is NULL and not a count",
			"select amount from observe_tasks where id < 13": "2 rows of whole numbers",
			"select uuid from observe_tasks order by id":     "row 3 has no id in column",
			"select id, uuid, note from observe_tasks":       "it has 3 columns",
		},
	}.run(t, func(ctx context.Context, dsn string, statements []string) error {
		db, err := sql.Open("mysql", driverDSN(dsn))
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		for _, s := range statements {
			if _, err := db.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// driverDSN translates the DSN of the test's own connection.
func driverDSN(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = u.User.Username(), "tcp", u.Host, u.Path[1:]
	c.Passwd, _ = u.User.Password()
	return c.FormatDSN()
}
