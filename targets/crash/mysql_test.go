package crash

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestMyReply(t *testing.T) {
	t.Parallel()
	const ok, okMore, eof, eofMore, eofCursor = "\x00\x00\x00\x02\x00\x00\x00", "\x00\x00\x00\x0a\x00\x00\x00",
		"\xfe\x00\x00\x02\x00", "\xfe\x00\x00\x0a\x00", "\xfe\x00\x00\x42\x00"
	const fail, column, row = "\xff\x15\x04#28000no", "\x03def", "\x011"
	for name, r := range map[string]struct {
		kind    replyKind
		packets []string
	}{
		"one":              {replyOne, []string{ok}},
		"ok":               {replyResults, []string{ok}},
		"ok, large ids":    {replyResults, []string{"\x00\xfc\x01\x02\xfe\x01\x02\x03\x04\x05\x06\x07\x08\x02\x00\x00\x00"}},
		"two ok":           {replyResults, []string{okMore, ok}},
		"error":            {replyResults, []string{fail}},
		"rows":             {replyResults, []string{"\x01", column, eof, row, row, eof}},
		"no rows":          {replyResults, []string{"\x01", column, eof, eof}},
		"rows, then error": {replyResults, []string{"\x01", column, eof, row, fail}},
		"two sets":         {replyResults, []string{"\x01", column, eof, row, eofMore, "\x01", column, eof, eof}},
		"set, then ok":     {replyResults, []string{"\x01", column, eof, row, eofMore, ok}},
		"cursor":           {replyResults, []string{"\x01", column, eofCursor}},
		"file":             {replyResults, []string{"\xfbname", ok}},
		"fetch":            {replyRows, []string{row, row, eof}},
		"fields":           {replyRows, []string{column, column, eof}},
		"prepared":         {replyPrepare, []string{"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"}},
		"parameters":       {replyPrepare, []string{"\x00\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00", column, column, eof}},
		"columns too":      {replyPrepare, []string{"\x00\x01\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00", column, eof, column, eof}},
		"not prepared":     {replyPrepare, []string{fail}},
		"change user":      {replyAuth, []string{"\xfemysql_native_password\x00salt", "\x01\x04", ok}},
		"no such user":     {replyAuth, []string{fail}},
	} {
		var reply myReply
		for i, p := range r.packets {
			assert.Equal(t, i == len(r.packets)-1, reply.add(r.kind, []byte(p), len(p)), "%s, packet %d", name, i)
		}
	}
}

func TestPlainGreeting(t *testing.T) {
	t.Parallel()
	greeting := []byte("\x0a11.4-MariaDB\x00" + "iiii" + "saltsalt\x00" + "\xff\xff" + "c" + "ss" + "\xff\xff" + "l" + "ffffff" + "\xff\xff\x00\x00" + "more")
	rest := greeting[14:]
	plainGreeting(greeting)
	assert.Equal(t, uint16(0xffff&^(1<<5|1<<11)), binary.LittleEndian.Uint16(rest[13:]))
	assert.Equal(t, uint16(0xffff&^(1<<8|1<<9|1<<10|1<<11)), binary.LittleEndian.Uint16(rest[18:]))
	assert.Equal(t, uint16(0xffff&^(1|1<<4)), binary.LittleEndian.Uint16(rest[27:]))
	for _, other := range []string{"", "\xff\x15\x04no", "\x0aversion", "\x0av\x00short", "\x09v\x00" + strings.Repeat("\xff", 40)} {
		b := []byte(other)
		plainGreeting(b)
		assert.Equal(t, other, string(b))
	}
}

