package reference

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"
)

// noteInput is the body of an update of the review note.
type noteInput struct {
	Event    string `json:"event"`
	Account  string `json:"account"`
	Revision string `json:"revision"`
	Note     string `json:"note"`
}

// note is one entry of an account's review notes.
type note struct {
	ID        string `json:"id"`
	Event     string `json:"event"`
	Account   string `json:"account"`
	Revision  string `json:"revision"`
	Note      string `json:"note"`
	CreatedBy string `json:"created_by"`
	CreatedAt string `json:"created_at"`

	seq int64
}

// position is the place of the note in a list.
func (n note) position() int64 { return n.seq }

// prepareNote prepares POST /v1/review-notes. It needs no approval, only its
// own permission, and never touches a task.
func (s *Server) prepareNote(a *attempt) error {
	in, err := s.readNoteInput(a.request)
	if err != nil {
		return err
	}
	if errs := required(member{"event", in.Event}, member{"account", in.Account}, member{"note", in.Note}); len(errs) > 0 {
		return invalid(errs...)
	}
	a.source = source{in.Event, in.Account}
	a.gate = func(context.Context, querier) error { return nil }
	a.work = func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
		n, err := s.insertNote(ctx, tx, a.request, in, now)
		if err == nil && s.broken(noteOverwritesTask) {
			err = s.rewriteTask(ctx, tx, a.request, in)
		}
		if err != nil {
			return answer{}, err
		}
		return created("/v1/review-notes/", n.ID, n)
	}
	return nil
}

// readNoteInput reads a note from JSON or, where the body is a plain text, from
// that and the query.
func (s *Server) readNoteInput(r *request) (in noteInput, err error) {
	if !isText(r.Header) {
		return in, s.manners.decode(r.body, &in)
	}
	q := r.URL.Query()
	return noteInput{Event: q.Get("event"), Account: q.Get("account"), Revision: q.Get("revision"), Note: string(r.body)}, nil
}

// insertNote writes a note and its one mail.
func (s *Server) insertNote(ctx context.Context, tx *sql.Tx, r *request, in noteInput, now time.Time) (note, error) {
	var seq int64
	err := s.step(stepNote, func() (err error) {
		seq, err = insertedAt(tx.ExecContext(ctx, `
			INSERT INTO notes (tenant, environment, event, account, revision, note, created_by, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			r.caller.tenant, r.environment, in.Event, in.Account, in.Revision, in.Note, r.caller.user, now.UnixNano()))
		return err
	})
	if err != nil {
		return note{}, fmt.Errorf("write the note: %w", err)
	}
	n := note{ID: "N" + strconv.FormatInt(seq, 10), Event: in.Event, Account: in.Account, Revision: in.Revision, Note: in.Note,
		CreatedBy: r.caller.user, CreatedAt: timestamp(now.UnixNano()), seq: seq}
	return n, s.send(ctx, tx, r, mail{Kind: "note-updated", To: "review desk", about: n.ID,
		Body: fmt.Sprintf("Note %s, event %s, account %s: %s", n.ID, n.Event, n.Account, n.Note)}, now)
}

const deleteNote = `DELETE FROM notes WHERE tenant = ? AND environment = ? AND seq = ?`

const selectNote = `SELECT seq, event, account, revision, note, created_by, created_at FROM notes`

// scanNote reads one note.
func scanNote(row scanner) (n note, err error) {
	var createdAt int64
	if err = row.Scan(&n.seq, &n.Event, &n.Account, &n.Revision, &n.Note, &n.CreatedBy, &createdAt); err != nil {
		return note{}, fmt.Errorf("read a note: %w", err)
	}
	n.ID, n.CreatedAt = "N"+strconv.FormatInt(n.seq, 10), timestamp(createdAt)
	return n, nil
}

// readNote answers GET /v1/review-notes/{id}.
func (s *Server) readNote(ctx context.Context, r *request) (answer, error) {
	return read(ctx, s, r, "note", selectNote, sequence("N", r.PathValue("id")), scanNote)
}
