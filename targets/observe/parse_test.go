package observe

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMySQLConfig(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"mysql://u:p@h:3307/d":                         "u:p@tcp(h:3307)/d?timeout=10s",
		"mariadb://u@h/d":                              "u@tcp(h:3306)/d?timeout=10s",
		"mysql://u:a%2Fb%40c@h/d%2Fe":                  "u:a/b@c@tcp(h:3306)/d%2Fe?timeout=10s",
		"mysql://u:p@[::1]:3306/d?timeout=1s&tls=true": "u:p@tcp([::1]:3306)/d?timeout=1s&tls=true",
		"mysql://u:p@/d?socket=%2Frun%2Fmy.sock":       "u:p@unix(/run/my.sock)/d?timeout=10s",
		"mysql://u:p@h/d?multiStatements=true&allowAllFiles=true&interpolateParams=true": "u:p@tcp(h:3306)/d?timeout=10s",
		"mysql://":  "tcp(127.0.0.1:3306)/?timeout=10s",
		"mysql://h": "tcp(h:3306)/?timeout=10s",
	} {
		c, err := mysqlConfig(dsn)
		require.NoError(t, err, dsn)
		c.Logger = nil
		assert.Equal(t, want, c.FormatDSN(), dsn)
	}
}

func TestSQLiteURI(t *testing.T) {
	t.Parallel()
	const flags = "?mode=ro&_busy_timeout=5000&_query_only=1"
	for dsn, want := range map[string]string{
		"sqlite:a.db":              "file:a.db" + flags,
		"sqlite:/var/a b.db":       "file:/var/a%20b.db" + flags,
		"sqlite:///var/a.db":       "file:/var/a.db" + flags,
		"sqlite://a.db":            "file:a.db" + flags,
		"sqlite:a?mode=rwc#x%.db":  "file:a%3Fmode=rwc%23x%25.db" + flags,
		"SQLITE:dir/../a.db":       "file:dir/../a.db" + flags,
		"sqlite:////server/a.db":   "file:////server/a.db" + flags,
		"sqlite:a;attach 'b' as c": "file:a;attach%20%27b%27%20as%20c" + flags,
	} {
		got, err := sqliteURI(dsn)
		require.NoError(t, err)
		assert.Equal(t, strings.ToLower(want), strings.ToLower(got), dsn)
	}
}

func TestResultTally(t *testing.T) {
	t.Parallel()
	row := func(cells ...any) []any { return cells }
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		columns []column
		rows    [][]any
		want    tally
		err     string
	}{
		"count":              {[]column{{"count", false}}, [][]any{row(int64(3))}, tally{count: 3}, ""},
		"unsigned":           {[]column{{"n", false}}, [][]any{row(uint64(3))}, tally{count: 3}, ""},
		"numeric text":       {[]column{{"sum", true}}, [][]any{row("3")}, tally{count: 3}, ""},
		"numeric bytes":      {[]column{{"sum", true}}, [][]any{row([]byte("3.000"))}, tally{count: 3}, ""},
		"whole float":        {[]column{{"total(x)", false}}, [][]any{row(3.0)}, tally{count: 3}, ""},
		"text number":        {[]column{{"name", false}}, [][]any{row("42")}, tally{count: 1, ids: []string{"42"}}, ""},
		"integer id":         {[]column{{"Task_ID", false}}, [][]any{row(int64(42))}, tally{count: 1, ids: []string{"42"}}, ""},
		"one text":           {[]column{{"uuid", false}}, [][]any{row("D1")}, tally{count: 1, ids: []string{"D1"}}, ""},
		"no rows":            {[]column{{"n", false}}, nil, tally{ids: []string{}}, ""},
		"binary":             {[]column{{"uuid", false}}, [][]any{row([]byte{0xff, 1})}, tally{count: 1, ids: []string{"ff01"}}, ""},
		"mixed":              {[]column{{"n", false}}, [][]any{row(int64(1)), row("x")}, tally{count: 2, ids: []string{"1", "x"}}, ""},
		"two columns":        {[]column{{"n", false}, {"m", false}}, [][]any{row(int64(1), at), row(true, nil)}, tally{count: 2, ids: []string{"1", "true"}, refs: []string{"2026-01-02T03:04:05Z", ""}}, ""},
		"numbers":            {[]column{{"n", false}}, [][]any{row(int64(1)), row(int64(2))}, tally{}, "2 rows of whole numbers"},
		"huge":               {[]column{{"n", false}}, [][]any{row(uint64(1 << 63))}, tally{}, "is not a count"},
		"negative":           {[]column{{"n", false}}, [][]any{row(int64(-1))}, tally{}, "-1 is not a count"},
		"null":               {[]column{{"sum", false}}, [][]any{row(nil)}, tally{}, "NULL"},
		"null id":            {[]column{{"id", false}}, [][]any{row(nil)}, tally{}, "row 1 has no id"},
		"empty id":           {[]column{{"id", false}, {"ref", false}}, [][]any{row("", "x")}, tally{}, "row 1 has no id"},
		"no columns":         {nil, nil, tally{}, "it has 0 columns"},
		"fraction is no sum": {[]column{{"sum", true}}, [][]any{row("3.5")}, tally{count: 1, ids: []string{"3.5"}}, ""},
	} {
		got, err := result{columns: c.columns, rows: c.rows}.tally()
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
}

