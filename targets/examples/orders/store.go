package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience is how long a request waits for another one with its key before it is told to come back later, in
// milliseconds. The address of the database may say otherwise.
const patience = "1000"

//go:embed schema.sql
var definitions string

// store is the database.
type store struct {
	pool   *pgxpool.Pool
	schema string // quoted; empty: whichever comes first on the search path
}

// openStore connects when it is first asked.
func openStore(dsn, schema string, connections int) (*store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the address of the database: %w", err)
	}
	if connections < 1 || connections > 1000 {
		return nil, fmt.Errorf("open a pool: %d connections are not between 1 and 1000", connections)
	}
	config.MaxConns = int32(connections)
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 2 * time.Second
	}
	given := config.ConnConfig.RuntimeParams
	if given["lock_timeout"] == "" {
		given["lock_timeout"] = patience
	}
	given["client_min_messages"] = "warning" // not that a table exists already
	if schema != "" {
		schema = pgx.Identifier{schema}.Sanitize()
		given["search_path"] = schema
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("open a pool: %w", err)
	}
	return &store{pool: pool, schema: schema}, nil
}

func (s *store) close() { s.pool.Close() }

// define makes what is not there yet, in one transaction, since it is sent as one text. Instances that start at once take
// turns: "if not exists" alone does not keep two of them from making the same table.
func (s *store) define(ctx context.Context) error {
	text := "select pg_advisory_xact_lock(7310941);\n"
	if s.schema != "" {
		text += "create schema if not exists " + s.schema + ";\n"
	}
	if _, err := s.pool.Exec(ctx, text+definitions); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	return nil
}

const selectOrders = `select id, reference, customer, note, amount, created_at from orders`

// scanOrder reads a row of selectOrders.
func scanOrder(row pgx.CollectableRow) (order, error) {
	o, err := pgx.RowToStructByPos[order](row)
	o.CreatedAt = o.CreatedAt.UTC()
	return o, err
}

func (s *store) list(ctx context.Context, text string) ([]order, error) {
	rows, err := s.pool.Query(ctx, selectOrders+` where strpos(note, $1) > 0 order by created_at, id`, text)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	orders, err := pgx.CollectRows(rows, scanOrder)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return orders, nil
}

func (s *store) read(ctx context.Context, id string) (order, error) {
	rows, err := s.pool.Query(ctx, selectOrders+` where id = $1`, id)
	if err != nil {
		return order{}, fmt.Errorf("read an order: %w", err)
	}
	o, err := pgx.CollectExactlyOneRow(rows, scanOrder)
	if errors.Is(err, pgx.ErrNoRows) {
		return order{}, errNotFound
	}
	if err != nil {
		return order{}, fmt.Errorf("read an order: %w", err)
	}
	return o, nil
}

func (s *store) delete(ctx context.Context, id string) error {
	done, err := s.pool.Exec(ctx, `delete from orders where id = $1`, id)
	if err != nil {
		return fmt.Errorf("delete an order: %w", err)
	}
	if done.RowsAffected() == 0 {
		return errNotFound
	}
	return nil
}
