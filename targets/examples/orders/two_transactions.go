package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// twoTransactions is broken on purpose: the order is committed before anything is known of its key. A lock lets no two
// requests with the same key at it, so that only a crash can show it: one right after the order.
func twoTransactions(ctx context.Context, pool *pgxpool.Pool, r request) (a answer, replayed bool, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return a, false, fmt.Errorf("acquire a connection: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(hashtextextended($1, 0))`, r.key); err != nil {
		return a, false, fmt.Errorf("lock the key: %w", err)
	}
	defer unlock(ctx, conn, r.key)
	a, err = recall(ctx, conn, r)
	if !errors.Is(err, errUnknownKey) {
		return a, true, err
	}
	if a, err = placeOrder(ctx, conn, r.order); err != nil {
		return a, false, err
	}
	// Here the order is for good, and a retry would make another one.
	_, err = conn.Exec(ctx, `insert into idempotency_keys (key, digest, status, order_id, body) values ($1, $2, $3, $4, $5)`,
		r.key, r.digest, a.status, a.orderID, a.body)
	if err != nil {
		return a, false, fmt.Errorf("store the answer: %w", err)
	}
	return a, false, nil
}

// unlock gives the lock back, also when the client has hung up. A connection that keeps it must not be used again.
func unlock(ctx context.Context, conn *pgxpool.Conn, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, `select pg_advisory_unlock(hashtextextended($1, 0))`, key); err != nil {
		conn.Conn().Close(ctx)
	}
}
