package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// maxBody is the greatest size of a body in bytes.
const maxBody = 1 << 20

// server is the API.
type server struct {
	store      *store
	create     create
	detached   bool
	background bool
	ready      atomic.Bool // there are tables
	now        func() time.Time
	newID      func() string
}

// newServer connects to nothing yet.
func newServer(o options) (*server, error) {
	create, err := variantNamed(o.variant)
	if err != nil {
		return nil, err
	}
	store, err := openStore(o.dsn, o.schema, o.pool)
	if err != nil {
		return nil, err
	}
	return &server{
		store: store, create: create, detached: o.detached, background: o.background,
		now: time.Now, newID: func() string { return "ord_" + rand.Text() },
	}, nil
}

// prepare makes the tables, and tries again as long as the database cannot be reached.
func (s *server) prepare(ctx context.Context, out io.Writer) error {
	for said := ""; ; {
		err := s.store.define(ctx)
		if err == nil {
			s.ready.Store(true)
			return nil
		}
		if text := err.Error(); text != said && ctx.Err() == nil {
			fmt.Fprintln(out, "orders:", text)
			said = text
		}
		if wait(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.answered(s.health))
	mux.HandleFunc("POST /v1/orders", s.answered(s.createOrder))
	mux.HandleFunc("GET /v1/orders", s.answered(s.listOrders))
	mux.HandleFunc("GET /v1/orders/{id}", s.answered(s.readOrder))
	mux.HandleFunc("DELETE /v1/orders/{id}", s.answered(s.deleteOrder))
	return mux
}

// answered turns the error of a handler, which has written nothing then, into its answer. Nothing is done before there
// are tables.
func (s *server) answered(handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := error(errNotReady)
		if s.ready.Load() {
			err = handle(w, r)
		}
		if err != nil {
			problemOf(err).write(w)
		}
	}
}

func (s *server) health(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
	return nil
}

// createOrder refuses what it can refuse without the database, so that a refusal uses up no key.
func (s *server) createOrder(w http.ResponseWriter, r *http.Request) error {
	key, err := headerKey(r.Header)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return unreadable(err)
	}
	o, err := parseOrder(body)
	if err != nil {
		return err
	}
	o.ID, o.CreatedAt = s.newID(), s.now().UTC().Truncate(time.Microsecond)
	sum, err := digest(body)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if s.detached {
		ctx = context.WithoutCancel(ctx)
	}
	a, replayed, err := s.create(ctx, s.store.pool, request{key: key, digest: sum, order: o})
	if err != nil {
		return err
	}
	a.write(w, replayed)
	return nil
}

// listOrders lists the orders whose note holds a text, oldest first.
func (s *server) listOrders(w http.ResponseWriter, r *http.Request) error {
	orders, err := s.store.list(r.Context(), r.URL.Query().Get("q"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string][]order{"orders": orders})
	return nil
}

func (s *server) readOrder(w http.ResponseWriter, r *http.Request) error {
	o, err := s.store.read(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, o)
	return nil
}

// deleteOrder keeps the key of the order: a replay still tells what was done.
func (s *server) deleteOrder(w http.ResponseWriter, r *http.Request) error {
	if err := s.store.delete(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// write sends an answer as it was stored, or is going to be.
func (a answer) write(w http.ResponseWriter, replayed bool) {
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Location", "/v1/orders/"+a.orderID)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	w.Write(a.body)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