// realMySQL gives a proxy before a real server, and pools of connections straight to it and through the proxy.
func realMySQL(t testing.TB, protocol Protocol, params string) (p *Proxy, direct, through *sql.DB) {
	t.Helper()
	dsn := os.Getenv("IDEMCHECK_TEST_MYSQL")
	if dsn == "" {
		t.Skip("IDEMCHECK_TEST_MYSQL is not set")
	}
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	p = startProxy(t, Options{Upstream: u.Host, Protocol: protocol})
	open := func(addr, params string) *sql.DB {
		config, err := mysql.ParseDSN(fmt.Sprintf("%s@tcp(%s)%s?%s", u.User, addr, u.Path, params))
		require.NoError(t, err)
		config.Logger = log.New(io.Discard, "", 0)
		connector, err := mysql.NewConnector(config)
		require.NoError(t, err)
		db := sql.OpenDB(connector)
		t.Cleanup(func() { db.Close() })
		return db
	}
	return p, open(u.Host, ""), open(p.Addr(), params)
}

// myTable makes the tables of a small shop, and gives what their names begin with.
func myTable(t testing.TB, direct *sql.DB) string {
	t.Helper()
	name := fmt.Sprintf("crash_%d", time.Now().UnixNano())
	for _, table := range []string{"_orders", "_idem"} {
		_, err := direct.ExecContext(t.Context(), "CREATE TABLE "+name+table+" (id varchar(64), done bool) ENGINE=InnoDB")
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		_, err := direct.ExecContext(ctx, "DROP TABLE "+name+"_orders, "+name+"_idem")
		assert.NoError(t, err)
	})
	return name
}

