package reference

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"time"
)

// pinnedTime is the key of the time that a request itself names.
type pinnedTime struct{}

// pinTime lets a request with the header Test-Now be handled at that time.
func (s *Server) pinTime(r *request) error {
	text := r.Header.Get("Test-Now")
	if !s.options.TestSwitches || text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return invalid(fieldError{"Test-Now", "must be a time such as 2026-11-30T12:00:00Z"})
	}
	r.Request = r.WithContext(context.WithValue(r.Context(), pinnedTime{}, at))
	return nil
}

// now is the time of the service: that of Options.Now plus what /admin/clock
// has added, or what the request says. What was added lies in the store, so that all servers on one file agree.
func (s *Server) now(ctx context.Context, q querier) (time.Time, error) {
	if !s.options.TestSwitches {
		return s.options.Now(), nil
	}
	if at, pinned := ctx.Value(pinnedTime{}).(time.Time); pinned {
		return at, nil
	}
	ahead, err := s.ahead(ctx, q)
	return s.options.Now().Add(ahead), err
}

// ahead reads by how much the clock was moved.
func (s *Server) ahead(ctx context.Context, q querier) (ahead time.Duration, err error) {
	if err := q.QueryRowContext(ctx, `SELECT ahead FROM clock`).Scan(&ahead); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	return ahead, nil
}

// readClock answers GET /admin/clock.
func (s *Server) readClock(ctx context.Context, _ *request) (answer, error) {
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	return jsonAnswer(http.StatusOK, map[string]string{"now": timestamp(now.UnixNano())})
}

// moveClock answers POST /admin/clock. The clock goes forward only.
func (s *Server) moveClock(ctx context.Context, r *request) (answer, error) {
	var in struct {
		Advance string `json:"advance"`
	}
	if err := decode(r.body, &in); err != nil {
		return answer{}, err
	}
	by, err := time.ParseDuration(in.Advance)
	if err != nil || by < 0 {
		return answer{}, invalid(fieldError{"advance", "must be a duration such as 24h"})
	}
	if s.broken(clockDoesNothing) {
		by = 0
	}
	err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE clock SET ahead = ahead + ?`, by.Nanoseconds())
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("move the clock: %w", err)
	}
	return s.readClock(ctx, r)
}
