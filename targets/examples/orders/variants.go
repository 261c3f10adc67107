package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// request is a create with its key.
type request struct {
	key    string
	digest []byte
	order  order
}

// answer is what is stored with the key.
type answer struct {
	status  int
	orderID string
	body    []byte
}

// create carries out a request, or gives the answer that is stored under its key.
type create func(ctx context.Context, pool *pgxpool.Pool, r request) (a answer, replayed bool, err error)

// variants lists the ways to create.
var variants = []struct {
	name   string
	create create
}{
	{"sound", sound},
	{"two-transactions", twoTransactions},
	{"stuck-in-progress", stuckInProgress},
}

func variantNamed(name string) (create, error) {
	var known []string
	for _, v := range variants {
		if v.name == name {
			return v.create, nil
		}
		known = append(known, v.name)
	}
	return nil, fmt.Errorf("unknown variant %q (known: %s)", name, strings.Join(known, ", "))
}

// database is a connection, a transaction, or the pool.
type database interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// errUnknownKey says that nothing is stored under a key.
var errUnknownKey = errors.New("nothing is stored under the key")

// recall gives the answer that is stored under the key of a request.
func recall(ctx context.Context, db database, r request) (answer, error) {
	var (
		a       answer
		sum     []byte
		status  *int
		orderID *string
	)
	err := db.QueryRow(ctx, `select digest, status, order_id, body from idempotency_keys where key = $1`, r.key).
		Scan(&sum, &status, &orderID, &a.body)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return a, errUnknownKey
	case err != nil:
		return a, fmt.Errorf("look up the key: %w", err)
	case !bytes.Equal(sum, r.digest):
		return a, errReused
	case status == nil || orderID == nil:
		return a, errInProgress
	}
	a.status, a.orderID = *status, *orderID
	return a, nil
}

// claim stores a key without an answer, unless it is there already. It waits for whoever is about to store the same.
func claim(ctx context.Context, db database, r request) (claimed bool, err error) {
	done, err := db.Exec(ctx, `insert into idempotency_keys (key, digest) values ($1, $2) on conflict do nothing`, r.key, r.digest)
	if err != nil {
		return false, fmt.Errorf("claim the key: %w", err)
	}
	return done.RowsAffected() == 1, nil
}

// complete writes the order and stores the answer with a key that was claimed.
func complete(ctx context.Context, db database, r request) (answer, error) {
	a, err := placeOrder(ctx, db, r.order)
	if err != nil {
		return a, err
	}
	_, err = db.Exec(ctx, `update idempotency_keys set status = $2, order_id = $3, body = $4 where key = $1`,
		r.key, a.status, a.orderID, a.body)
	if err != nil {
		return a, fmt.Errorf("store the answer: %w", err)
	}
	return a, nil
}

// placeOrder writes the order and gives the answer that says so.
func placeOrder(ctx context.Context, db database, o order) (answer, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return answer{}, fmt.Errorf("write the answer: %w", err)
	}
	_, err = db.Exec(ctx, `insert into orders (id, reference, customer, note, amount, created_at) values ($1, $2, $3, $4, $5, $6)`,
		o.ID, o.Reference, o.Customer, o.Note, o.Amount, o.CreatedAt)
	if err != nil {
		return answer{}, fmt.Errorf("place the order: %w", err)
	}
	return answer{http.StatusCreated, o.ID, body}, nil
}
