package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// stuckInProgress is broken on purpose: its claim is committed before the work begins, so that others are told at once
// that the key is in progress. But nobody asks whether the owner of a claim still lives.
func stuckInProgress(ctx context.Context, pool *pgxpool.Pool, r request) (a answer, replayed bool, err error) {
	claimed, err := claim(ctx, pool, r)
	if err != nil {
		return a, false, err
	}
	if !claimed {
		a, err = recall(ctx, pool, r)
		return a, true, err
	}
	// From here to the commit, a crash leaves a claim without an answer behind.
	tx, err := pool.Begin(ctx)
	if err != nil {
		return a, false, fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback(ctx)
	if a, err = complete(ctx, tx, r); err != nil {
		return a, false, err
	}
	if err := tx.Commit(ctx); err != nil {
		return a, false, fmt.Errorf("commit: %w", err)
	}
	return a, false, nil
}
