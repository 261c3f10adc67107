package reference

import (
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
}

// callers lists the built-in credentials.
var callers = []caller{
	{token: "reference-t1", tenant: "T1", user: "ana"},
	{token: "reference-t1-colleague", tenant: "T1", user: "ben"},
	{token: "reference-t1-tasks", tenant: "T1", user: "cleo", without: []string{updateNoteOperation}},
	{token: "reference-t2", tenant: "T2", user: "dan"},
}

// authenticate finds the caller by the bearer token.
func authenticate(h http.Header) (caller, error) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	i := slices.IndexFunc(callers, func(c caller) bool { return c.token == strings.TrimSpace(token) })
	if i < 0 || !strings.EqualFold(scheme, "bearer") {
		return caller{}, problem{Status: http.StatusUnauthorized, Code: "unauthorized", Detail: "A known bearer token is needed."}
	}
	return callers[i], nil
}

// environmentOf reads the Crm-Environment header; without it, production.
func environmentOf(h http.Header) (string, error) {
	switch name := h.Get("Crm-Environment"); name {
	case "", production:
		return production, nil
	case test:
		return test, nil
	default:
		return "", problem{Status: http.StatusBadRequest, Code: "invalid_environment",
			Detail: "The header Crm-Environment must be production or test."}
	}
}

// authorize refuses a caller who lacks the permission of an operation.
func (s *Server) authorize(c caller, op operation) error {
	if s.broken(authorizationNotChecked) || !slices.Contains(c.without, op.permission) {
		return nil
	}
	return problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The operation " + op.name + " needs a permission you do not have."}
}
