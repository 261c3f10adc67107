package reference

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
)

// This file holds the wrong ways to treat callers who are turned away, and
// keys that look odd. Only the defects lead here.

// recallAnyway gives the answer that is stored under the key to a caller who
// may not send the request; without one, the refusal
// (authorization-after-lookup, revoked-replayed).
func (s *Server) recallAnyway(ctx context.Context, a *attempt, refusal error) (answer, error) {
	if s.readKey(a, a.Header) != nil || !a.keyed {
		return answer{}, refusal
	}
	var err error
	if a.fingerprint, err = s.fingerprintOf(a.Request, a.body); err != nil {
		return answer{}, refusal
	}
	reply, known, err := s.recall(ctx, a)
	if !known && err == nil {
		err = refusal
	}
	return reply, err
}

// storeRefusal keeps the refusal of a test switch under the key
// (refusals-stored).
func (s *Server) storeRefusal(ctx context.Context, a *attempt, refused error) error {
	return s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.remember(ctx, tx, a, problemOf(refused).answer(), now)
	})
}

// oddlyRead reads a key that is none as if it were one: two lines as no key at
// all (two-keys-taken-for-none), and letters beyond ASCII as if they were not
// there (key-letters-dropped).
func (s *Server) oddlyRead(a *attempt, h http.Header) bool {
	lines := h.Values(keyHeader)
	switch {
	case s.broken(twoKeysTakenForNone) && len(lines) > 1:
		a.key, a.keyed = "", false
		return true
	case s.broken(keyLettersDropped) && len(lines) == 1:
		if _, err := parseKey(lines[0]); !errors.Is(err, errKeyFormat) {
			return false
		}
		key, err := parseKey(strings.Map(func(r rune) rune {
			if r > '~' {
				return -1
			}
			return r
		}, lines[0]))
		a.key, a.keyed = key, err == nil
		return err == nil
	}
	return false
}