// myOrder does one request in one transaction.
func myOrder(ctx context.Context, db *sql.DB, name, key string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it may be committed
	for _, query := range []string{
		"INSERT INTO " + name + "_idem (id) VALUES (?)",
		"# the order\nINSERT INTO " + name + "_orders (id) VALUES (?)",
		"UPDATE " + name + "_idem SET done = true WHERE id = ?",
	} {
		if _, err := tx.ExecContext(ctx, query, key); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// mySweep dies at each point, and looks at what the database has then.
func mySweep(t *testing.T, p *Proxy, direct, through *sql.DB, name string, points []targets.Point) {
	for i, pt := range points {
		key := fmt.Sprintf("key%d", i)
		require.NoError(t, myOrder(t.Context(), through, name, key+"warm"))
		a := p.Arm(pt, Cut, nil)
		require.Error(t, myOrder(t.Context(), through, name, key), pt)
		fired(t, a)
		want := 0
		if pt.Side == targets.After && i == len(points)-1 {
			want = 1
		}
		var n int
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		// Reading for share waits until the transaction that died is rolled back.
		err := direct.QueryRowContext(ctx, "SELECT count(*) FROM "+name+"_orders WHERE id = ? LOCK IN SHARE MODE", key).Scan(&n)
		cancel()
		require.NoError(t, err)
		assert.Equal(t, want, n, pt)
	}
}

func TestMySQLSweep(t *testing.T) {
	t.Parallel()
	for _, params := range []string{"interpolateParams=true", "interpolateParams=false", "compress=true", "tls=preferred"} {
		t.Run(params, func(t *testing.T) {
			t.Parallel()
			p, direct, through := realMySQL(t, MySQL, params)
			through.SetMaxOpenConns(1)
			name := myTable(t, direct)
			var runs [][]Unit
			for range 3 {
				stop := p.Record()
				require.NoError(t, myOrder(t.Context(), through, name, "dry"))
				runs = append(runs, stop())
			}
			points := targets.PlanPoints(labelLists(runs), nil, false)
			var got []string
			for _, pt := range points {
				got = append(got, strings.ReplaceAll(pt.String(), name+"_", ""))
			}
			assert.Equal(t, "BEGIN#1:before, BEGIN#1:after, INSERT INTO idem#1:before, INSERT INTO idem#1:after, "+
				"INSERT INTO orders#1:before, INSERT INTO orders#1:after, UPDATE idem#1:before, UPDATE idem#1:after, "+
				"COMMIT#1:before, COMMIT#1:after", strings.Join(got, ", "))
			mySweep(t, p, direct, through, name, points)
		})
	}
}

func TestMySQLReplies(t *testing.T) {
	t.Parallel()
	p, direct, through := realMySQL(t, MySQL, "multiStatements=true")
	through.SetMaxOpenConns(1)
	name := myTable(t, direct)
	for _, side := range []targets.Side{targets.After, targets.Before} {
		for label, query := range map[string]string{
			"SELECT FROM seq_1_to_1000":                 "SELECT seq FROM seq_1_to_1000",
			"SELECT 1; SELECT FROM seq_1_to_3; SELECT":  "SELECT 1; SELECT seq FROM seq_1_to_3; SELECT 2",
			"INSERT INTO " + name + "_orders; SELECT 1": "INSERT INTO " + name + "_orders (id) VALUES ('m'); SELECT 1",
			"SELECT FROM nowhere":                       "SELECT 1 FROM nowhere",
			"SELECT repeat":                             "SELECT repeat('x', 100000)",
		} {
			a := p.Arm(pointAt(label, 1, side), Resume, nil)
			rows, err := through.QueryContext(t.Context(), query)
			if err == nil {
				for more := true; more; more = rows.NextResultSet() {
					for rows.Next() {
					}
				}
				require.NoError(t, rows.Close())
			}
			require.NoError(t, through.PingContext(t.Context()))
			assert.Equal(t, label, fired(t, a).Label)
			_, waits := busy(p)
			assert.False(t, waits, "the reply's end was seen")
		}
	}
	var large string
	require.NoError(t, through.QueryRowContext(t.Context(), "SELECT repeat('x', 3000000)").Scan(&large))
	assert.Len(t, large, 3_000_000)
}

func TestMySQLFile(t *testing.T) {
	t.Parallel()
	p, direct, through := realMySQL(t, MySQL, "")
	through.SetMaxOpenConns(1)
	name := myTable(t, direct)
	mysql.RegisterReaderHandler(name, func() io.Reader { return strings.NewReader(strings.Repeat("row\n", 10_000)) })
	load := "LOAD DATA LOCAL INFILE 'Reader::" + name + "' INTO TABLE " + name + "_orders (id)"
	count := func() (n int) {
		require.NoError(t, direct.QueryRowContext(t.Context(), "SELECT count(*) FROM "+name+"_orders").Scan(&n))
		return n
	}
	for want, side := range map[int]targets.Side{0: targets.Before, 10_000: targets.After} {
		_, err := direct.ExecContext(t.Context(), "DELETE FROM "+name+"_orders")
		require.NoError(t, err)
		a := p.Arm(pointAt("LOAD DATA", 1, side), Cut, nil)
		_, err = through.ExecContext(t.Context(), load)
		require.Error(t, err)
		fired(t, a)
		assert.Equal(t, want, count(), side)
	}
	_, err := through.ExecContext(t.Context(), load)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, count(), 10_000)
	require.NoError(t, through.PingContext(t.Context()))
}

func TestTCP(t *testing.T) {
	t.Parallel()
	p, direct, through := realMySQL(t, TCP, "interpolateParams=true")
	through.SetMaxOpenConns(1)
	name := myTable(t, direct)
	require.NoError(t, myOrder(t.Context(), through, name, "warm"))
	stop := p.Record()
	require.NoError(t, myOrder(t.Context(), through, name, "dry"))
	run := stop()
	assert.Equal(t, "step, step, step, step, step", labels(run))
	assert.Positive(t, run[0].Size)
	mySweep(t, p, direct, through, name, targets.PlanPoints([][]string{Labels(run)}, nil, false))
}

func FuzzMySQL(f *testing.F) {
	f.Add([]byte{comExecute, 1, 0, 0, 0}, byte(replyResults))
	f.Add([]byte("\x00\xfc\x01\x02\xfe\x01"), byte(replyPrepare))
	f.Add([]byte("\xfe\x00\x00\x02\x00"), byte(replyRows))
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		plainGreeting(b)
		var names myNames
		var reply myReply
		for i := 0; i < len(b); i++ {
			label, reply := names.command(b[i:])
			assert.Equal(t, reply == replyNone, label == "")
		}
		for i := range b {
			reply.add(replyKind(kind%6), b[i:], len(b)-i)
		}
	})
}
