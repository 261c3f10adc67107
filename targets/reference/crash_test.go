package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// armed puts a point, written like "commit#1:after", into a request.
func armed(point string) string {
	label, rest, _ := strings.Cut(point, "#")
	occurrence, side, _ := strings.Cut(rest, ":")
	return fmt.Sprintf(`{"label":%q,"occurrence":%q,"side":%q}`, label, occurrence, side)
}

// arm makes an attempt stand still at a point.
func (s *service) arm(point string) {
	s.t.Helper()
	if got := s.send("PUT /admin/crash-points", armed(point)); got.status != 200 {
		s.t.Fatalf("arm %s: %d %s", point, got.status, got.body)
	}
}

// release lets everybody go on.
func (s *service) release() { s.send("DELETE /admin/crash-points", "") }

// passed lists the steps taken since the last release.
func (s *service) passed() (labels []string) {
	s.t.Helper()
	var state struct{ Passed []string }
	if got := s.send("GET /admin/crash-points", ""); json.Unmarshal([]byte(got.body), &state) != nil {
		s.t.Fatalf("list the steps: %d %s", got.status, got.body)
	}
	return state.Passed
}

// standing sends a request and, when it stands still at a point, calls then.
// It returns the answer of the request.
func (s *service) standing(point string, send func(*service) reply, then func()) reply {
	s.t.Helper()
	s.arm(point)
	answered := make(chan reply, 1)
	go func() { answered <- send(s) }()
	if got := s.send("GET /admin/crash-points?wait=10s", ""); got.field("reached") != "true" {
		s.t.Errorf("%s was not reached: %s", point, got.body)
		s.release()
	}
	then()
	return <-answered
}

// killed closes the server when a request stands at a point, and starts
// another one on the same file once the lease of the dead is over.
func (s *service) killed(point string, send func(*service) reply) (next *service, lost reply) {
	s.t.Helper()
	lost = s.standing(point, send, func() {
		if err := s.server.Close(); err != nil {
			s.t.Error(err)
		}
	})
	next = start(s.t, s.server.options)
	next.send("POST /admin/clock", `{"advance":"1m"}`)
	return next, lost
}

// oneTask, oneNote, someRows and oneEvent are the writes that are stopped.
func oneTask(s *service) reply { return s.task("k", body("a")) }
func oneNote(s *service) reply { return s.note("k", body("a")) }
func oneEvent(s *service) reply {
	return s.send("POST /v1/webhooks/crm", `{"id":"e","type":"review.requested","data":`+body("a")+`}`)
}

func someRows(n int) func(*service) reply {
	rows := strings.Join(slices.Repeat([]string{body("a")}, n), ",")
	return func(s *service) reply {
		return s.send("POST /v1/tasks/batch", `{"tasks":[`+rows+`]}`, "Idempotency-Key: k")
	}
}

// killedThenRetried tells what a retry after a kill comes to.
func killedThenRetried(point string, send func(*service) reply) func(*service) string {
	return func(s *service) string {
		next, lost := s.killed(point, send)
		return statuses(lost, send(next)) + ", " + next.total()
	}
}

var crashCases = map[string]faultCase{
	"answer-in-second-transaction": {killedThenRetried("commit#1:after", oneTask),
		"0 201, 1 tasks 0 notes 1 mails", "0 201, 2 tasks 0 notes 2 mails"},
	"answers-before-commit": {func(s *service) string {
		next, lost := s.killed("commit#1:before", oneTask)
		return statuses(lost) + ", " + next.total()
	}, "0, 0 tasks 0 notes 0 mails", "201, 0 tasks 0 notes 0 mails"},
	"commits-on-hang-up": {func(s *service) string {
		hungUp, hangUp := context.WithCancel(s.t.Context())
		// Without a network the server hears of the end of the context at once.
		near := &service{t: s.t, server: s.server, url: s.url, client: &http.Client{Transport: direct{s.server.Handler()}}}
		near.standing("create task#1:after", func(near *service) reply {
			return near.sendUnder(hungUp, "POST /v1/tasks", body("a"), "Idempotency-Key: k")
		}, func() {
			hangUp()
			near.release()
		})
		return statuses(oneTask(s)) + ", " + s.total()
	}, "201, 1 tasks 0 notes 1 mails", "201, 2 tasks 0 notes 2 mails"},
	"batch-row-by-row": {killedThenRetried("create task#3:after", someRows(5)),
		"0 201, 5 tasks 0 notes 5 mails", "0 201, 7 tasks 0 notes 7 mails"},
	"mail-before-commit": {killedThenRetried("create task#1:before", oneTask),
		"0 201, 1 tasks 0 notes 1 mails", "0 201, 1 tasks 0 notes 2 mails"},
}

// TestClaimOfTheKilled shows that a claim outlives its owner only with the defect.
func TestClaimOfTheKilled(t *testing.T) {
	t.Parallel()
	for defect, want := range map[string]string{"": "0 201", "claim-outlives-owner": "0 409"} {
		s := start(t, Options{Defects: strings.Fields(defect)})
		s.approve("E204", "A18")
		next, lost := s.killed("claim#1:after", oneTask)
		equal(t, "with "+defect, statuses(lost, oneTask(next)), want)
	}
}

// TestDefectsOfCrashesLeaveTheRestAlone sends what those defects touch while nothing crashes.
func TestDefectsOfCrashesLeaveTheRestAlone(t *testing.T) {
	t.Parallel()
	for name := range crashCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Options{Defects: []string{name}})
			s.approve("E204", "A18")
			s.send("PUT /v1/accounts/A18", `{"open_task_limit":3}`)
			bad := s.send("POST /v1/tasks/batch", `{"tasks":[`+body("a")+`,{"note":"b"}]}`, "Idempotency-Key: bad")
			equal(t, "refused batches", statuses(bad, someRows(4)(s), someRows(4)(s))+", "+s.total(), "400 409 409, 0 tasks 0 notes 0 mails")
			k := "Idempotency-Key: k2"
			two := `{"tasks":[` + body("a") + `,` + body("b") + `]}`
			first, again := s.send("POST /v1/tasks/batch", two, k), s.send("POST /v1/tasks/batch", two, k)
			equal(t, "replayed", first.body, again.body)
			lone, loneAgain := s.task("t", body("b")), s.task("t", body("b"))
			equal(t, "replayed", lone.body, loneAgain.body)
			held := s.task("h", bodyOf("E9", "A9", "a"))
			gone := s.send("DELETE "+lone.header.Get("Location"), "", "Idempotency-Key: d")
			equal(t, "all", statuses(first, again, lone, loneAgain, held, gone)+", "+s.total(),
				"201 201 201 201 403 204, 2 tasks 0 notes 3 mails")
			equal(t, "mail", fmt.Sprint(strings.Contains(s.send("GET /v1/outbox?q=D", "").body, lone.field("id"))), "true")
		})
	}
}
