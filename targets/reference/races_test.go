package reference

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// untilTwice sends at once, with a key for each round, until a round makes two records. It tells whether one did, and
// whether any send was answered with a 5xx.
func (s *service) untilTwice(n int, send func(key string, i int) reply) string {
	for round := range 30 {
		before := s.count("tasks", "")
		replies := atOnce(n, func(i int) reply { return send(fmt.Sprint("round", round), i) })
		if strings.Contains(statuses(replies...), "50") {
			return statuses(replies...)
		}
		if s.count("tasks", "")-before > 1 {
			return "twice"
		}
	}
	return "once"
}

// holdBody sends a task without its body, which the handler has then begun to read, and holds that back until release
// is called.
func (s *service) holdBody(key, payload string) (release func() reply) {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() }) // the test is over
	fmt.Fprintf(conn, "POST /v1/tasks HTTP/1.1\r\nHost: reference\r\nAuthorization: Bearer reference-t1\r\nIdempotency-Key: %s\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", key, len(payload))
	answers := bufio.NewReader(conn)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		s.t.Fatalf("the body is not asked for: %q %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
	return func() reply {
		fmt.Fprint(conn, payload)
		got, err := http.ReadResponse(answers, nil)
		if err != nil {
			s.t.Error(err)
			return reply{}
		}
		defer got.Body.Close()
		return reply{status: got.StatusCode}
	}
}

// slowTask gives a task that takes long.
func (s *service) slowTask(key, takes string) func() reply {
	return func() reply { return s.task(key, body("a"), "Test-Slow: "+takes) }
}

// raceCases are those of defects that show only while several requests run.
var raceCases = map[string]faultCase{
	"check-then-insert=200ms": {func(s *service) string {
		replies := atOnce(4, func(int) reply { return s.task("k", body("a")) })
		return text(s.count("tasks", "") > 1, strings.Contains(statuses(replies...), "500"), mismatch(s)[:7])
	}, "false false 201 422", "true false 201 422"},
	"stored-after-work": {func(s *service) string {
		replies := atOnce(4, func(int) reply { return s.task("k", body("a"), "Test-Slow: 200ms") })
		return text(s.count("tasks", "") > 1, strings.Contains(statuses(replies...), "500"), statuses(s.task("k", body("a")), s.task("k", body("b"))))
	}, "false false 201 422", "true false 201 422"},
	"acts-after-body": {func(s *service) string {
		first, second := s.holdBody("k", body("a")), s.holdBody("k", body("a"))
		return statuses(first(), second(), s.task("k", body("a")), s.task("k", body("b"))) + ", " + s.total()
	}, "201 201 201 422, 1 tasks 0 notes 1 mails", "201 201 201 422, 2 tasks 0 notes 2 mails"},
	"claim-read-back": {func(s *service) string {
		return s.untilTwice(8, func(key string, _ int) reply { return s.task(key, body("a")) }) + ", " + mismatch(s)[:7]
	}, "once, 201 422", "twice, 201 422"},
	"two-payloads-both-run": {func(s *service) string {
		return s.untilTwice(8, func(key string, i int) reply { return s.task(key, body([]string{"a", "b"}[i%2])) }) + ", " + mismatch(s)[:7]
	}, "once, 201 422", "twice, 201 422"},
	"unrelated-keys-refused": {func(s *service) (out string) {
		first := s.whileRunning(s.slowTask("k", "300ms"), func() { out = statuses(s.task("k", body("a")), s.task("other", body("a"))) })
		return out + " " + statuses(first, s.task("other", body("a"))) + ", " + s.total()
	}, "409 201 201 201, 2 tasks 0 notes 2 mails", "409 503 201 201, 2 tasks 0 notes 2 mails"},
	"unrelated-keys-serialised": {func(s *service) (out string) {
		first := s.whileRunning(s.slowTask("k", "500ms"), func() { out = statuses(s.task("k", body("a")), s.task("other", body("a"))) })
		return out + " " + statuses(first, s.task("other", body("a"))) + ", " + s.total()
	}, "409 201 201 201, 2 tasks 0 notes 2 mails", "409 503 201 201, 2 tasks 0 notes 2 mails"},
	"conflict-while-running-as-in-progress": {func(s *service) (out string) {
		first := s.whileRunning(s.slowTask("k", "300ms"), func() { out = statuses(s.task("k", body("a")), s.task("k", body("b"))) })
		return out + " " + statuses(first, s.task("k", body("b"))) + ", " + s.total()
	}, "409 422 201 422, 1 tasks 0 notes 1 mails", "409 409 201 422, 1 tasks 0 notes 1 mails"},
	"operation-not-in-scope": {func(s *service) string {
		first, second := s.task("k", body("a")), s.note("k", body("b"))
		out := text(statuses(first, second), first.body == second.body, s.total())
		both := atOnce(2, func(i int) reply {
			return []func(string, string, ...string) reply{s.task, s.note}[i]("both", body("a"))
		})
		return text(out, both[0].body == both[1].body)
	}, "201 201 false 1 tasks 1 notes 2 mails false", "201 201 true 1 tasks 0 notes 1 mails true"},
	"tenants-share-lock": {func(s *service) (out string) {
		s.approve("E204", "A18", "Authorization: Bearer reference-t2")
		there := func() reply { return s.task("k", body("a"), "Authorization: Bearer reference-t2") }
		first := s.whileRunning(s.slowTask("k", "300ms"), func() { out = statuses(s.task("k", body("a")), there()) })
		return out + " " + statuses(first, there()) + ", " + text(s.total(), s.count("tasks", "", "Authorization: Bearer reference-t2"))
	}, "409 201 201 201, 1 tasks 0 notes 1 mails 1", "409 409 201 201, 1 tasks 0 notes 1 mails 1"},
	"merges-distinct-bursts=500ms": {func(s *service) string {
		together := func() []reply { return atOnce(3, func(i int) reply { return s.task(fmt.Sprint("k", i), body("a")) }) }
		return statuses(together()...) + " " + statuses(together()...) + ", " + s.total()
	}, "201 201 201 201 201 201, 3 tasks 0 notes 3 mails", "201 201 201 201 201 201, 1 tasks 0 notes 1 mails"},
	"lock-shorter-than-handler=10s":    {outlived, "409 201 409, 1 tasks 0 notes 1 mails", "201 201 201, 2 tasks 0 notes 2 mails"},
	"lock-deleted-by-former-owner=10s": {outlived, "409 201 409, 1 tasks 0 notes 1 mails", "201 201 201, 3 tasks 0 notes 3 mails"},
	"per-process-store": {func(s *service) string {
		replicas := []*service{s, start(s.t, Options{Path: s.server.options.Path, Defects: s.server.options.Defects})}
		apart := statuses(replicas[0].task("k", body("a")), replicas[1].task("k", body("a"))) + ", " + s.total()
		atOnce(2, func(i int) reply { return replicas[i].task("both", body("a")) })
		return apart + ", then " + s.total()
	}, "201 201, 1 tasks 0 notes 1 mails, then 2 tasks 0 notes 2 mails", "201 201, 2 tasks 0 notes 2 mails, then 4 tasks 0 notes 4 mails"},
}

