package reference

import (
	"context"
	"database/sql"
	"encoding/json"
)

// This file holds the wrong ways to compare what is sent, and to keep and
// repeat what was answered. Only the defects lead here.

// withoutOwner leaves a member out of what is compared (owner-not-compared).
func withoutOwner(canonical []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(canonical, &members) != nil || members["owner"] == nil {
		return canonical
	}
	delete(members, "owner")
	out, err := json.Marshal(members)
	if err != nil {
		return canonical
	}
	return out
}

// largestStored is the longest answer that is stored, in bytes
// (large-answer-not-stored).
const largestStored = 64 << 10

// retime puts the time of the repeat into an answer (replay-time-recomputed).
func (s *Server) retime(ctx context.Context, reply answer) (answer, error) {
	var members map[string]any
	if err := json.Unmarshal(reply.Body, &members); err != nil || members["created_at"] == nil {
		return reply, nil // not a created record
	}
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	members["created_at"] = timestamp(now.UnixNano())
	reply.Body, err = json.Marshal(members)
	return reply, err
}

// forgetAtOnce removes a key (replay-only-once).
func (s *Server) forgetAtOnce(ctx context.Context, id identity) error {
	return s.store.write(ctx, s.store.claims, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE scope = ? AND key = ?`, id.scope, id.key)
		return err
	})
}
