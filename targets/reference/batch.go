package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// maxBatch is the greatest number of tasks in a batch.
const maxBatch = 1000

// batchAnswer is the body of a batch's answer: its tasks in their order.
type batchAnswer struct {
	Results []task `json:"results"`
}

// prepareBatch prepares POST /v1/tasks/batch: all tasks or none, in one
// transaction and under one key.
func (s *Server) prepareBatch(a *attempt) error {
	var in struct {
		Tasks []json.RawMessage `json:"tasks"`
	}
	if err := decode(a.body, &in); err != nil {
		return err
	}
	if len(in.Tasks) == 0 || len(in.Tasks) > maxBatch {
		return invalid(fieldError{"tasks", fmt.Sprintf("must have 1 to %d rows", maxBatch)})
	}
	a.rows = in.Tasks
	a.gate = func(context.Context, querier) error { return nil }
	a.work = func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
		var out batchAnswer
		for i, row := range in.Tasks {
			t, err := s.createRow(ctx, tx, a.request, row, now)
			if err != nil && s.broken(batchPartialCommit) && i > 0 {
				return badRowAnswer(nameRow(err, i)), nil // and what came before is committed
			}
			if err != nil {
				return answer{}, nameRow(err, i)
			}
			out.Results = append(out.Results, t)
		}
		return jsonAnswer(http.StatusCreated, out)
	}
	return nil
}

// createRow creates one task of a batch, under the rules of a single one.
func (s *Server) createRow(ctx context.Context, tx *sql.Tx, r *request, row json.RawMessage, now time.Time) (task, error) {
	var in taskInput
	if err := decode(row, &in); err != nil {
		return task{}, err
	}
	if errs := in.check(); len(errs) > 0 {
		return task{}, invalid(errs...)
	}
	if err := s.mayCreate(ctx, tx, r, in); err != nil {
		return task{}, err
	}
	return s.insertTask(ctx, tx, r, in, now)
}

// nameRow says in a refusal which row of the batch it is about.
func nameRow(err error, row int) error {
	p, ok := errors.AsType[problem](err)
	if !ok {
		return err
	}
	where := fmt.Sprintf("tasks[%d]", row)
	p.Detail = where + ": " + p.Detail
	for i := range p.Errors {
		p.Errors[i].Field = where + "." + p.Errors[i].Field
	}
	if len(p.Errors) == 0 {
		p.Errors = []fieldError{{where, p.Code}}
	}
	return p
}
