package reference

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// faultCase is a request sequence whose outcome a defect changes.
type faultCase struct {
	sequence     func(s *service) string
	right, wrong string
}

// twice sends the same task twice.
func twice(s *service) string {
	return statuses(s.task("k", body("a")), s.task("k", body("a"))) + ", " + s.total()
}

// mismatch sends two payloads under one key.
func mismatch(s *service) string {
	return statuses(s.task("k", body("a")), s.task("k", body("b"))) + ", " + s.total()
}

// failThenRetry lets the first attempt fail and sends it again.
func failThenRetry(s *service) string {
	return statuses(s.task("k", body("a"), "Test-Fail: 503"), s.task("k", body("a"))) + ", " + s.total()
}

// repeats tells what of the first answer the second one keeps.
func repeats(s *service) string {
	first, second := s.task("k", body("a")), s.task("k", body("a"))
	return fmt.Sprintf("%s, body %t, location %t, type %t, id %t", statuses(first, second), first.body == second.body,
		first.header.Get("Location") == second.header.Get("Location"),
		first.header.Get("Content-Type") == second.header.Get("Content-Type"), first.field("id") == second.field("id"))
}

// half sends a task of whose body only half arrives.
func (s *service) half(key, payload string) reply {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/tasks HTTP/1.1\r\nHost: reference\r\nAuthorization: Bearer reference-t1\r\nIdempotency-Key: %s\r\n"+
		"Content-Length: %d\r\n\r\n%s", key, len(payload), payload[:len(payload)/2])
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		s.t.Fatal(err)
	}
	got, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	return reply{status: got.StatusCode}
}

// elsewhere sends the same task to another namespace.
func elsewhere(header string) func(s *service) string {
	return func(s *service) string {
		s.approve("E204", "A18", header)
		first, second := s.task("k", body("a")), s.task("k", body("a"), header)
		return fmt.Sprintf("%s, same id %t, %d records there", statuses(first, second),
			first.field("id") == second.field("id"), s.count("tasks", "", header))
	}
}

