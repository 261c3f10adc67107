package reference

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The names of the operations: permissions, and a part of each key's scope.
const (
	createTaskOperation  = "create-internal-review-task"
	createBatchOperation = "create-internal-review-tasks"
	deleteTaskOperation  = "delete-internal-review-task"
	updateNoteOperation  = "update-review-note"
	deleteNoteOperation  = "delete-review-note"
)

// The values of the Crm-Environment header.
const (
	production = "production"
	test       = "test"
)

// caller is one user of one tenant.
type caller struct {
	token, tenant, user string
	without             []string // the permissions the caller lacks
	revoked             bool     // only where a defect lets such a caller in
}

// callers lists the built-in credentials.
var callers = []caller{
	{token: "reference-t1", tenant: "T1", user: "ana"},
	{token: "reference-t1-colleague", tenant: "T1", user: "ben"},
	{token: "reference-t1-tasks", tenant: "T1", user: "cleo", without: []string{updateNoteOperation}},
	{token: "reference-t1-notes", tenant: "T1", user: "fay", without: []string{createTaskOperation}},
	{token: "reference-t1-leaver", tenant: "T1", user: "eve"},
	{token: "reference-t2", tenant: "T2", user: "dan"},
}

// authenticate finds the caller by the bearer token, unless it was revoked.
func (s *Server) authenticate(ctx context.Context, h http.Header) (caller, error) {
	c, err := callerOf(h)
	if err != nil || !s.options.TestSwitches { // without them nobody can be revoked
		return c, err
	}
	c.revoked, err = exists(s.store.reads.QueryRowContext(ctx, `SELECT 1 FROM revocations WHERE user = ?`, c.user))
	switch {
	case err != nil:
		return caller{}, fmt.Errorf("look for a revocation: %w", err)
	case c.revoked && !s.broken(revokedReplayed):
		return caller{}, unknownToken()
	}
	return c, nil
}

func unknownToken() problem {
	return problem{Status: http.StatusUnauthorized, Code: "unauthorized", Detail: "A known bearer token is needed."}
}

// callerOf finds the caller that a bearer token belongs to.
func callerOf(h http.Header) (caller, error) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	i := slices.IndexFunc(callers, func(c caller) bool { return c.token == strings.TrimSpace(token) })
	if i < 0 || !strings.EqualFold(scheme, "bearer") {
		return caller{}, unknownToken()
	}
	return callers[i], nil
}

// putCaller answers PUT /admin/callers/{user}: it revokes a user's credential,
// or restores it.
func (s *Server) putCaller(ctx context.Context, r *request) (answer, error) {
	var in struct {
		Revoked *bool `json:"revoked"`
	}
	if err := decode(r.body, &in); err != nil {
		return answer{}, err
	}
	user := r.PathValue("user")
	switch {
	case in.Revoked == nil:
		return answer{}, invalid(fieldError{"revoked", "must be true or false"})
	case !slices.ContainsFunc(callers, func(c caller) bool { return c.user == user }):
		return answer{}, notFound("caller")
	}
	statement := `DELETE FROM revocations WHERE user = ?`
	if *in.Revoked {
		statement = `INSERT OR IGNORE INTO revocations (user) VALUES (?)`
	}
	err := s.store.write(ctx, s.store.work, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, user)
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("revoke a caller: %w", err)
	}
	return jsonAnswer(http.StatusOK, map[string]any{"user": user, "revoked": *in.Revoked})
}

// environmentOf reads the Crm-Environment header; without it, production. Each region, and each ledger of an account, is
// apart as an environment is: Crm-Region and Crm-Ledger may say second.
func environmentOf(h http.Header) (string, error) {
	name := h.Get("Crm-Environment")
	switch name {
	case "":
		name = production
	case production, test:
	default:
		return "", problem{Status: http.StatusBadRequest, Code: "invalid_environment",
			Detail: "The header Crm-Environment must be production or test."}
	}
	for _, part := range []struct{ header, second string }{{"Crm-Region", inSecondRegion}, {"Crm-Ledger", inSecondLedger}} {
		switch h.Get(part.header) {
		case "", "first":
		case "second":
			name = part.second + name
		default:
			return "", problem{Status: http.StatusBadRequest, Code: "invalid_environment",
				Detail: "The header " + part.header + " must be first or second."}
		}
	}
	return name, nil
}

// What stands before the name of an environment where it is not that of the first region and ledger.
const (
	inSecondRegion = "second region, "
	inSecondLedger = "second ledger, "
)

// authorize refuses a caller who lacks the permission of an operation.
func (s *Server) authorize(c caller, op operation) error {
	if s.broken(authorizationNotChecked) || !slices.Contains(c.without, op.permission) {
		return nil
	}
	return problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The operation " + op.name + " needs a permission you do not have."}
}
