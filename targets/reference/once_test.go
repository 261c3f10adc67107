package reference

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReplayIsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	first := s.task("k", body("a"))
	equal(t, "first", text(first.status, first.header.Get("Idempotent-Replayed")), "201 ")
	for _, key := range []string{"k", `"k"`, " k "} {
		again := s.task(key, `{"account":"A18", "note":"\u0061", "revision":"P3", "event":"E204"}`)
		equal(t, "status", statuses(again), "201")
		equal(t, "body", again.body, first.body)
		for _, h := range []string{"Content-Type", "Location"} {
			equal(t, h, again.header.Get(h), first.header.Get(h))
		}
		equal(t, "mark", again.header.Get("Idempotent-Replayed"), "true")
	}
	equal(t, "records", s.total(), "1 tasks 0 notes 1 mails")
}

func TestProblems(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	s.task("used", body("a"))
	long := strings.Repeat("k", 256)
	for name, c := range map[string]struct {
		request, body string
		headers       []string
		want          string
	}{
		"missing key":      {"POST /v1/tasks", body("a"), nil, "400 idempotency_key_missing"},
		"empty key":        {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: "}, "400 idempotency_key_missing"},
		"empty quoted key": {"POST /v1/tasks", body("a"), []string{`Idempotency-Key: ""`}, "400 idempotency_key_missing"},
		"two keys":         {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: a", "Idempotency-Key: a"}, "400 idempotency_key_invalid"},
		"long key":         {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: " + long}, "400 idempotency_key_invalid"},
		"key not ASCII":    {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: schlüssel"}, "400 idempotency_key_invalid"},
		"other payload":    {"POST /v1/tasks", body("b"), []string{"Idempotency-Key: used"}, "422 idempotency_key_reused"},
		"invalid reuse":    {"POST /v1/tasks", body(""), []string{"Idempotency-Key: used"}, "422 idempotency_key_reused"},
		"no credential":    {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: used", "Authorization: Bearer x"}, "401 unauthorized"},
		"no permission":    {"POST /v1/review-notes", body("a"), []string{"Idempotency-Key: n", "Authorization: Bearer reference-t1-tasks"}, "403 forbidden"},
		"environment":      {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: x", "Crm-Environment: staging"}, "400 invalid_environment"},
		"not approved":     {"POST /v1/tasks", bodyOf("E1", "A1", "a"), []string{"Idempotency-Key: x"}, "403 approval_required"},
		"not JSON":         {"POST /v1/tasks", "note=a", []string{"Idempotency-Key: x"}, "400 malformed"},
		"not an object":    {"POST /v1/tasks", "[]", []string{"Idempotency-Key: x"}, "400 malformed"},
		"no body":          {"POST /v1/tasks", "", []string{"Idempotency-Key: x"}, "400 malformed"},
		"member twice":     {"POST /v1/tasks", `{"note":"a","note":"b"}`, []string{"Idempotency-Key: x"}, "400 malformed"},
		"unknown member":   {"POST /v1/tasks", `{"Note":"a"}`, []string{"Idempotency-Key: x"}, "400 invalid"},
		"wrong type":       {"POST /v1/tasks", `{"note":1}`, []string{"Idempotency-Key: x"}, "400 invalid"},
		"empty note":       {"POST /v1/tasks", body(" "), []string{"Idempotency-Key: x"}, "400 invalid"},
		"due":              {"POST /v1/tasks", `{"event":"E204","account":"A18","note":"a","due":"soon"}`, []string{"Idempotency-Key: x"}, "400 invalid"},
		"rate limit":       {"POST /v1/tasks", body("a"), []string{"Idempotency-Key: used", "Test-Refuse: 429"}, "429 rate_limited"},
		"no route":         {"GET /v2", "", nil, "404 not_found"},
		"no method":        {"PATCH /v1/tasks", "", nil, "405 method_not_allowed"},
		"no task":          {"GET /v1/tasks/D0", "", nil, "404 not_found"},
		"no task to go":    {"DELETE /v1/tasks/D9", "", nil, "404 not_found"},
		"limit":            {"GET /v1/tasks?limit=0", "", nil, "400 invalid"},
		"too large":        {"POST /v1/tasks", strings.Repeat(" ", maxBody+1), []string{"Idempotency-Key: x"}, "413 too_large"},
	} {
		got := s.send(c.request, c.body, c.headers...)
		if !strings.Contains(policy, "`"+got.field("code")+"`") {
			t.Errorf("%s: the policy does not name the code", name)
		}
		equal(t, name, text(got.status, got.field("code")), c.want)
		equal(t, name, got.header.Get("Content-Type"), "application/problem+json")
		equal(t, name, text(got.field("type"), got.field("status"), got.header.Get("Link")),
			text("/docs#"+got.field("code"), got.status, `</docs>; rel="describedby"`))
	}
	equal(t, "records", s.total(), "1 tasks 0 notes 1 mails")
	equal(t, "keys", fmt.Sprint(s.rows("true")), "1")
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Lease: 150 * time.Millisecond})
	s.approve("E204", "A18")
	first := s.whileRunning(func() reply { return s.task("k", body("a"), "Test-Slow: 600ms") }, func() {
		same, other := s.task("k", body("a")), s.task("k", body("b"))
		equal(t, "same and other payload", statuses(same, other), "409 422")
		equal(t, "hint", text(same.field("code"), same.header.Get("Retry-After")), "idempotency_in_flight 1")
		equal(t, "other key", statuses(s.task("k2", body("a"))), "201")
		s.eventually(func() bool { return s.rows("created_at + 300000000 < lease_until") == 1 }) // renewed twice
		equal(t, "after the first lease", statuses(s.task("k", body("a"))), "409")
	})
	equal(t, "first, replay", statuses(first, s.task("k", body("a")))+" "+s.total(), "201 201 2 tasks 0 notes 2 mails")
}

func TestWhatBurnsNoKey(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{
		"fails before the work": {"Test-Fail: 500", "Test-Fail-At: before-work"},
		"fails in the work":     {"Test-Fail: 503", "Test-Fail-At: in-work"},
		"drops in the work":     {"Test-Fail: drop"},
		"is rate limited":       {"Test-Refuse: 429"},
		"is unauthorized":       {"Test-Refuse: 401"},
		"has a bad switch":      {"Test-Fail: yes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Options{})
			s.approve("E204", "A18")
			if got := s.task("k", body("a"), headers...); got.status == 201 {
				t.Errorf("the first attempt succeeded")
			}
			equal(t, "between", s.total(), "0 tasks 0 notes 0 mails")
			equal(t, "corrected retry", statuses(s.task("k", body("b")))+" "+s.total(), "201 1 tasks 0 notes 1 mails")
		})
	}
	t.Run("is held", func(t *testing.T) {
		t.Parallel()
		s := start(t, Options{})
		held := s.task("k", body("a"))
		s.approve("E204", "A18")
		equal(t, "held, approved", statuses(held, s.task("k", body("a")))+" "+s.total(), "403 201 1 tasks 0 notes 1 mails")
	})
}

func TestFailureAfterCommitIsReplayed(t *testing.T) {
	t.Parallel()
	for fail, want := range map[string]string{"500": "500 201", "drop": "0 201"} {
		s := start(t, Options{})
		s.approve("E204", "A18")
		first := s.task("k", body("a"), "Test-Fail: "+fail, "Test-Fail-At: after-commit")
		equal(t, fail, statuses(first, s.task("k", body("a")))+" "+s.total(), want+" 1 tasks 0 notes 1 mails")
	}
}

func TestHangUpDoesNotStopTheWork(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	hungUp, hangUp := context.WithCancel(context.Background())
	first := s.whileRunning(func() reply {
		return s.sendUnder(hungUp, "POST /v1/tasks", body("a"), "Idempotency-Key: k", "Test-Slow: 100ms")
	}, hangUp)
	equal(t, "first", statuses(first), "0")
	if !s.eventually(func() bool { return s.rows("state = 'completed'") == 1 }) {
		t.Error("the work was not completed")
	}
	equal(t, "retry", statuses(s.task("k", body("a")))+" "+s.total(), "201 1 tasks 0 notes 1 mails")
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	tenant, environment := "Authorization: Bearer reference-t2", "Crm-Environment: test"
	for _, headers := range [][]string{nil, {tenant}, {environment}, {tenant, environment}} {
		s.approve("E204", "A18", headers...)
		got := s.task("k", body("a"), headers...)
		equal(t, "own record", text(got.status, got.header.Get("Idempotent-Replayed"), s.count("tasks", "", headers...),
			s.count("outbox", "", headers...)), "201  1 1")
	}
	mine := s.task("k", body("a"))
	equal(t, "not visible", statuses(s.send("GET "+mine.header.Get("Location"), "", tenant),
		s.send("DELETE "+mine.header.Get("Location"), "", environment)), "404 404")
	colleague := s.task("k", body("a"), "Authorization: Bearer reference-t1-colleague")
	equal(t, "a colleague resends", colleague.body+colleague.header.Get("Idempotent-Replayed"), mine.body+"true")
}

func TestRetention(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	s := start(t, Options{Now: clock.Now, Retention: time.Hour})
	s.approve("E204", "A18")
	s.task("k", body("a"))
	clock.advance(time.Hour - 1)
	equal(t, "just before", statuses(s.task("k", body("a")), s.task("k", body("b"))), "201 422")
	equal(t, "just before", s.total(), "1 tasks 0 notes 1 mails")
	clock.advance(1)
	equal(t, "just after", statuses(s.task("k", body("b")), s.task("k", body("b")))+" "+s.total(), "201 201 2 tasks 0 notes 2 mails")
	for i := range 5 {
		s.task(fmt.Sprint("old", i), body("c"))
	}
	clock.advance(time.Hour)
	s.task("fresh", body("d"))
	equal(t, "pruned", fmt.Sprint(s.rows("true")), "1")
}

func TestClockIsSharedAndKept(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	path := filepath.Join(t.TempDir(), "store.db")
	one, two := start(t, Options{Path: path, Now: clock.Now}), start(t, Options{Path: path, Now: clock.Now})
	equal(t, "moved", one.send("POST /admin/clock", `{"advance":"24h"}`).field("now"), "2026-02-01T12:00:00Z")
	equal(t, "read", two.send("GET /admin/clock", "").field("now"), "2026-02-01T12:00:00Z")
	equal(t, "backwards", statuses(one.send("POST /admin/clock", `{"advance":"-1h"}`)), "400")
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	one, two := s.task("k1", body("a")).header.Get("Location"), s.task("k2", body("b")).header.Get("Location")
	key := "Idempotency-Key: d"
	equal(t, "with a key", statuses(s.send("DELETE "+one, "", key), s.send("DELETE "+one, "", key), s.send("DELETE "+two, "", key)), "204 204 422")
	equal(t, "without", statuses(s.send("DELETE "+two, ""), s.send("DELETE "+two, "")), "204 404")
	equal(t, "the create is still replayed", statuses(s.task("k1", body("a"))), "201")

	note := "DELETE " + s.note("k1", body("a")).header.Get("Location")
	equal(t, "a note of others", statuses(s.send(note, "", "Authorization: Bearer reference-t1-tasks"),
		s.send(note, "", "Authorization: Bearer reference-t2")), "403 404")
	equal(t, "a note", statuses(s.send(note, "", key), s.send(note, "", key), s.send(note, "")), "204 204 404")
	equal(t, "records", s.total(), "0 tasks 0 notes 3 mails")
}

func TestSwitchesAreOffByDefault(t *testing.T) {
	t.Parallel()
	server, err := New(Options{Path: filepath.Join(t.TempDir(), "store.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close() //nolint:errcheck // nothing was written
	for path, want := range map[string]int{"/admin/clock": 404, "/v1/tasks": 200} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer reference-t1")
		r.Header.Set("Test-Refuse", "429")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		equal(t, path, fmt.Sprint(w.Code), fmt.Sprint(want))
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Retention: 36 * time.Hour})
	got := s.send("GET /docs", "").body
	for _, part := range []string{"kept for 36h0m0s", inFlight().Code, reused().Code, "approval_required", "task_limit_reached"} {
		if !strings.Contains(got, part) {
			t.Errorf("the policy does not say %s", part)
		}
	}
	equal(t, "health", s.send("GET /healthz", "").body, `{"status":"ok"}`)
}