// orphan leaves a claim behind as an owner does that was killed while it worked.
func (s *service) orphan(key string) {
	s.t.Helper()
	err := s.server.store.write(context.Background(), s.server.store.claims, func(tx *sql.Tx) error {
		now, err := s.server.now(context.Background(), tx)
		if err != nil {
			return err
		}
		id := identity{scope: "T1/production/" + createTaskOperation, key: key}
		_, _, err = s.server.ledger.claim(context.Background(), tx, entry{identity: id, operation: createTaskOperation, fingerprint: "of a", owner: "gone"}, now)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

var faultCases = map[string]faultCase{
	"claim-outlives-owner": {func(s *service) string {
		s.orphan("k")
		s.send("POST /admin/clock", `{"advance":"1m"}`)
		return statuses(s.task("k", body("a"))) + ", " + s.total()
	}, "201, 1 tasks 0 notes 1 mails", "422, 0 tasks 0 notes 0 mails"},
	"lost-race-500": {func(s *service) (out string) {
		first := s.whileRunning(func() reply { return s.task("k", body("a"), "Test-Slow: 200ms") },
			func() { out = statuses(s.task("k", body("a"))) })
		return out + " " + statuses(first, s.task("k", body("a")))
	}, "409 201 201", "500 201 201"},
	"replay-500": {func(s *service) (out string) {
		first := s.whileRunning(func() reply { return s.task("k", body("a"), "Test-Slow: 100ms") },
			func() { out = statuses(s.task("k", body("a"))) })
		return out + " " + statuses(first, s.task("k", body("a"))) + ", " + s.total()
	}, "409 201 201, 1 tasks 0 notes 1 mails", "409 201 500, 1 tasks 0 notes 1 mails"},
	"never-released": {func(s *service) string {
		first, second := s.task("k", body("a"), "Test-Fail: 500"), s.task("k", body("a"))
		s.send("POST /admin/clock", `{"advance":"20h"}`)
		return statuses(first, second, s.task("k", body("a")))
	}, "500 201 201", "500 409 409"},
	"half-request-claims-key": {func(s *service) string {
		done, half, late := s.task("done", body("a")), s.half("done", body("a")), s.half("k", body("b"))
		first := s.task("k", body("b"))
		s.send("POST /admin/clock", `{"advance":"20h"}`)
		return statuses(done, half, s.task("done", body("a"))) + ", " + statuses(late, first, s.task("k", body("b"))) + ", " + s.total()
	}, "201 400 201, 400 201 201, 2 tasks 0 notes 2 mails", "201 400 201, 400 409 409, 1 tasks 0 notes 1 mails"},
	"payload-not-compared":    {mismatch, "201 422, 1 tasks 0 notes 1 mails", "201 201, 1 tasks 0 notes 1 mails"},
	"conflict-as-in-progress": {mismatch, "201 422, 1 tasks 0 notes 1 mails", "201 409, 1 tasks 0 notes 1 mails"},
	"new-record-on-mismatch":  {mismatch, "201 422, 1 tasks 0 notes 1 mails", "201 201, 2 tasks 0 notes 2 mails"},
	"overwrite-on-mismatch": {func(s *service) string {
		first, second := s.task("k", body("a")), s.task("k", body("b"))
		return statuses(first, second) + " " + s.send("GET "+first.header.Get("Location"), "").field("note")
	}, "201 422 a", "201 200 b"},
	"conflict-leaks-original": {func(s *service) string {
		s.task("k", body("secret"))
		got := s.task("k", body("b"))
		return text(got.status, strings.Contains(got.body, "secret"))
	}, "422 false", "422 true"},
	"raw-body-fingerprint": {func(s *service) string {
		return statuses(s.task("k", body("a")), s.task("k", `{ "note": "a", "revision": "P3", "account": "A18", "event": "E204" }`))
	}, "201 201", "201 422"},
	"tenant-not-in-scope": {elsewhere("Authorization: Bearer reference-t2"),
		"201 201, same id false, 1 records there", "201 201, same id true, 0 records there"},
	"environment-not-in-scope": {elsewhere("Crm-Environment: test"),
		"201 201, same id false, 1 records there", "201 201, same id true, 0 records there"},
	"replay-status-200": {repeats, "201 201, body true, location true, type true, id true",
		"201 200, body true, location true, type true, id true"},
	"replay-headers-lost": {repeats, "201 201, body true, location true, type true, id true",
		"201 201, body true, location false, type false, id true"},
	"replay-body-truncated": {repeats, "201 201, body true, location true, type true, id true",
		"201 201, body false, location true, type true, id false"},
	"replay-recomputed": {repeats, "201 201, body true, location true, type true, id true",
		"201 201, body false, location false, type true, id false"},
	"replay-refused": {twice, "201 201, 1 tasks 0 notes 1 mails", "201 409, 1 tasks 0 notes 1 mails"},
	"mail-per-attempt": {func(s *service) string { s.task("k", body("a")); return twice(s) },
		"201 201, 1 tasks 0 notes 1 mails", "201 201, 1 tasks 0 notes 3 mails"},
	"key-ignored": {twice, "201 201, 1 tasks 0 notes 1 mails", "201 201, 2 tasks 0 notes 2 mails"},
	"dedupe-by-payload": {func(s *service) string {
		s.approve("E205", "A18")
		return statuses(s.task("k1", body("a")), s.task("k2", body("a")), s.task("k3", bodyOf("E205", "A18", "a")), s.task("k4", body("b"))) +
			", " + s.total()
	}, "201 201 201 201, 4 tasks 0 notes 4 mails", "201 201 201 201, 2 tasks 0 notes 2 mails"},
	"collapse-everything": {func(s *service) string {
		first, second := s.task("k1", body("a")), s.task("k2", body("b"))
		return text(statuses(first, second), first.field("id") == second.field("id"), s.total())
	}, "201 201 false 2 tasks 0 notes 2 mails", "201 201 true 1 tasks 0 notes 1 mails"},
	"failure-stored": {failThenRetry, "503 201, 1 tasks 0 notes 1 mails", "503 503, 0 tasks 0 notes 0 mails"},
	"key-burned-by-failure": {func(s *service) string {
		return statuses(s.task("k", body("")), s.task("k", body("")), s.task("k", body("a"))) + ", " + s.total()
	}, "400 400 201, 1 tasks 0 notes 1 mails", "400 409 422, 0 tasks 0 notes 0 mails"},
	"check-before-lookup": {func(s *service) string {
		s.send("PUT /v1/accounts/A18", `{"open_task_limit":1}`)
		return twice(s)
	}, "201 201, 1 tasks 0 notes 1 mails", "201 409, 1 tasks 0 notes 1 mails"},
	"missing-key-accepted": {func(s *service) string {
		return statuses(s.send("POST /v1/tasks", body("a")), s.send("POST /v1/tasks", body("a"))) + ", " + s.total()
	}, "400 400, 0 tasks 0 notes 0 mails", "201 201, 2 tasks 0 notes 2 mails"},
	"empty-key-accepted": {func(s *service) string {
		return statuses(s.task("", body("a")), s.task("", body("a")), s.task(`""`, body("b"))) + ", " + s.total()
	}, "400 400 400, 0 tasks 0 notes 0 mails", "201 201 422, 1 tasks 0 notes 1 mails"},
	"long-key-500": {func(s *service) string {
		return statuses(s.task(strings.Repeat("k", 255), body("a")), s.task(strings.Repeat("k", 256), body("a")),
			s.task(strings.Repeat("k", 5000), body("a")))
	}, "201 400 400", "201 500 500"},
	"key-case-folded": {func(s *service) string {
		return statuses(s.task("key", body("a")), s.task("KEY", body("a"))) + ", " + s.total()
	}, "201 201, 2 tasks 0 notes 2 mails", "201 201, 1 tasks 0 notes 1 mails"},
	"approval-not-checked": {func(s *service) string {
		return statuses(s.task("k", bodyOf("E204", "A81", "a"))) + ", " + s.total()
	}, "403, 0 tasks 0 notes 0 mails", "201, 1 tasks 0 notes 1 mails"},
	"authorization-not-checked": {func(s *service) string {
		return statuses(s.note("k", body("a"), "Authorization: Bearer reference-t1-tasks")) + ", " + s.total()
	}, "403, 0 tasks 0 notes 0 mails", "201, 0 tasks 1 notes 1 mails"},
	"note-overwrites-task": {func(s *service) string {
		first := s.task("k1", body("a"))
		second := s.note("k2", body("b"))
		return statuses(first, second) + " " + s.send("GET "+first.header.Get("Location"), "").field("note") + ", " + s.total()
	}, "201 201 a, 1 tasks 1 notes 2 mails", "201 201 b (updated), 1 tasks 1 notes 2 mails"},
	"work-lost-on-hang-up=10s": {func(s *service) string {
		hungUp, hangUp := context.WithCancel(context.Background())
		first := s.whileRunning(func() reply {
			return s.sendUnder(hungUp, "POST /v1/tasks", body("a"), "Idempotency-Key: k", "Test-Slow: 100ms")
		}, hangUp)
		kept := s.eventually(func() bool { return s.rows(`state = 'completed'`) == 1 })
		return text(statuses(first, s.task("k", body("a"))), kept, s.total())
	}, "0 201 true 1 tasks 0 notes 1 mails", "0 201 true 0 tasks 0 notes 0 mails"},
	"record-before-key=10s":          {hungUpOnce, "true true 1", "true true 2"},
	"undelivered-gives-key-back=10s": {hungUpOnce, "true true 1", "true true 2"},
	"bounded-store": {func(s *service) string {
		return statuses(s.task("k1", body("a")), s.task("k2", body("b")), s.task("k1", body("a"))) + ", " + s.total()
	}, "201 201 201, 2 tasks 0 notes 2 mails", "201 201 201, 3 tasks 0 notes 3 mails"},
	"delete-forgets-key": {func(s *service) string {
		first, other := s.task("k", body("a")), s.task("other", body("b"))
		gone := "DELETE " + first.header.Get("Location")
		deleted, again := s.send(gone, "", "Idempotency-Key: d"), s.send(gone, "", "Idempotency-Key: d")
		late, kept := s.task("k", body("a")), s.task("other", body("b"))
		return text(statuses(first, other, deleted, again, late, kept), late.body == first.body, kept.body == other.body, s.count("tasks", ""))
	}, "201 201 204 204 201 201 true true 1", "201 201 204 204 201 201 false true 2"},
}

// hungUpOnce hangs up when the record exists, and sends again until the answer is no 409.
func hungUpOnce(s *service) string {
	hungUp, hangUp := context.WithCancel(context.Background())
	answered := make(chan reply, 1)
	go func() { answered <- s.sendUnder(hungUp, "POST /v1/tasks", body("a"), "Idempotency-Key: k") }()
	exists := s.eventually(func() bool { return s.count("tasks", "") == 1 })
	hangUp()
	<-answered
	second := reply{}
	retry, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	answers := s.eventually(func() bool {
		second = s.sendUnder(retry, "POST /v1/tasks", body("a"), "Idempotency-Key: k")
		return second.status != 409
	})
	return text(exists, answers, s.count("tasks", ""))
}

// TestDefects shows for each defect a sequence that tells it from the correct server.
func TestDefects(t *testing.T) {
	t.Parallel()
	tested, all := map[string]bool{}, maps.Clone(faultCases)
	maps.Copy(all, raceCases)
	maps.Copy(all, crashCases)
	maps.Copy(all, eventCases)
	maps.Copy(all, expiryCases)
	maps.Copy(all, requestCases)
	for given, c := range all {
		name, _, _ := strings.Cut(given, "=")
		tested[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right := start(t, Options{})
			right.approve("E204", "A18")
			equal(t, "without the defect", c.sequence(right), c.right)
			wrong := start(t, Options{Defects: []string{given}})
			wrong.approve("E204", "A18")
			equal(t, "with the defect", c.sequence(wrong), c.wrong)
		})
	}
	for _, d := range Defects() {
		if !tested[d.Name] {
			t.Errorf("defect %s has no sequence", d.Name)
		}
	}
}

// TestDefectsLeaveTheRestAlone sends distinct requests, which all defects but
// those that collapse records or check less must serve.
func TestDefectsLeaveTheRestAlone(t *testing.T) {
	t.Parallel()
	exceptions := map[string]string{
		"dedupe-by-payload":         "201 201 201 403 403, 1 tasks 1 notes 2 mails",
		"collapse-everything":       "201 201 201 403 403, 1 tasks 1 notes 2 mails",
		"bare-key-500":              "500 500 500 500 403, 0 tasks 0 notes 0 mails",
		"approval-not-checked":      "201 201 201 201 403, 3 tasks 1 notes 4 mails",
		"authorization-not-checked": "201 201 201 403 201, 2 tasks 2 notes 4 mails",
	}
	for _, d := range Defects() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Options{Defects: []string{d.Name}})
			s.approve("E204", "A18")
			got := statuses(s.task("k1", body("a")), s.task("k2", body("a")), s.note("k3", body("a")),
				s.task("k4", bodyOf("E9", "A9", "a")), s.note("k5", body("a"), "Authorization: Bearer reference-t1-tasks"))
			want, special := exceptions[d.Name]
			if !special {
				want = "201 201 201 403 403, 2 tasks 1 notes 3 mails"
			}
			equal(t, "distinct requests", got+", "+s.total(), want)
		})
	}
}

// TestWhoStaysIsServed sends a task twice where a defect waits for hang-ups.
func TestWhoStaysIsServed(t *testing.T) {
	t.Parallel()
	for _, defect := range []string{"work-lost-on-hang-up", "record-before-key", "undelivered-gives-key-back"} {
		s := start(t, Options{Defects: []string{defect}})
		s.approve("E204", "A18")
		equal(t, defect, twice(s), "201 201, 1 tasks 0 notes 1 mails")
	}
}