// outlived sends a slow task, a second one when the lock of the first has run out, and a third one when the first has
// ended and the second still runs.
func outlived(s *service) string {
	second := make(chan reply, 1)
	first := s.whileRunning(s.slowTask("k", "300ms"), func() {
		owner := s.owner()
		s.send("POST /admin/clock", `{"advance":"10s"}`)
		go func() { second <- s.slowTask("k", "1500ms")() }()
		if !s.eventually(func() bool { return s.owner() != owner }) {
			s.t.Error("the claim was not taken over")
		}
	})
	third := s.task("k", body("a"))
	return statuses(first, <-second, third) + ", " + s.total()
}

// owner gives who holds the only claim.
func (s *service) owner() (name string) {
	s.t.Helper()
	if err := s.server.store.reads.QueryRow(`SELECT owner FROM ledger`).Scan(&name); err != nil {
		s.t.Error(err)
	}
	return name
}

// TestSpin measures the shortest waits: those that nothing has interrupted.
func TestSpin(t *testing.T) {
	for _, window := range []time.Duration{0, 50 * time.Microsecond, time.Millisecond} {
		shortest := time.Hour
		for range 200 {
			begun := time.Now()
			if err := hesitate(context.Background(), window); err != nil {
				t.Fatal(err)
			}
			shortest = min(shortest, time.Since(begun))
		}
		if shortest < window || shortest > window+10*time.Microsecond {
			t.Errorf("a wait of %s takes %s", window, shortest)
		}
	}
}

// TestSightings sends to the defects that keep their claims in memory what they have to answer rightly.
func TestSightings(t *testing.T) {
	t.Parallel()
	for _, defect := range []string{"check-then-insert=0s", "check-then-insert=50us", "acts-after-body"} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			clock, path := newTestClock(), filepath.Join(t.TempDir(), "store.db")
			s := start(t, Options{Path: path, Defects: []string{defect}, Now: clock.Now, Retention: time.Hour})
			s.approve("E204", "A18")
			first := make(chan reply, 1)
			go func() { first <- s.slowTask("k", "300ms")() }()
			if !s.eventually(func() bool {
				s.server.races.mu.Lock()
				defer s.server.races.mu.Unlock()
				return len(s.server.races.sightings) > 0
			}) {
				t.Error("no claim was noted")
			}
			during := statuses(s.task("k", body("a")), s.task("k", body("b")))
			equal(t, "while the first runs", during+" "+statuses(<-first), "409 422 201")
			equal(t, "repeat, conflict, invalid", statuses(s.task("k", body("a")), s.task("k", body("b")), s.task("k", body(""))), "201 422 422")
			equal(t, "failed, then repeated", statuses(s.task("f", body("a"), "Test-Fail: 503"), s.task("f", body("b")), s.task("f", body("b"))), "503 201 201")
			equal(t, "invalid, then corrected", statuses(s.task("i", body("")), s.task("i", body("a"))), "400 201")
			equal(t, "answer lost", statuses(s.task("l", body("a"), "Test-Fail: 500", "Test-Fail-At: after-commit"), s.task("l", body("a"))), "500 201")
			other := start(t, Options{Path: path, Defects: []string{defect}, Now: clock.Now, Retention: time.Hour})
			equal(t, "on a replica", statuses(other.task("k", body("b")), other.task("k", body("a")), other.task("k", body("a"))), "422 201 201")
			equal(t, "records", s.total(), "4 tasks 0 notes 4 mails")
			clock.advance(time.Hour)
			equal(t, "expired", statuses(s.task("k", body("b")), s.task("k", body("b")), other.task("k", body("b"))), "201 201 201")
			equal(t, "records", s.total(), "5 tasks 0 notes 5 mails")
		})
	}
}
