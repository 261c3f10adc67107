package reference

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// This file holds the wrong ways to treat a key whose retention is over. Only
// the defects lead here.

// wrongRetention is how long a key is kept by a defect, or as it should be.
func (s *Server) wrongRetention(right time.Duration) time.Duration {
	switch {
	case s.broken(expiresEarly):
		return right / 2
	case s.broken(neverExpires):
		return forEver
	}
	return right
}

// expired gives the completed row of an attempt's key whose retention is over.
func (s *Server) expired(ctx context.Context, a *attempt) (entry, bool, error) {
	e, found, err := s.ledger.find(ctx, s.store.reads, s.identity(a))
	if err != nil || !found || e.state != completed {
		return e, false, err
	}
	now, err := s.now(ctx, s.store.reads)
	return e, err == nil && s.ledger.free(e, now), err
}

// performExpired is the way of the defects that strike when a key is used
// again after its retention; other requests are performed as ever.
func (s *Server) performExpired(ctx context.Context, a *attempt) (answer, error) {
	old, over, err := s.expired(ctx, a)
	if err != nil {
		return answer{}, err
	}
	if !over {
		return s.performOnce(ctx, a)
	}
	if s.broken(expiredKeyRefused) || s.broken(expiredKeyKeepsPayload) && old.fingerprint != a.fingerprint {
		return s.refuseExpired(a, old)
	}
	reply, err := s.performOnce(ctx, a)
	if err != nil {
		return answer{}, err
	}
	if s.broken(expiredForgetsNew) {
		return reply, s.store.write(ctx, s.store.work, func(tx *sql.Tx) error { return s.forget(ctx, tx, old.identity) })
	}
	if s.broken(expiredAnswersOld) {
		return old.reply, nil
	}
	return reply, nil
}

// refuseExpired refuses a key for what is left of it.
func (s *Server) refuseExpired(a *attempt, old entry) (answer, error) {
	if old.fingerprint != a.fingerprint {
		return answer{}, reused()
	}
	return answer{}, keyUsed()
}

// strikesExpired reports whether a defect is on that performExpired carries out.
func (s *Server) strikesExpired() bool {
	return s.broken(expiredKeyRefused) || s.broken(expiredKeyKeepsPayload) || s.broken(expiredForgetsNew) || s.broken(expiredAnswersOld)
}

// forget removes a key.
func (s *Server) forget(ctx context.Context, tx *sql.Tx, id identity) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE scope = ? AND key = ?`, id.scope, id.key); err != nil {
		return fmt.Errorf("forget the key: %w", err)
	}
	return nil
}

// prolong begins the retention of a key anew (retention-from-last-use).
func (s *Server) prolong(ctx context.Context, id identity) error {
	return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE ledger SET created_at = ? WHERE scope = ? AND key = ?`, now.UnixNano(), id.scope, id.key)
		return err
	})
}