func TestOneStatement(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"select 1":                           true,
		"select 1;":                          true,
		"select 1 ; -- end\n /* ; */ ;":      true,
		"select ';', \";\", `;`, [;] -- ; x": true,
		"select 'it''s; fine'":               true,
		"select 1; select 2":                 false,
		"select 1;'":                         false,
		"select ';'; x":                      false,
		"/* open ; x":                        true,
		"":                                   true,
	} {
		assert.Equal(t, want, oneStatement(query), query)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"SELECT 1":                          true,
		" -- count\n/* all */ ((select 1))": true,
		"with x as (select 1) select 1":     true,
		"values(1)":                         true,
		"table t":                           true,
		"selection":                         false,
		"drop table t":                      false,
		"/*! drop table t */ select 1":      false,
		"/*M! drop table t */":              false,
		"call f()":                          false,
		"/* select":                         false,
		"":                                  false,
	} {
		assert.Equal(t, want, reads(query), query)
	}
}

func TestParseOutput(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]tally{
		" 12\n":                                {count: 12},
		"0":                                    {},
		"[]":                                   {ids: []string{}},
		`["a", "a", 9007199254740993]`:         {count: 3, ids: []string{"a", "a", "9007199254740993"}},
		`[{"id": "m", "ref": 7}, {"id": 8}]`:   {count: 2, ids: []string{"m", "8"}, refs: []string{"7", ""}},
		`["a", {"id": "b", "ref": null}]`:      {count: 2, ids: []string{"a", "b"}},
		"\n[{\"id\":\"x\",\"more\":[1,{}]}]\n": {count: 1, ids: []string{"x"}},
	} {
		got, err := parseOutput([]byte(out))
		require.NoError(t, err, out)
		assert.Equal(t, want, got, out)
	}
	for _, out := range []string{"", "-1", "+1", "1.0", "1e3", "99999999999", "1 2", "one", "{}", "null", "[", "[] []", "[null]", `[""]`, `[{}]`, `[["a"]]`, `[{"id":"a","ref":[]}]`, "[true]"} {
		_, err := parseOutput([]byte(out))
		assert.Error(t, err, out)
	}
}

func TestLinkNext(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`<a>; rel="next"`:                                 "a",
		`< /a?x=1,2;3 > ; REL = next`:                     "/a?x=1,2;3",
		`<a>; rel=prev, <b>; rel="x  Next"`:               "b",
		`<a>;;rel=next;`:                                  "a",
		`<a>; rel=prev; rel=next`:                         "",
		`<a>; rel=next; anchor="#x", <b>; rel=nextstep`:   "",
		`<a>; title="\", <x>; rel=next"; rel=last, , <b>`: "",
		``: "",
	} {
		got, ok, err := linkNext([]string{"<z>; rel=first", header})
		require.NoError(t, err, header)
		assert.Equal(t, want, got, header)
		assert.Equal(t, want != "", ok, header)
	}
	for _, header := range []string{`a; rel=next`, `<a; rel=next`, `<a> rel=next`, `<a>; rel="next`, `<a>; title="x"y; rel=next`} {
		_, _, err := linkNext([]string{header})
		assert.ErrorIs(t, err, errLink, header)
	}
}

