package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// This file holds the wrong ways to answer a known key and to do the work.
// Only the defects lead here.

// workOfOtherOperation answers with what another operation has stored under
// the key, if there is one (operation-not-in-scope). It looks in the
// transaction of the work, so that of two at once the later one finds the other.
func (s *Server) workOfOtherOperation(a *attempt) work {
	return func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
		if !a.keyed {
			return a.work(ctx, tx, now)
		}
		own := s.identity(a)
		others := own.scope[:len(own.scope)-len(a.op.name)]
		e, found, err := scanEntry(tx.QueryRowContext(ctx,
			selectEntry+` WHERE key = ? AND scope <> ? AND substr(scope, 1, ?) = ? AND state = 'completed'`,
			own.key, own.scope, len(others), others))
		if err != nil {
			return answer{}, err
		}
		if !found {
			return a.work(ctx, tx, now)
		}
		e.reply.replayed = true
		return e.reply, nil
	}
}

// overwrite puts another payload over the first task (overwrite-on-mismatch).
func (s *Server) overwrite(ctx context.Context, a *attempt, e entry) (reply answer, err error) {
	if err := a.op.prepare(a); err != nil {
		return answer{}, err
	}
	var in taskInput
	if err := decode(a.body, &in); err != nil {
		return answer{}, err
	}
	err = s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET event = ?, account = ?, revision = ?, note = ?, owner = ?, due = ? WHERE seq = ?`,
			in.Event, in.Account, in.Revision, in.Note, in.Owner, in.Due, sequence("D", e.reply.Reference))
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("overwrite the task: %w", err)
	}
	return read(ctx, s, a.request, "task", selectTask, sequence("D", e.reply.Reference), scanTask)
}

// rewriteTask puts the text of a note over that of the task for the same event
// and account (note-overwrites-task).
func (s *Server) rewriteTask(ctx context.Context, tx *sql.Tx, r *request, in noteInput) error {
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET note = ? WHERE tenant = ? AND environment = ? AND event = ? AND account = ?`,
		in.Note+" (updated)", r.caller.tenant, r.environment, in.Event, in.Account)
	if err != nil {
		return fmt.Errorf("rewrite the task: %w", err)
	}
	return nil
}

// recompute builds an answer anew, with another id and time (replay-recomputed).
func (s *Server) recompute(ctx context.Context, reply answer) (answer, error) {
	var members map[string]any
	if err := json.Unmarshal(reply.Body, &members); err != nil || members["created_at"] == nil {
		return reply, nil // not a created record
	}
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	id := fmt.Sprintf("%.1sX%s", reply.Reference, strconv.FormatInt(now.UnixNano(), 36))
	members["id"], members["created_at"] = id, timestamp(now.UnixNano())
	again, err := jsonAnswer(reply.Status, members)
	again.Header["Location"] = reply.Header["Location"][:len(reply.Header["Location"])-len(reply.Reference)] + id
	again.replayed = true
	return again, err
}

// mailAgain sends the mail of a record once more (mail-per-attempt).
func (s *Server) mailAgain(ctx context.Context, about string) error {
	return s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO mails (tenant, environment, kind, recipient, about, body, created_at)
			SELECT tenant, environment, kind, recipient, about, body, created_at FROM mails WHERE about = ? LIMIT 1`, about)
		return err
	})
}

// undo removes what the work has created (work-lost-on-hang-up).
func (s *Server) undo(ctx context.Context, tx *sql.Tx, reply answer) error {
	if reply.Status != http.StatusCreated {
		return nil
	}
	for _, statement := range []string{
		`DELETE FROM tasks WHERE 'D' || seq IN (SELECT value FROM json_each(?))`,
		`DELETE FROM notes WHERE 'N' || seq IN (SELECT value FROM json_each(?))`,
		`DELETE FROM mails WHERE about IN (SELECT value FROM json_each(?))`,
	} {
		ids, err := json.Marshal(createdIDs(reply))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, statement, string(ids)); err != nil {
			return fmt.Errorf("undo the work: %w", err)
		}
	}
	return nil
}

// createdIDs lists the records that an answer names.
func createdIDs(reply answer) []string {
	var batch struct {
		Results []task `json:"results"`
	}
	ids := []string{reply.Reference}
	if err := json.Unmarshal(reply.Body, &batch); err != nil {
		return ids
	}
	for _, t := range batch.Results {
		ids = append(ids, t.ID)
	}
	return ids
}

// sameWording finds an earlier task with the same account and note
// (dedupe-by-payload).
func (s *Server) sameWording(ctx context.Context, tx *sql.Tx, r *request, in taskInput) (task, bool, error) {
	return someTask(tx.QueryRowContext(ctx, selectTask+` WHERE tenant = ? AND environment = ? AND account = ? AND note = ? ORDER BY seq`,
		r.caller.tenant, r.environment, in.Account, in.Note))
}

// firstTask finds the first task of the tenant (collapse-everything).
func (s *Server) firstTask(ctx context.Context, tx *sql.Tx, r *request) (task, bool, error) {
	return someTask(tx.QueryRowContext(ctx, selectTask+` WHERE tenant = ? AND environment = ? ORDER BY seq`,
		r.caller.tenant, r.environment))
}

// someTask reads a task, if there is one.
func someTask(row *sql.Row) (task, bool, error) {
	t, err := scanTask(row)
	if errors.Is(err, sql.ErrNoRows) {
		return task{}, false, nil
	}
	return t, err == nil, err
}
