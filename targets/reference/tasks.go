package reference

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// taskInput is the body of a create.
type taskInput struct {
	Event    string `json:"event"`
	Account  string `json:"account"`
	Revision string `json:"revision"`
	Note     string `json:"note"`
	Owner    string `json:"owner"`
	Due      string `json:"due"`
}

// task is one internal review task.
type task struct {
	ID        string `json:"id"`
	Event     string `json:"event"`
	Account   string `json:"account"`
	Revision  string `json:"revision"`
	Note      string `json:"note"`
	Owner     string `json:"owner,omitempty"`
	Due       string `json:"due,omitempty"`
	CreatedBy string `json:"created_by"`
	CreatedAt string `json:"created_at"`

	seq int64
}

// position is the place of the task in a list.
func (t task) position() int64 { return t.seq }

// prepareTask prepares POST /v1/tasks.
func (s *Server) prepareTask(a *attempt) error {
	var in taskInput
	if err := s.manners.decode(a.body, &in); err != nil {
		return err
	}
	if errs := in.check(); len(errs) > 0 {
		return invalid(errs...)
	}
	a.source = source{in.Event, in.Account}
	a.gate = func(ctx context.Context, q querier) error { return s.mayCreate(ctx, q, a.request, in) }
	a.work = func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
		if err := a.gate(ctx, tx); err != nil {
			return answer{}, err
		}
		if err := s.manners.guard(ctx, tx, a.request, now); err != nil {
			return answer{}, err
		}
		t, err := s.createTask(ctx, tx, a.request, in, now)
		if err != nil {
			return answer{}, err
		}
		return created("/v1/tasks/", t.ID, t)
	}
	return nil
}

// check lists what is wrong with the fields.
func (in taskInput) check() (errs []fieldError) {
	errs = required(member{"event", in.Event}, member{"account", in.Account}, member{"note", in.Note})
	if in.Due != "" {
		if _, err := time.Parse(time.DateOnly, in.Due); err != nil {
			errs = append(errs, fieldError{"due", "must be a date such as 2026-01-31"})
		}
	}
	return errs
}

// createTask does what a defect does instead of creating a task, or creates it.
func (s *Server) createTask(ctx context.Context, tx *sql.Tx, r *request, in taskInput, now time.Time) (task, error) {
	if s.broken(dedupeByPayload) {
		if t, found, err := s.sameWording(ctx, tx, r, in); found || err != nil {
			return t, err
		}
	}
	if s.broken(collapseEverything) {
		if t, found, err := s.firstTask(ctx, tx, r); found || err != nil {
			return t, err
		}
	}
	return s.insertTask(ctx, tx, r, in, now)
}

// insertTask writes a task and its one mail.
func (s *Server) insertTask(ctx context.Context, tx *sql.Tx, r *request, in taskInput, now time.Time) (task, error) {
	var seq int64
	err := s.step(stepTask, func() (err error) {
		seq, err = insertedAt(tx.ExecContext(ctx, `
			INSERT INTO tasks (tenant, environment, event, account, revision, note, owner, due, created_by, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.caller.tenant, r.environment, in.Event, in.Account, in.Revision, in.Note, in.Owner, in.Due, r.caller.user, now.UnixNano()))
		return err
	})
	if err != nil {
		return task{}, fmt.Errorf("write the task: %w", err)
	}
	t := task{ID: "D" + strconv.FormatInt(seq, 10), Event: in.Event, Account: in.Account, Revision: in.Revision, Note: in.Note,
		Owner: in.Owner, Due: in.Due, CreatedBy: r.caller.user, CreatedAt: timestamp(now.UnixNano()), seq: seq}
	to := in.Owner
	if to == "" {
		to = "review desk"
	}
	return t, s.send(ctx, tx, r, mail{Kind: "task-created", To: to, about: t.ID,
		Body: fmt.Sprintf("Task %s, event %s, account %s, owner %s: %s", t.ID, t.Event, t.Account, to, t.Note)}, now)
}

const selectTask = `SELECT seq, event, account, revision, note, owner, due, created_by, created_at FROM tasks`

// scanTask reads one task.
func scanTask(row scanner) (t task, err error) {
	var createdAt int64
	err = row.Scan(&t.seq, &t.Event, &t.Account, &t.Revision, &t.Note, &t.Owner, &t.Due, &t.CreatedBy, &createdAt)
	if err != nil {
		return task{}, fmt.Errorf("read a task: %w", err)
	}
	t.ID, t.CreatedAt = "D"+strconv.FormatInt(t.seq, 10), timestamp(createdAt)
	return t, nil
}

// readTask answers GET /v1/tasks/{id}.
func (s *Server) readTask(ctx context.Context, r *request) (answer, error) {
	return read(ctx, s, r, "task", selectTask, sequence("D", r.PathValue("id")), scanTask)
}

const deleteTask = `DELETE FROM tasks WHERE tenant = ? AND environment = ? AND seq = ?`

// deletion prepares the delete of one record by the id in its path. The
// letter is the one that its id begins with.
func (s *Server) deletion(what, statement, letter string) func(*attempt) error {
	return func(a *attempt) error {
		id := a.PathValue("id")
		a.gate = func(context.Context, querier) error { return nil }
		a.work = func(ctx context.Context, tx *sql.Tx, _ time.Time) (answer, error) {
			var found bool
			err := s.step(stepDelete, func() (err error) {
				found, err = changed(tx.ExecContext(ctx, statement, a.caller.tenant, a.environment, sequence(letter, id)))
				return err
			})
			if err != nil {
				return answer{}, fmt.Errorf("delete the %s: %w", what, err)
			}
			if !found {
				return answer{}, notFound(what)
			}
			if s.broken(deleteForgetsKey) {
				if err := s.forgetMaker(ctx, tx, id); err != nil {
					return answer{}, err
				}
			}
			return answer{Status: http.StatusNoContent, Reference: id}, nil
		}
		return nil
	}
}

// created is the answer to a create: 201 and where the record is.
func created(path, id string, record any) (answer, error) {
	reply, err := jsonAnswer(http.StatusCreated, record)
	if err != nil {
		return answer{}, err
	}
	reply.Header["Location"], reply.Reference = path+id, id
	return reply, nil
}

// insertedAt returns the sequence number of an inserted row.
func insertedAt(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// sequence reads the number behind the letter of an id; 0 is no record.
func sequence(letter, id string) int64 {
	digits, ok := strings.CutPrefix(id, letter)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || strconv.FormatInt(n, 10) != digits {
		return 0
	}
	return n
}
