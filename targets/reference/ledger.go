package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The ledger remembers which requests were done. A row stands for one key in
// one scope, and has two states:
//
//	(none) --claim--> running --complete--> completed --retention--> (none)
//	                     |
//	                     +--release, or the lease runs out--> (none)
//
// Three rules make it safe.
//
//  1. A claim is an INSERT under a unique constraint, committed before any
//     work begins. Looking first and writing afterwards would let two copies
//     of a request both look, both find nothing, and both work.
//  2. The work, its side effects, the stored answer and the step to completed
//     are one transaction. Whenever the process dies, either all of it exists
//     or nothing of it.
//  3. A claim is a lease, which its owner renews while it works. If the owner
//     dies the lease runs out and the next attempt takes over, by an UPDATE
//     that names the owner it replaces. An owner that was only slow finds in
//     its transaction that the claim is no longer its own, and undoes its work.
type ledger struct {
	retention time.Duration
	lease     time.Duration
}

// The states of a row.
const (
	running   = "running"
	completed = "completed"
)

// errClaimLost says that another attempt has taken the claim over.
var errClaimLost = errors.New("the claim was taken over by another attempt")

// identity is what a row is found by. The scope is made of tenant,
// environment and operation. The caller is no part of it: a retry may come
// from a second worker or with a renewed credential and is still the same
// intended write. The operation is, so that a key used for two operations
// stands for two writes and never answers one with the other.
type identity struct {
	scope, key string
}

// entry is one row of the ledger.
type entry struct {
	identity
	operation, fingerprint string
	source                 source
	state, owner           string
	leaseUntil, createdAt  time.Time
	reply                  answer
}

// source names the record that a request is about.
type source struct {
	event, account string
}

// claim is the right of one attempt to do the work of a key.
type claim struct {
	identity
	owner string
}

// free reports whether a row may be claimed anew: its retention is over, or
// its owner has died. A dead owner has left nothing behind, so the row counts
// as if it had been released, whatever payload it was made for.
func (l *ledger) free(e entry, now time.Time) bool {
	if e.state == running {
		return !now.Before(e.leaseUntil)
	}
	return !now.Before(e.createdAt.Add(l.retention))
}

// claim tries to make the row of a new attempt. It returns true when the claim
// is made, and otherwise the row that stands in the way.
func (l *ledger) claim(ctx context.Context, tx *sql.Tx, e entry, now time.Time) (entry, bool, error) {
	until := now.Add(l.lease).UnixNano()
	inserted, err := changed(tx.ExecContext(ctx, `
		INSERT INTO ledger (scope, key, operation, event, account, fingerprint, state, owner, lease_until, created_at)
		VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?) ON CONFLICT (scope, key) DO NOTHING`,
		e.scope, e.key, e.operation, e.source.event, e.source.account, e.fingerprint, e.owner, until, now.UnixNano()))
	if err != nil {
		return entry{}, false, fmt.Errorf("claim the key: %w", err)
	}
	if inserted {
		return e, true, l.prune(ctx, tx, now)
	}
	old, _, err := l.find(ctx, tx, e.identity)
	if err != nil || !l.free(old, now) {
		return old, false, err
	}
	taken, err := changed(tx.ExecContext(ctx, `
		UPDATE ledger SET operation = ?, event = ?, account = ?, fingerprint = ?, state = 'running', owner = ?,
			lease_until = ?, created_at = ?, completed_at = NULL, status = NULL, headers = NULL, body = NULL, reference = NULL
		WHERE scope = ? AND key = ? AND owner = ? AND state = ? AND lease_until = ?`,
		e.operation, e.source.event, e.source.account, e.fingerprint, e.owner, until, now.UnixNano(),
		old.scope, old.key, old.owner, old.state, old.leaseUntil.UnixNano()))
	if err != nil {
		return entry{}, false, fmt.Errorf("take the key over: %w", err)
	}
	return old, taken, nil
}

// find reads the row of a key.
func (l *ledger) find(ctx context.Context, q querier, id identity) (entry, bool, error) {
	return scanEntry(q.QueryRowContext(ctx, selectEntry+` WHERE scope = ? AND key = ?`, id.scope, id.key))
}

const selectEntry = `SELECT scope, key, operation, event, account, fingerprint, state, owner, lease_until, created_at,
	coalesce(status, 0), coalesce(headers, '{}'), coalesce(body, ''), coalesce(reference, '') FROM ledger`

// scanEntry reads one row; false means that there is none.
func scanEntry(row *sql.Row) (e entry, found bool, err error) {
	var leaseUntil, createdAt int64
	var headers string
	err = row.Scan(&e.scope, &e.key, &e.operation, &e.source.event, &e.source.account, &e.fingerprint, &e.state, &e.owner,
		&leaseUntil, &createdAt, &e.reply.Status, &headers, &e.reply.Body, &e.reply.Reference)
	if errors.Is(err, sql.ErrNoRows) {
		return entry{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(headers), &e.reply.Header)
	}
	if err != nil {
		return entry{}, false, fmt.Errorf("read the ledger: %w", err)
	}
	e.leaseUntil, e.createdAt = time.Unix(0, leaseUntil), time.Unix(0, createdAt)
	return e, true, nil
}

// hold renews a lease, or returns errClaimLost. The heartbeat calls it while
// the work takes its time, and the transaction of the work before all else.
func (l *ledger) hold(ctx context.Context, tx *sql.Tx, held claim, now time.Time) error {
	return owned(changed(tx.ExecContext(ctx, `
		UPDATE ledger SET lease_until = max(lease_until, ?) WHERE scope = ? AND key = ? AND owner = ? AND state = 'running'`,
		now.Add(l.lease).UnixNano(), held.scope, held.key, held.owner)))
}

// complete stores the answer, in the transaction of the work.
func (l *ledger) complete(ctx context.Context, tx *sql.Tx, held claim, reply answer, now time.Time) error {
	headers, err := json.Marshal(reply.Header)
	if err != nil {
		return fmt.Errorf("write the headers down: %w", err)
	}
	return owned(changed(tx.ExecContext(ctx, `
		UPDATE ledger SET state = 'completed', completed_at = ?, status = ?, headers = ?, body = ?, reference = ?
		WHERE scope = ? AND key = ? AND owner = ? AND state = 'running'`,
		now.UnixNano(), reply.Status, string(headers), reply.Body, reply.Reference, held.scope, held.key, held.owner)))
}

// release gives a claim back after a refusal or failure, so that the next
// attempt runs at once. A claim that is gone or completed stays as it is.
func (l *ledger) release(ctx context.Context, tx *sql.Tx, held claim) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE scope = ? AND key = ? AND owner = ? AND state = 'running'`,
		held.scope, held.key, held.owner)
	if err != nil {
		return fmt.Errorf("release the claim: %w", err)
	}
	return nil
}

// prune removes a few rows whose retention is over. Each claim adds one row
// and removes up to ten, so the table needs no caretaker.
func (l *ledger) prune(ctx context.Context, tx *sql.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger WHERE rowid IN (
		SELECT rowid FROM ledger WHERE created_at <= ? AND state = 'completed' LIMIT 10)`,
		now.Add(-l.retention).UnixNano())
	if err != nil {
		return fmt.Errorf("prune the ledger: %w", err)
	}
	return nil
}

// changed reports whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows > 0, err
}

// owned turns a statement that found no row of this owner into errClaimLost.
func owned(found bool, err error) error {
	if err != nil {
		return fmt.Errorf("change the claim: %w", err)
	}
	if !found {
		return errClaimLost
	}
	return nil
}
