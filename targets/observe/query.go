package observe

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// query counts by one SQL statement, in a read-only transaction on a connection of our own.
type query struct {
	source
	text string
	args []string
}

// source is a database to ask.
type source struct {
	db   database
	name string              // the kind of database, for messages
	hide func(string) string // takes the password out of a text
}

// database runs one query that only reads. It connects when it is asked, and is safe for concurrent use.
type database interface {
	query(ctx context.Context, text string, args []string) (result, error)
	close() error
}

// maxConns is how many readings of one observer run at once; others wait.
const maxConns = 4

// template matches what looks like one. The text of a query is passed as it is, so a template in it would never be
// filled in: the database would look for the braces and count nothing.
var template = regexp.MustCompile(`\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}`)

func openQuery(_ context.Context, spec targets.Observer, _ Deps) (counter, error) {
	q := spec.SQL
	if strings.TrimSpace(q.Query) == "" {
		return nil, errors.New("sql: the query is missing")
	}
	if name := template.FindString(q.Query); name != "" {
		return nil, fmt.Errorf("sql: the query is passed as it is: write a placeholder ($1 or ?) and %s under args", name)
	}
	if !reads(q.Query) {
		return nil, errors.New("sql: the query must begin with select, with, values or table")
	}
	src, err := openSource(q.DSN)
	if err != nil {
		return nil, fmt.Errorf("sql: %w", err)
	}
	return &query{source: src, text: q.Query, args: q.Args}, nil
}

func (s *query) close() error { return s.db.close() }

func (s *query) count(ctx context.Context, q Query) (tally, error) {
	args := make([]string, len(s.args))
	for i, a := range s.args {
		text, err := targets.Expand(a, q.Vars)
		if err != nil {
			return tally{}, fmt.Errorf("expand argument %d: %w", i+1, err)
		}
		args[i] = text
	}
	found, err := s.db.query(ctx, s.text, args)
	if err != nil {
		return tally{}, s.failed(err)
	}
	t, err := found.tally()
	if err != nil {
		return tally{}, fmt.Errorf("read the query's result: %w", err)
	}
	return t, nil
}

// failed words an error of the database in one line, and without the password, which some drivers print with the address.
func (s *query) failed(err error) error {
	out := fmt.Errorf("query %s: %s", s.name, s.hide(strings.Join(strings.Fields(err.Error()), " ")))
	if passing(err) {
		return transient{out}
	}
	return out
}

// passing reports whether the same query may work a moment later: the database is starting, restarting, busy or out of
// reach.
func passing(err error) bool {
	if pg := new(pgconn.PgError); errors.As(err, &pg) {
		return passingState(pg.Code)
	}
	if my := new(mysql.MySQLError); errors.As(err, &my) {
		switch my.Number {
		case 1040, 1053, 1205, 1213: // too many connections, shutting down, lock wait, deadlock
			return true
		}
		return false
	}
	if lite := new(sqlite.Error); errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
			return true
		}
		return false
	}
	netErr := net.Error(nil)
	return errors.As(err, &netErr) || errors.As(err, new(*pgconn.ConnectError)) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// passingState goes by the class of a SQLSTATE: connection exception, rollback, resources, operator intervention.
func passingState(code string) bool {
	for _, class := range []string{"08", "40", "53", "57"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}
