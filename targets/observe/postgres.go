package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// postgres asks PostgreSQL. A connection is kept for a moment, since at crash points reading follows reading and to
// connect takes longer than to count; but not longer: none is idle while the target's database is restored or dropped.
type postgres struct {
	config *pgconn.Config
	turns  chan struct{} // holds one entry for each query that runs

	mu   sync.Mutex
	idle []*idle
}

// Object ids of the number types (pg_type.dat of PostgreSQL).
const (
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidNumeric = 1700
)

func openPostgres(dsn string) (source, error) {
	if _, err := parseURL(dsn); err != nil {
		return source{}, err
	}
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return source{}, errors.New("the postgres dsn is not valid")
	}
	// What other users of pgx read from a DSN; the server would refuse it as unknown.
	for name := range c.RuntimeParams {
		if strings.HasPrefix(name, "pool_") || strings.HasSuffix(name, "_cache_capacity") || name == "default_query_exec_mode" {
			delete(c.RuntimeParams, name)
		}
	}
	db := &postgres{config: c, turns: make(chan struct{}, maxConns)}
	return source{db: db, name: "postgres", hide: hiding(c.Password)}, nil
}

func (p *postgres) query(ctx context.Context, text string, args []string) (result, error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return result{}, ctx.Err()
	}
	if conn := p.take(); conn != nil {
		r, err := p.ask(ctx, conn, text, args)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return r, err
		}
		// The database was restarted meanwhile. Only a new connection can tell how it is.
	}
	conn, err := pgconn.ConnectConfig(ctx, p.config)
	if err != nil {
		return result{}, err
	}
	return p.ask(ctx, conn, text, args)
}

// ask runs the query in a transaction of its own, and keeps the connection where nothing went wrong.
func (p *postgres) ask(ctx context.Context, conn *pgconn.PgConn, text string, args []string) (result, error) {
	r, err := ask(ctx, conn, text, args)
	if err == nil && conn.Exec(ctx, "rollback").Close() == nil {
		p.keep(conn)
		return r, nil
	}
	goodbye(conn)
	return r, err
}

func ask(ctx context.Context, conn *pgconn.PgConn, text string, args []string) (result, error) {
	if err := conn.Exec(ctx, "begin transaction read only").Close(); err != nil {
		return result{}, fmt.Errorf("begin a read-only transaction: %w", err)
	}
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	// The extended protocol takes exactly one statement. Arguments and results travel as text; the server infers types.
	return readReply(conn.ExecParams(ctx, text, values, nil, nil, nil))
}

func readReply(reply *pgconn.ResultReader) (result, error) {
	r := result{}
	for _, f := range reply.FieldDescriptions() {
		numeric := f.DataTypeOID == oidInt2 || f.DataTypeOID == oidInt4 || f.DataTypeOID == oidInt8 || f.DataTypeOID == oidNumeric
		r.columns = append(r.columns, column{name: f.Name, numeric: numeric})
	}
	for reply.NextRow() {
		if len(r.rows) == maxItems {
			return result{}, errRows // closing the connection ends the reply
		}
		cells := make([]any, len(r.columns))
		for i, v := range reply.Values() {
			if v != nil {
				cells[i] = string(v)
			}
		}
		r.rows = append(r.rows, cells)
	}
	if _, err := reply.Close(); err != nil {
		return result{}, err
	}
	return r, nil
}
