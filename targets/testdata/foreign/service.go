package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// tenantHeader names the caller; each value is a tenant of its own.
const tenantHeader = "Tenant"

// service answers the requests; it knows nothing of keys.
type service struct {
	store *store
	work  time.Duration
}

// unguarded is the service alone.
func unguarded(s *service) (http.Handler, error) { return s.routes(), nil }

func (s *service) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /{kind}", s.create)
	mux.HandleFunc("GET /{kind}", s.list)
	mux.HandleFunc("GET /{kind}/{id}", s.read)
	mux.HandleFunc("DELETE /{kind}/{id}", s.remove)
	return mux
}

// failure is what a handler says when it does not do its work.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func (s *service) create(w http.ResponseWriter, r *http.Request) {
	rec, err := s.accept(r, r.PathValue("kind"))
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Location", "/"+rec.Kind+"/"+rec.ID)
	answer(w, http.StatusCreated, rec.shown)
}

// accept reads the body, takes the time of a write, or more when the request says so, and keeps the record.
func (s *service) accept(r *http.Request, kind string) (*record, error) {
	rec := &record{Kind: kind, Tenant: r.Header.Get(tenantHeader)}
	if err := json.NewDecoder(r.Body).Decode(&rec.shown); err != nil {
		return nil, &failure{http.StatusBadRequest, "the body is no JSON object"}
	}
	if err := s.toil(r.Header.Get("Test-Slow")); err != nil {
		return nil, err
	}
	if status, _ := strconv.Atoi(r.Header.Get("Test-Fail")); status != 0 {
		return nil, &failure{status, "told to fail"}
	}
	if rec.Account == "" {
		return nil, &failure{http.StatusUnprocessableEntity, "account is empty"}
	}
	if err := s.store.add(rec); err != nil {
		return nil, fmt.Errorf("keep the record: %w", err)
	}
	return rec, nil
}

func (s *service) toil(text string) error {
	d := s.work
	if text != "" {
		slow, err := time.ParseDuration(text)
		if err != nil {
			return &failure{http.StatusBadRequest, "Test-Slow is no duration"}
		}
		d = slow
	}
	time.Sleep(d)
	return nil
}

func (s *service) list(w http.ResponseWriter, r *http.Request) {
	kind := r.PathValue("kind")
	answer(w, http.StatusOK, map[string]any{kind: s.store.find(kind, r.Header.Get(tenantHeader), r.URL.Query().Get("q"))})
}

func (s *service) read(w http.ResponseWriter, r *http.Request) {
	rec := s.store.get(r.PathValue("kind"), r.Header.Get(tenantHeader), r.PathValue("id"))
	if rec == nil {
		fail(w, &failure{http.StatusNotFound, "no such record"})
		return
	}
	answer(w, http.StatusOK, rec.shown)
}

func (s *service) remove(w http.ResponseWriter, r *http.Request) {
	rec := s.store.get(r.PathValue("kind"), r.Header.Get(tenantHeader), r.PathValue("id"))
	if rec == nil {
		fail(w, &failure{http.StatusNotFound, "no such record"})
		return
	}
	if err := s.store.remove(rec.ID); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if f, ok := errors.AsType[*failure](err); ok {
		status = f.status
	}
	answer(w, status, map[string]string{"error": err.Error()})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // a client that has gone is not this handler's fault
}
