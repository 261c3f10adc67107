package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
)

// approval allows tasks for one event and account.
type approval struct {
	Event      string `json:"event"`
	Account    string `json:"account"`
	ApprovedBy string `json:"approved_by"`
	ApprovedAt string `json:"approved_at"`
}

// approve answers POST /v1/approvals. It needs no key: what it sets can be
// set only once.
func (s *Server) approve(ctx context.Context, r *request) (answer, error) {
	var in struct {
		Event   string `json:"event"`
		Account string `json:"account"`
	}
	if err := decode(r.body, &in); err != nil {
		return answer{}, err
	}
	if errs := required(member{"event", in.Event}, member{"account", in.Account}); len(errs) > 0 {
		return answer{}, invalid(errs...)
	}
	fresh, out := false, approval{Event: in.Event, Account: in.Account}
	err := s.store.write(ctx, s.store.work, func(tx *sql.Tx) (err error) {
		fresh, err = s.insertApproval(ctx, tx, r, &out)
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("approve: %w", err)
	}
	if fresh {
		return jsonAnswer(http.StatusCreated, out)
	}
	return jsonAnswer(http.StatusOK, out)
}

// insertApproval writes an approval, unless it exists, and fills in who made
// it and when. It returns true when it is new.
func (s *Server) insertApproval(ctx context.Context, tx *sql.Tx, r *request, out *approval) (bool, error) {
	now, err := s.now(ctx, tx)
	if err != nil {
		return false, err
	}
	fresh, err := changed(tx.ExecContext(ctx, `
		INSERT INTO approvals (tenant, environment, event, account, approved_by, approved_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		r.caller.tenant, r.environment, out.Event, out.Account, r.caller.user, now.UnixNano()))
	if err != nil {
		return false, err
	}
	var at int64
	err = tx.QueryRowContext(ctx, `SELECT approved_by, approved_at FROM approvals
		WHERE tenant = ? AND environment = ? AND event = ? AND account = ?`,
		r.caller.tenant, r.environment, out.Event, out.Account).Scan(&out.ApprovedBy, &at)
	out.ApprovedAt = timestamp(at)
	return fresh, err
}

// mayCreate checks what state decides: the approval of the event for the
// account, and the limit of the account.
//
// The two refusals differ. An attempt without approval is held: it is not
// over, and the same key works once the approval is there. An attempt beyond
// the limit is over: that is its outcome, which is stored and replayed.
func (s *Server) mayCreate(ctx context.Context, q querier, r *request, in taskInput) error {
	approved, err := exists(q.QueryRowContext(ctx, `SELECT 1 FROM approvals
		WHERE tenant = ? AND environment = ? AND event = ? AND account = ?`,
		r.caller.tenant, r.environment, in.Event, in.Account))
	if err != nil {
		return fmt.Errorf("look for the approval: %w", err)
	}
	if !approved && !s.broken(approvalNotChecked) {
		return problem{Status: http.StatusForbidden, Code: "approval_required",
			Detail: "Nobody approved this event for this account. The key stays unused."}
	}
	full, err := exists(q.QueryRowContext(ctx, `SELECT 1 FROM accounts a
		WHERE tenant = ?1 AND environment = ?2 AND id = ?3 AND open_task_limit <=
			(SELECT count(*) FROM tasks WHERE tenant = ?1 AND environment = ?2 AND account = ?3)`,
		r.caller.tenant, r.environment, in.Account))
	if err != nil {
		return fmt.Errorf("count the open tasks: %w", err)
	}
	if full {
		return problem{Status: http.StatusConflict, Code: "task_limit_reached", final: true,
			Detail: "The account has as many open tasks as it may have."}
	}
	return nil
}

// exists reports whether a query has a row.
func exists(row *sql.Row) (bool, error) {
	var one int
	err := row.Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// account is what can be set about an account; any name is an account.
type account struct {
	ID string `json:"id"`
	// OpenTaskLimit is the greatest number of tasks; null means no limit.
	OpenTaskLimit *int64 `json:"open_task_limit"`
}

// putAccount answers PUT /v1/accounts/{id}.
func (s *Server) putAccount(ctx context.Context, r *request) (answer, error) {
	var in struct {
		OpenTaskLimit *int64 `json:"open_task_limit"`
	}
	if err := decode(r.body, &in); err != nil {
		return answer{}, err
	}
	if in.OpenTaskLimit != nil && *in.OpenTaskLimit < 0 {
		return answer{}, invalid(fieldError{"open_task_limit", "must not be negative"})
	}
	err := s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO accounts (tenant, environment, id, open_task_limit) VALUES (?, ?, ?, ?)`,
			r.caller.tenant, r.environment, r.PathValue("id"), in.OpenTaskLimit)
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("set the limit of the account: %w", err)
	}
	return s.readAccount(ctx, r)
}

// readAccount answers GET /v1/accounts/{id}.
func (s *Server) readAccount(ctx context.Context, r *request) (answer, error) {
	out := account{ID: r.PathValue("id")}
	err := s.store.reads.QueryRowContext(ctx, `SELECT open_task_limit FROM accounts WHERE tenant = ? AND environment = ? AND id = ?`,
		r.caller.tenant, r.environment, out.ID).Scan(&out.OpenTaskLimit)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return answer{}, fmt.Errorf("read the account: %w", err)
	}
	return jsonAnswer(http.StatusOK, out)
}
