package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// service is a running server and a client of it.
type service struct {
	t      testing.TB
	server *Server
	url    string
	client *http.Client
}

// reply is an answer as the client saw it; status 0 means none.
type reply struct {
	status int
	header http.Header
	body   string
}

// field reads a member of a JSON body.
func (r reply) field(name string) string {
	var members map[string]any
	if json.Unmarshal([]byte(r.body), &members) != nil || members[name] == nil {
		return ""
	}
	return fmt.Sprint(members[name])
}

// start runs a server on a file of its own, with the test switches on.
func start(t testing.TB, o Options) *service {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "store.db")
	}
	o.TestSwitches = true
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		server.points.release() // after a test that has failed
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	// Without keep-alive, net/http never repeats a request by itself.
	transport := &http.Transport{DisableKeepAlives: true}
	return &service{t: t, server: server, url: web.URL, client: &http.Client{Transport: transport}}
}

// direct hands requests to a handler without a network.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// send sends one request; headers are given as "Name: value".
func (s *service) send(methodAndPath, body string, headers ...string) reply {
	return s.sendUnder(context.Background(), methodAndPath, body, headers...)
}

func (s *service) sendUnder(ctx context.Context, methodAndPath, body string, headers ...string) reply {
	method, path, _ := strings.Cut(methodAndPath, " ")
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return reply{}
	}
	r.Header.Set("Authorization", "Bearer reference-t1")
	own := http.Header{}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		own.Add(name, value)
	}
	for name, values := range own {
		r.Header[name] = values
	}
	got, err := s.client.Do(r)
	if err != nil {
		return reply{}
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	if err != nil {
		return reply{}
	}
	return reply{got.StatusCode, got.Header, string(raw)}
}

// approve approves an event for an account.
func (s *service) approve(event, account string, headers ...string) {
	s.t.Helper()
	if got := s.send("POST /v1/approvals", fmt.Sprintf(`{"event":%q,"account":%q}`, event, account), headers...); got.status > 201 {
		s.t.Fatalf("approve: %d %s", got.status, got.body)
	}
}

// body is a payload for tasks and notes, with the usual event and account.
func body(note string) string { return bodyOf("E204", "A18", note) }

func bodyOf(event, account, note string) string {
	return fmt.Sprintf(`{"event":%q,"account":%q,"revision":"P3","note":%q}`, event, account, note)
}

// task creates a task under a key.
func (s *service) task(key, payload string, headers ...string) reply {
	return s.send("POST /v1/tasks", payload, append(headers, "Idempotency-Key: "+key)...)
}

// note creates a note under a key.
func (s *service) note(key, payload string, headers ...string) reply {
	return s.send("POST /v1/review-notes", payload, append(headers, "Idempotency-Key: "+key)...)
}

// plain creates a note under a key from a plain text.
func (s *service) plain(key, note string) reply {
	return s.send("POST /v1/review-notes?event=E204&account=A18", note, "Content-Type: text/plain", "Idempotency-Key: "+key)
}

// count counts the records of a list, through all its pages.
func (s *service) count(list, query string, headers ...string) int {
	s.t.Helper()
	n := 0
	for path := "/v1/" + list + "?" + query; path != ""; {
		got := s.send("GET "+path, "", headers...)
		var page map[string]json.RawMessage
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
			s.t.Fatalf("list %s: %d %s", list, got.status, got.body)
		}
		var items []json.RawMessage
		for name, raw := range page {
			if name != "next" && json.Unmarshal(raw, &items) != nil {
				s.t.Fatalf("list %s: %s", list, got.body)
			}
		}
		n += len(items)
		path = got.field("next")
	}
	return n
}

// total sums up what exists in T1's production: tasks, notes and mails.
func (s *service) total() string {
	s.t.Helper()
	return fmt.Sprintf("%d tasks %d notes %d mails", s.count("tasks", ""), s.count("review-notes", ""), s.count("outbox", ""))
}

// statuses prints the statuses of some answers.
func statuses(replies ...reply) string {
	var out []string
	for _, r := range replies {
		out = append(out, fmt.Sprint(r.status))
	}
	return strings.Join(out, " ")
}

// atOnce calls send n times at the same time.
func atOnce(n int, send func(i int) reply) []reply {
	replies := make([]reply, n)
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-gate
			replies[i] = send(i)
		})
	}
	close(gate)
	all.Wait()
	return replies
}

// whileRunning sends a slow request and, once its claim is made, calls then.
// It returns the answer of the slow request.
func (s *service) whileRunning(slow func() reply, then func()) reply {
	s.t.Helper()
	answered := make(chan reply, 1)
	go func() { answered <- slow() }()
	if !s.eventually(func() bool { return s.rows(`state = 'running'`) > 0 }) {
		s.t.Error("no claim was made")
	}
	then()
	return <-answered
}

// eventually asks again and again until a condition holds, for ten seconds.
func (s *service) eventually(holds func() bool) bool {
	s.t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			return false
		case <-tick.C:
		}
	}
	return true
}

// rows counts rows of the ledger.
func (s *service) rows(where string) (n int) {
	s.t.Helper()
	if err := s.server.store.reads.QueryRow(`SELECT count(*) FROM ledger WHERE ` + where).Scan(&n); err != nil {
		s.t.Error(err)
	}
	return n
}

// text prints values with blanks between them.
func text(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

// equal fails the test when two texts differ.
func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// testClock is a clock that only the test moves.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newTestClock() *testClock { return &testClock{now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)} }

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
