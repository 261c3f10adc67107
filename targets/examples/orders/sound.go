package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// sound does all in one transaction: there is an order if and only if its answer is stored. Whoever comes with the same
// key meanwhile waits at the claim until the transaction has ended, and then replays, or does the work if there was a
// rollback.
func sound(ctx context.Context, pool *pgxpool.Pool, r request) (a answer, replayed bool, err error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return a, false, fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback(ctx) // does nothing after a commit; closes the connection when the client has hung up
	claimed, err := claim(ctx, tx, r)
	if err != nil {
		return a, false, err
	}
	if !claimed {
		a, err = recall(ctx, tx, r)
		return a, true, err
	}
	if a, err = complete(ctx, tx, r); err != nil {
		return a, false, err
	}
	if err := tx.Commit(ctx); err != nil {
		return a, false, fmt.Errorf("commit: %w", err)
	}
	return a, false, nil
}
