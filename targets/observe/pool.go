package observe

import (
	"context"
	"database/sql"
	"strings"
)

// pool asks a database through database/sql: MySQL, MariaDB and SQLite.
type pool struct {
	db    *sql.DB
	guard func(*sql.Conn, string) error // what must be done on a connection before a query runs there
}

func newPool(db *sql.DB, guard func(*sql.Conn, string) error) *pool {
	db.SetMaxOpenConns(maxConns)
	return &pool{db: db, guard: guard}
}

func noGuard(*sql.Conn, string) error { return nil }

func (p *pool) close() error { return p.db.Close() }

func (p *pool) query(ctx context.Context, text string, args []string) (result, error) {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = conn.Close() }()
	if err := p.guard(conn, text); err != nil {
		return result{}, err
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return result{}, err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to keep
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	rows, err := tx.QueryContext(ctx, text, values...)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = rows.Close() }()
	return readRows(rows)
}

func readRows(rows *sql.Rows) (result, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return result{}, err
	}
	r := result{}
	for _, t := range types {
		kind := strings.ToUpper(t.DatabaseTypeName())
		numeric := strings.HasPrefix(kind, "DECIMAL") || strings.HasPrefix(kind, "NUMERIC")
		r.columns = append(r.columns, column{name: t.Name(), numeric: numeric})
	}
	for rows.Next() {
		if len(r.rows) == maxItems {
			return result{}, errRows
		}
		cells := make([]any, len(types))
		into := make([]any, len(types))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return result{}, err
		}
		r.rows = append(r.rows, cells)
	}
	return r, rows.Err()
}
