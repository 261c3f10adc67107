package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// hostiles lists the servers that a run must survive, by the variable that a script finds their address in.
func hostiles() map[string]http.Handler {
	html := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
	}
	one := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"orders":[{"id":"always"}]}`) }
	silent := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	refuse := func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who are you? you sent "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}
	return map[string]http.Handler{
		"GOOD_URL":         newShop(),
		"KEYLESS_URL":      newShop(func(s *shop) { s.ignoresKeys = true }),
		"LEAKY_URL":        newShop(func(s *shop) { s.echoes = true }),
		"HTML_URL":         newShop(func(s *shop) { s.list = html }),
		"ALWAYS_ONE_URL":   newShop(func(s *shop) { s.list = one }),
		"SILENT_URL":       http.HandlerFunc(silent),
		"ENDLESS_URL":      newShop(func(s *shop) { s.endless = true }),
		"UNAUTHORIZED_URL": http.HandlerFunc(refuse),
		"TLS_URL":          newShop(),
	}
}

// shop is a small order service with an idempotency key, and a switch for each way in which it is hostile.
type shop struct {
	ignoresKeys bool
	likeStripe  bool // answers as the profile stripe-v1 documents
	echoes      bool // shows in each error what the request held
	endless     bool // its answers never end
	list        http.HandlerFunc
	lateAfter   int           // shows every record twice once a text was looked for so often
	refusals    int           // 429 for the first attempts with a key
	lag         time.Duration // the list shows a record only when it is so old
	racy        bool          // looks the key up, waits, and only then remembers it
	hasty       bool          // answers as soon as the headers are there
	apart       bool          // takes one request at a time, and refuses the others for its rate
	work        time.Duration // what a create takes: a service that answers in no time lets nothing overlap
	failAfter   int           // 500 after so many creates

	mu     sync.Mutex
	one    sync.Mutex
	number int
	looks  map[string]int
	tries  map[string]int
	orders []map[string]any
	first  map[string]map[string]any
	bodies map[string]string
	made   map[string]time.Time
}

func newShop(change ...func(*shop)) *shop {
	s := &shop{work: 3 * time.Millisecond, first: map[string]map[string]any{}, bodies: map[string]string{}, looks: map[string]int{}, tries: map[string]int{}, made: map[string]time.Time{}}
	for _, c := range change {
		c(s)
	}
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.endless && r.Method == http.MethodPost:
		s.neverEnd(w, r)
	case r.Method == http.MethodPost:
		s.create(w, r)
	case r.Method == http.MethodDelete:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.orders = slices.DeleteFunc(s.orders, func(o map[string]any) bool { return strings.HasSuffix(r.URL.Path, "/"+fmt.Sprint(o["id"])) })
		w.WriteHeader(http.StatusNoContent)
	case s.list != nil:
		s.list(w, r)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		found := s.find(r.URL.Query().Get("q"))
		_ = json.NewEncoder(w).Encode(map[string]any{"orders": found, "data": found})
	}
}

func (s *shop) find(q string) []map[string]any {
	found := []map[string]any{}
	for _, o := range s.orders {
		if strings.Contains(fmt.Sprint(o["note"]), q) && time.Since(s.made[fmt.Sprint(o["id"])]) >= s.lag {
			found = append(found, o)
		}
	}
	s.looks[q]++
	if s.lateAfter > 0 && s.looks[q] > s.lateAfter && len(found) == 1 {
		found = append(found, map[string]any{"id": "late", "note": q})
	}
	return found
}

func (s *shop) create(w http.ResponseWriter, r *http.Request) {
	if s.apart && !s.one.TryLock() {
		w.Header().Set("Retry-After", "0")
		http.Error(w, `{"code":"rate"}`, http.StatusTooManyRequests)
		return
	} else if s.apart {
		defer s.one.Unlock()
	}
	if s.hasty {
		held, rest := s.held(r)
		defer rest()
		if held {
			_ = http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(http.StatusConflict)
			w.(http.Flusher).Flush()
			return
		}
	}
	time.Sleep(s.work)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // half a request is none
	}
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.first[key]; s.racy && !known {
		s.mu.Unlock()
		time.Sleep(2 * time.Millisecond) // the fault itself: the window of the race
		s.mu.Lock()
		s.forget(key)
	}
	if s.echoes {
		dump, _ := json.Marshal(map[string]any{"error": "no", "sent": string(body), "url": r.URL.String(), "header": r.Header})
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(dump)
		return
	}
	if s.likeStripe {
		var value any
		_ = json.Unmarshal(body, &value)
		body, _ = json.Marshal(value) // equal values are equal requests
	}
	old, known := s.first[key]
	s.tries[key]++
	switch {
	case s.tries[key] <= s.refusals:
		w.Header().Set("Retry-After", "0")
		http.Error(w, `{"code":"rate"}`, http.StatusTooManyRequests)
	case s.failAfter > 0 && len(s.orders) >= s.failAfter:
		http.Error(w, `{"code":"down"}`, http.StatusInternalServerError)
	case key == "" && !s.likeStripe:
		http.Error(w, `{"code":"key"}`, http.StatusBadRequest)
	case known && key != "" && !s.ignoresKeys && s.bodies[key] != string(body):
		if s.likeStripe {
			http.Error(w, `{"error":{"type":"idempotency_error"}}`, http.StatusBadRequest)
			return
		}
		http.Error(w, `{"code":"mismatch"}`, http.StatusUnprocessableEntity)
	case known && key != "" && !s.ignoresKeys:
		if s.likeStripe {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(old)
	default:
		order := map[string]any{}
		_ = json.Unmarshal(body, &order)
		s.number++
		order["id"] = fmt.Sprintf("o%d", s.number)
		s.orders = append(s.orders, order)
		s.made[fmt.Sprint(order["id"])] = time.Now()
		s.first[key], s.bodies[key] = order, string(body)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(order)
	}
}

// forget makes the shop take a key for a new one, as those that looked at the same time do.
func (s *shop) forget(key string) { delete(s.first, key) }

// held reports whether the body is still on its way a moment after the headers, and gives a function that waits for it.
func (s *shop) held(r *http.Request) (held bool, rest func()) {
	whole := make(chan []byte, 1)
	original := r.Body
	go func() {
		body, _ := io.ReadAll(original)
		whole <- body
	}()
	select {
	case body := <-whole:
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return false, func() {}
	case <-time.After(time.Millisecond):
		return true, func() { <-whole }
	}
}

func (s *shop) neverEnd(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.WriteHeader(http.StatusCreated)
	for r.Context().Err() == nil {
		if _, err := w.Write([]byte(strings.Repeat("x", 1024))); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(time.Millisecond) // endless, but not a load
	}
}

// forms are the ways in which a secret may stand in an output.
func forms(secret string) []string {
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
	}
}
