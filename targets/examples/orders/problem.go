package main

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"
)

// problem is an answer that says no (RFC 9457), with a code for programs.
type problem struct {
	status int
	code   string
	detail string
}

func (p problem) Error() string { return p.code + ": " + p.detail }

var (
	errNotReady   = problem{http.StatusServiceUnavailable, "not_ready", "the tables are not there yet"}
	errNoDatabase = problem{http.StatusServiceUnavailable, "database_unavailable", "the database cannot be reached; nothing is known of this request"}
	errInProgress = problem{http.StatusConflict, "idempotency_in_progress", "a request with this key is still being worked on"}
	errReused     = problem{http.StatusUnprocessableEntity, "idempotency_key_reused", "this key was used with another payload"}
	errNotFound   = problem{http.StatusNotFound, "not_found", "there is no such order"}
	errInternal   = problem{http.StatusInternalServerError, "internal", "the request could not be carried out"}
)

func badRequest(code, detail string) problem { return problem{http.StatusBadRequest, code, detail} }

// lockNotAvailable is what PostgreSQL says when a lock was waited for in vain.
const lockNotAvailable = "55P03"

// problemOf tells a client no more of an error than it needs. Whatever is not an answer of the database means that
// there was none.
func problemOf(err error) problem {
	if p := (problem{}); errors.As(err, &p) {
		return p
	}
	said := new(pgconn.PgError)
	if !errors.As(err, &said) {
		return errNoDatabase
	}
	if said.Code == lockNotAvailable {
		return errInProgress
	}
	switch said.Code[:2] {
	case "08", "28", "53", "57": // no connection, no login, no room, shutting down
		return errNoDatabase
	}
	return errInternal
}

func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.status)
	json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(p.status), "status": p.status, "code": p.code, "detail": p.detail,
	})
}
