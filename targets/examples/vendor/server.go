package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	maxBody = 1 << 20              // bytes of a body
	maxKey  = 255                  // characters of a key
	work    = 3 * time.Millisecond // what a create takes, as if there were a database
)

// server is the API. Everything is in memory.
type server struct {
	mode
	now func() time.Time

	mu     sync.Mutex
	orders []*order
	keys   map[string]*claim
	window time.Time // beginning of the second in which creates are counted
	count  int
}

// order is one record.
type order struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Amount    int    `json:"amount"`
	Note      string `json:"note"`
	made      time.Time
}

// claim is what is known about a key.
type claim struct {
	payload string
	order   *order // nil while the first request runs
	answer  []byte
}

func newServer(m mode, now func() time.Time) *server {
	return &server{mode: m, now: now, keys: map[string]*claim{}}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/orders", s.create)
	mux.HandleFunc("GET /v1/orders", s.list)
	mux.HandleFunc("GET /v1/orders/{id}", s.read)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.notJSON:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Welcome to our developer portal</title>")
		case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
			fail(w, http.StatusUnauthorized, "unauthorized")
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// create takes {"reference": "…", "amount": 4200, "note": "…"}.
func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // half a request is none
	}
	key := r.Header.Get("Idempotency-Key")
	if refusal, status := s.refusal(key); refusal != "" {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		fail(w, status, refusal)
		return
	}
	var o order
	if err := json.Unmarshal(body, &o); err != nil || o.Reference == "" || o.Amount <= 0 {
		fail(w, http.StatusBadRequest, "invalid_order")
		return
	}
	canonical, _ := json.Marshal(o) // equal values are equal payloads
	switch {
	case s.byContent:
		s.once(w, "content "+string(canonical), string(canonical), o)
	case s.ignores || key == "":
		time.Sleep(work)
		respond(w, http.StatusCreated, s.insert(o))
	default:
		s.once(w, key, string(canonical), o)
	}
}

// refusal says why a create is not even looked at.
func (s *server) refusal(key string) (code string, status int) {
	switch {
	case s.perSecond > 0 && s.limited():
		return "too_many_requests", http.StatusTooManyRequests
	case s.refusesHeader && key != "":
		return "unknown_header_idempotency_key", http.StatusBadRequest
	case s.needsKey && key == "":
		return "idempotency_key_required", http.StatusBadRequest
	case s.quotedOnly && key != "" && (len(key) < 3 || key[0] != '"'):
		return "idempotency_key_malformed", http.StatusBadRequest
	case len(strings.Trim(key, `"`)) > maxKey && !s.ignores && !s.byContent:
		return "idempotency_key_too_long", http.StatusBadRequest
	}
	return "", 0
}

// limited counts a create, and reports whether it is one too many in this second.
func (s *server) limited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.window) >= time.Second {
		s.window, s.count = now, 0
	}
	s.count++
	return s.count > s.perSecond
}

// once creates an order for the first request with a key, and answers the others.
func (s *server) once(w http.ResponseWriter, key, payload string, o order) {
	s.mu.Lock()
	c, known := s.keys[key]
	if !known && !s.races {
		s.keys[key] = &claim{payload: payload}
	}
	s.mu.Unlock()
	if known {
		s.again(w, c, payload, o)
		return
	}
	time.Sleep(work)
	made := s.insert(o)
	answer, _ := json.Marshal(made)
	s.mu.Lock()
	s.keys[key] = &claim{payload: payload, order: made, answer: answer}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(answer)
}

// again answers a request whose key is known.
func (s *server) again(w http.ResponseWriter, c *claim, payload string, o order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.order == nil:
		fail(w, http.StatusConflict, "request_in_progress")
	case c.payload != payload && s.overwrites:
		c.order.Reference, c.order.Amount, c.order.Note = o.Reference, o.Amount, o.Note
		respond(w, http.StatusOK, c.order)
	case c.payload != payload && !s.comparesNot:
		fail(w, http.StatusUnprocessableEntity, "idempotency_key_reused")
	case s.refusesRepeat:
		fail(w, http.StatusConflict, "already_created")
	default:
		if !s.byContent {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(c.answer)
	}
}

func (s *server) insert(o order) *order {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.ID = fmt.Sprintf("ord_%04d", len(s.orders)+1)
	o.made = s.now()
	s.orders = append(s.orders, &o)
	return &o
}

// list gives the orders whose reference is the one asked for; all, where none is.
func (s *server) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted, found := r.URL.Query().Get("reference"), []*order{}
	for _, o := range s.orders {
		if !s.hidden && (wanted == "" || o.Reference == wanted) && s.now().Sub(o.made) >= s.lag {
			found = append(found, o)
		}
	}
	respond(w, http.StatusOK, map[string]any{"data": found})
}

func (s *server) read(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.orders {
		if o.ID == r.PathValue("id") {
			respond(w, http.StatusOK, o)
			return
		}
	}
	fail(w, http.StatusNotFound, "not_found")
}

func fail(w http.ResponseWriter, status int, code string) {
	respond(w, status, map[string]string{"error": code})
}

func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that has gone is no matter
}