func TestPassing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&pgconn.PgError{Code: "57P03"}, &pgconn.PgError{Code: "40001"}, &mysql.MySQLError{Number: 1213}, mysql.ErrInvalidConn,
		driver.ErrBadConn, io.ErrUnexpectedEOF, &net.OpError{Op: "dial", Err: errors.New("refused")},
	} {
		assert.True(t, passing(err), err)
	}
	for _, err := range []error{&pgconn.PgError{Code: "42P01"}, &mysql.MySQLError{Number: 1146}, errors.New("no")} {
		assert.False(t, passing(err), err)
	}
}

func TestReadMailBounds(t *testing.T) {
	t.Parallel()
	deep := "text m-1"
	for range 30 {
		deep = "Content-Type: message/rfc822\r\n\r\n" + deep
	}
	assert.True(t, readMail([]byte(deep)).contains("m-1"))
	wide := "Content-Type: multipart/mixed; boundary=x\r\n\r\n" + strings.Repeat("--x\r\n\r\ny\r\n", 5000) + "--x--\r\n"
	assert.LessOrEqual(t, len(readMail([]byte(wide)).texts), maxParts+2)
}

func FuzzParseOutput(f *testing.F) {
	for _, s := range []string{"3", `["a",1]`, `[{"id":"a","ref":"b"}]`, "[", "[[]]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		got, err := parseOutput(out)
		if err != nil {
			return
		}
		if got.count < 0 || (got.ids != nil && len(got.ids) != got.count) || (got.refs != nil && len(got.refs) != got.count) {
			t.Fatalf("%q gives %+v", out, got)
		}
	})
}

func FuzzDSN(f *testing.F) {
	for _, s := range []string{"mysql://u:p@h:1/d?timeout=1s", "sqlite:a?b", "sqlite:///x", "mysql://u:p@/d?socket=/s", "mariadb://%zz", "sqlite:a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		const password = "0s3cret0"
		dsn = strings.ReplaceAll(dsn, "p@", password+"@")
		if c, err := mysqlConfig(dsn); err == nil {
			if c.MultiStatements || c.AllowAllFiles || c.InterpolateParams {
				t.Fatalf("%q allows too much", dsn)
			}
		} else if strings.Contains(err.Error(), password) {
			t.Fatalf("%q shows its password: %v", dsn, err)
		}
		uri, err := sqliteURI(dsn)
		if err != nil {
			return
		}
		if strings.Count(uri, "?") != 1 || !strings.HasSuffix(uri, "?mode=ro&_busy_timeout=5000&_query_only=1") || strings.ContainsAny(uri, "#\x00") {
			t.Fatalf("%q becomes %q", dsn, uri)
		}
	})
}

func FuzzItems(f *testing.F) {
	for _, s := range []string{"$", "$[*]", "$.tasks[*]", "$..tasks", "$.a[?@.b=='c']", "$['a','b']", "$.a[0:2].b", "$[-1]"} {
		f.Add(s, `{"tasks":[1],"a":[{"b":"c"}]}`)
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		p, err := parseItems(path)
		if err != nil {
			return
		}
		if items, err := p.in([]byte(body)); err == nil && !json.Valid([]byte(body)) {
			t.Fatalf("%d items at %q in %q, which is not JSON", len(items), path, body)
		}
	})
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{`<a>; rel="next"`, `</x?y>; rel=next; title="a\"b", <b>`, "<//evil/>; rel=next", "<https:x>;rel=next", "<;", `<http://h@x/>; rel="next"`} {
		f.Add(s)
	}
	from, err := url.Parse("https://api.example/v1/tasks?x=1")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, header string) {
		ref, ok, err := linkNext([]string{header})
		if err != nil || !ok {
			return
		}
		u, err := follow(from, ref)
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || origin(again) != "https://api.example:443" || again.User != nil {
			t.Fatalf("%q leads to %v (%v)", header, u, err)
		}
	})
}
