package crash

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"INSERT INTO orders (id) VALUES ($1)":                                       "INSERT INTO orders",
		"insert into orders values (1)":                                             "INSERT INTO orders",
		"  -- hello; world\n/* a /* nested */ b */ INSERT\n\tINTO orders":           "INSERT INTO orders",
		`INSERT INTO "public"."or""ders" DEFAULT VALUES`:                            `INSERT INTO public.or"ders`,
		"INSERT INTO shop . orders SELECT 1":                                        "INSERT INTO shop.orders",
		"UPDATE ONLY idem SET a = 'x;y' WHERE b":                                    "UPDATE idem",
		"DELETE FROM ONLY a.b WHERE c":                                              "DELETE FROM a.b",
		"MERGE INTO stock USING x ON true":                                          "MERGE INTO stock",
		"SELECT 1":                                                                  "SELECT 1",
		"SELECT 42":                                                                 "SELECT",
		"SELECT $1::int":                                                            "SELECT",
		"select pg_advisory_xact_lock($1)":                                          "SELECT pg_advisory_xact_lock",
		"SELECT extract(epoch FROM now()), a FROM t WHERE b":                        "SELECT FROM t",
		"SELECT a FROM (SELECT b FROM inner_table) x":                               "SELECT FROM inner_table",
		"SELECT a FROM ((x JOIN y USING (z)))":                                      "SELECT FROM x",
		"(SELECT 1 FROM a) UNION (SELECT 1 FROM b)":                                 "SELECT FROM a",
		"SELECT 'it''s FROM nowhere' FROM somewhere":                                "SELECT FROM somewhere",
		"SELECT E'it\\'s FROM nowhere' FROM somewhere":                              "SELECT FROM somewhere",
		"SELECT $q$ FROM nowhere; $q$ FROM somewhere":                               "SELECT FROM somewhere",
		"SELECT $$ FROM nowhere; $$, $1 FROM somewhere":                             "SELECT FROM somewhere",
		"WITH a AS (SELECT 1), b (x, y) AS MATERIALIZED (SELECT 2) SELECT * FROM b": "SELECT FROM b",
		"WITH a AS (SELECT 1) INSERT INTO orders SELECT * FROM a":                   "INSERT INTO orders",
		"WITH o AS (INSERT INTO orders VALUES (1) RETURNING id), s AS (UPDATE stock SET n = 1) SELECT * FROM o": "INSERT INTO orders + UPDATE stock",
		"WITH o AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM o":                                   "DELETE FROM a + INSERT INTO b",
		"WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t) SELECT sum(n) FROM t":                  "SELECT FROM t",
		"BEGIN": "BEGIN", "begin isolation level serializable": "BEGIN", "START TRANSACTION": "BEGIN",
		"COMMIT": "COMMIT", "end": "COMMIT", "COMMIT PREPARED 'x'": "COMMIT PREPARED",
		"ROLLBACK": "ROLLBACK", "ABORT": "ROLLBACK", "ROLLBACK TO SAVEPOINT sp_17": "ROLLBACK TO",
		"SAVEPOINT sp_17": "SAVEPOINT", "RELEASE SAVEPOINT sp_17": "RELEASE",
		"PREPARE TRANSACTION 'x'":                                      "PREPARE TRANSACTION",
		"PREPARE ins (int, text) AS INSERT INTO x VALUES ($1)":         "prepare INSERT INTO x",
		"BEGIN; INSERT INTO a VALUES (1);; COMMIT;":                    "BEGIN; INSERT INTO a; COMMIT",
		"INSERT INTO a VALUES (';'); INSERT INTO a VALUES (2); COMMIT": "INSERT INTO a ×2; COMMIT",
		"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON t (a)":    "CREATE INDEX i",
		"CREATE TABLE IF NOT EXISTS a.b (c int)":                       "CREATE TABLE a.b",
		"TRUNCATE TABLE a, b":                                          "TRUNCATE a", "LOCK TABLE a IN SHARE MODE": "LOCK a",
		"SET LOCAL statement_timeout = 1": "SET statement_timeout", "SHOW server_version": "SHOW server_version",
		"COPY orders (a) FROM STDIN": "COPY orders", "CALL make_order($1)": "CALL make_order", "NOTIFY jobs, 'x'": "NOTIFY jobs",
		"": "empty", " ; -- nothing": "empty", "/* open": "empty", "?": "statement", "INSERT INTO": "INSERT INTO", "DO $$ BEGIN END $$": "DO",
		"INSERT INTO \"a\nb\"": "INSERT INTO a?b",
		"LISTEN jobs":          "LISTEN jobs",
	} {
		assert.Equal(t, want, join(labelsOf(statements(sql, postgresSQL))), sql)
	}
	for sql, want := range map[string]string{
		"# note\nINSERT IGNORE INTO `shop`.`orders` VALUES (1)": "INSERT INTO shop.orders",
		"REPLACE INTO a VALUES ('it\\'s; x'); SELECT 1":         "REPLACE INTO a; SELECT 1",
		"DELETE a FROM a JOIN b":                                "DELETE FROM a",
		"SET @@session.autocommit = 0":                          "SET session.autocommit",
		"PREPARE s FROM 'INSERT INTO x VALUES (?)'":             "prepare INSERT INTO x",
		"XA PREPARE 'x'":                                        "XA PREPARE",
		"START TRANSACTION":                                     "BEGIN",
		"SELECT `from` FROM t":                                  "SELECT FROM t",
		"UPDATE LOW_PRIORITY IGNORE t SET a = 1":                "UPDATE t",
		"LOAD DATA LOCAL INFILE 'x' INTO TABLE t":               "LOAD DATA",
	} {
		assert.Equal(t, want, join(labelsOf(statements(sql, mysqlSQL))), sql)
	}
}

func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		strings.Repeat("SELECT 1;", 20_000), strings.Repeat("(", 100_000), strings.Repeat("PREPARE a AS ", 10_000),
		strings.Repeat("WITH a AS (INSERT INTO b VALUES (1)), ", 10_000), "INSERT INTO " + strings.Repeat("x", 100_000),
		strings.Repeat("WITH a AS (", 10_000), "INSERT INTO " + strings.Repeat("é.", 100_000),
	} {
		checkLabels(t, sql)
	}
}

// checkLabels checks what must hold for any text.
func checkLabels(t *testing.T, sql string) {
	for _, d := range []dialect{postgresSQL, mysqlSQL} {
		found := statements(sql, d)
		assert.LessOrEqual(t, len(found), maxStatements)
		label := join(labelsOf(found))
		assert.NotEmpty(t, label)
		assert.True(t, utf8.ValidString(label))
		assert.LessOrEqual(t, len(label), (maxParts+1)*(maxLabel*3+10))
		assert.NotContains(t, label, "\n")
	}
}

func FuzzLabels(f *testing.F) {
	for _, sql := range []string{"", "WITH a AS (INSERT INTO b VALUES ($1)) SELECT 1", "PREPARE a AS WITH", "E'\\", "$a$", "/*/*", "a.\"b", "SELECT (FROM", "BEGIN;;COMMIT", "\x80\xff"} {
		f.Add(sql)
	}
	f.Fuzz(checkLabels)
}
