package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// keyed is an order service whose orders are its own and whose keys are in a store that it asks over TCP for each
// request. failsOpen is what it does when the store does not answer: go on as if there were no key, or refuse.
type keyed struct {
	store     string
	failsOpen bool

	mu     sync.Mutex
	orders []string
	keys   map[string]string // the first answer
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.Method == http.MethodGet {
		k.list(w, r.URL.Query().Get("q"))
		return
	}
	body, _ := io.ReadAll(r.Body)
	key, reached := r.Header.Get("Idempotency-Key"), k.ask()
	switch answer, known := k.keys[key]; {
	case !reached && !k.failsOpen:
		http.Error(w, `{"code":"store_down"}`, http.StatusServiceUnavailable)
		return
	case reached && known:
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, answer)
		return
	}
	k.orders = append(k.orders, string(body))
	answer := fmt.Sprintf(`{"id":"o%d"}`, len(k.orders))
	if reached {
		k.keys[key] = answer
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, answer)
}

func (k *keyed) list(w http.ResponseWriter, q string) {
	found := []map[string]string{}
	for i, body := range k.orders {
		if strings.Contains(body, q) {
			found = append(found, map[string]string{"id": fmt.Sprintf("o%d", i+1)})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"orders": found})
}

// ask exchanges a word with the store.
func (k *keyed) ask() bool {
	conn, err := net.DialTimeout("tcp", k.store, 5*time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("?")); err != nil {
		return false
	}
	n, _ := conn.Read(make([]byte, 1))
	return n == 1
}

// echo is the store: it gives back what it is sent.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

// A service that goes on without its key store makes a second record, and one that refuses then does not. That the store
// was away is shown by the connections that it cost: one that never asks for it proves nothing.
func TestStoreUnavailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failsOpen, elsewhere bool
		verdict              reports.Verdict
		says                 string
	}{
		"fails closed": {false, false, reports.Pass, "the API fails closed"},
		"fails open":   {true, false, reports.Fail, "the API fails open"},
		"asks another": {false, true, reports.Inconclusive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := echo(t)
			proxy, err := crash.Start(t.Context(), crash.Options{Upstream: store, Protocol: crash.TCP})
			require.NoError(t, err)
			t.Cleanup(func() { proxy.Close() })
			service := &keyed{store: proxy.Addr(), failsOpen: c.failsOpen, keys: map[string]string{}}
			if c.elsewhere {
				service.store = store
			}
			server := httptest.NewServer(service)
			t.Cleanup(server.Close)
			target, err := targets.Parse("keyed.yaml", []byte(`
name: keyed
url: `+server.URL+`
settles: 2s
operations: {create: {request: POST /orders, body: {note: "{{marker}}"}, id: $.id}}
observers: [{name: orders, list: {request: "GET /orders?q={{marker}}", items: "$.orders[*]", id: $.id}}]
run: {crash_points: {through: {listen: "127.0.0.1:1", upstream: "127.0.0.1:1", protocol: tcp}}}
`), nil)
			require.NoError(t, err)
			e, err := openURL(t.Context(), target, nil)
			require.NoError(t, err)
			e.Points, e.RefuseStore = proxy.Points(), proxy.Refuse
			r := check(t, e, "database-unavailable")
			unavailable := caseOf(t, r, "database-unavailable")
			assert.Equal(t, c.verdict, unavailable.Verdict, "%s %+v", unavailable.Reason, unavailable.Findings)
			assert.Contains(t, allNotesOf(unavailable), c.says)
			if c.verdict == reports.Fail {
				assert.Contains(t, kinds(unavailable), reports.Duplicate)
			}
		})
	}
}
