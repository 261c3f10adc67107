package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// jobs are queries as a service sends them all the time, whether it has requests or not.
var jobs = []string{
	`select 1`,
	`select id from jobs where due <= now() order by due limit 1`,
	`update heartbeat set at = now() where id = 1`,
}

// background carries out the jobs every 3 to 7 ms until the context ends, each on a connection of its own. That some of
// them fail is no matter: the database may be away.
func (s *store) background(ctx context.Context) {
	config := s.pool.Config()
	config.MaxConns = int32(len(jobs))
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return // cannot happen: the pool of the same configuration is open
	}
	defer pool.Close()
	var all sync.WaitGroup
	defer all.Wait()
	for _, query := range jobs {
		all.Go(func() {
			for ctx.Err() == nil {
				pool.Exec(ctx, query)
				wait(ctx, 3*time.Millisecond+rand.N(4*time.Millisecond))
			}
		})
	}
}

// wait waits, or until the context ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
