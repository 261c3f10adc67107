package reference

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTaskIsReadBack(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Now: newTestClock().Now})
	s.approve("E204", "A18")
	made := s.task("k", `{"event":"E204","account":"A18","revision":"P3","note":"a <b>","owner":"mia","due":"2026-02-28"}`)
	equal(t, "location", made.header.Get("Location"), "/v1/tasks/"+made.field("id"))
	equal(t, "read", s.send("GET "+made.header.Get("Location"), "").body, made.body)
	equal(t, "body", made.body, `{"id":"D1","event":"E204","account":"A18","revision":"P3","note":"a \u003cb\u003e",`+
		`"owner":"mia","due":"2026-02-28","created_by":"ana","created_at":"2026-01-31T12:00:00Z"}`)
	equal(t, "mail", s.send("GET /v1/outbox", "").body, `{"mails":[{"id":"M1","kind":"task-created","to":"mia","task":"D1",`+
		`"body":"Task D1, event E204, account A18, owner mia: a \u003cb\u003e","created_at":"2026-01-31T12:00:00Z"}],"next":null}`)
	note := s.note("k", body("n"))
	equal(t, "note", s.send("GET "+note.header.Get("Location"), "").body, note.body)
	equal(t, "kinds", text(s.count("outbox", "kind=note-updated"), s.count("outbox", "q=%3Cb%3E")), "1 1")
}

func TestLists(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	s.approve("E205", "A81")
	for i := range 7 {
		s.task(fmt.Sprint("k", i), body(fmt.Sprint("plain-", i)))
	}
	s.task("k8", `{"event":"E205","account":"A81","note":"100%_sure","owner":"mia"}`)
	for query, want := range map[string]int{
		"": 8, "q=plain": 7, "q=plain-3": 1, "q=Plain": 0, "q=mia": 1, "q=E205": 1, "q=%25_": 1, "q=_s": 1, "q=1%25": 0,
		"account=A18": 7, "account=A18&q=mia": 0, "limit=3": 8, "limit=3&page=1": 8, "limit=8": 8, "limit=1&q=plain": 7,
	} {
		equal(t, query, fmt.Sprint(s.count("tasks", query)), fmt.Sprint(want))
	}
	got := s.send("GET /v1/tasks?q=plain&limit=2&page=2", "")
	equal(t, "next", got.field("next"), "/v1/tasks?limit=2&page=3&q=plain")
	equal(t, "link", got.header.Get("Link"), `</v1/tasks?limit=2&page=3&q=plain>; rel="next"`)
	equal(t, "an end", fmt.Sprint(strings.HasSuffix(s.send("GET /v1/tasks?q=none", "").body, `{"next":null,"tasks":[]}`)), "true")
}

func TestLimitOfAnAccount(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	equal(t, "put", s.send("PUT /v1/accounts/A18", `{"open_task_limit":1}`).body, `{"id":"A18","open_task_limit":1}`)
	one := s.task("k1", body("a"))
	two := s.task("k2", body("b"))
	equal(t, "refused", text(statuses(one, two), two.field("code")), "201 409 task_limit_reached")
	equal(t, "deleted", statuses(s.send("DELETE "+one.header.Get("Location"), "")), "204")
	late := s.task("k2", body("b"))
	equal(t, "the refusal stays", text(late.body == two.body, late.header.Get("Idempotent-Replayed")), "true true")
	equal(t, "another key", statuses(s.task("k3", body("b")), s.task("k1", body("a")))+" "+s.total(), "201 201 1 tasks 0 notes 2 mails")
	equal(t, "other accounts", s.send("GET /v1/accounts/A81", "").body, `{"id":"A81","open_task_limit":null}`)
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	pair := `{"event":"E204","account":"A18"}`
	one, two := s.send("POST /v1/approvals", pair), s.send("POST /v1/approvals", pair, "Authorization: Bearer reference-t1-colleague")
	equal(t, "twice", statuses(one, two, s.send("POST /v1/approvals", `{"event":"E204"}`)), "201 200 400")
	equal(t, "body", two.body, one.body)
}

func TestBatch(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	batch := func(key string, rows ...string) reply {
		return s.send("POST /v1/tasks/batch", `{"tasks":[`+strings.Join(rows, ",")+`]}`, "Idempotency-Key: "+key)
	}
	bad := batch("k", body("a"), body("b"), body(""))
	equal(t, "bad row", text(bad.status, bad.field("errors")), "400 [map[field:tasks[2].note message:must not be empty]]")
	held := batch("k", body("a"), bodyOf("E1", "A1", "b"))
	equal(t, "held row", text(held.status, held.field("code"), held.field("errors")), "403 approval_required [map[field:tasks[1] message:approval_required]]")
	equal(t, "empty", statuses(batch("k")), "400")
	equal(t, "nothing", s.total(), "0 tasks 0 notes 0 mails")

	rows := make([]string, 200)
	for i := range rows {
		rows[i] = body(fmt.Sprint("row ", i))
	}
	failed := s.send("POST /v1/tasks/batch", `{"tasks":[`+strings.Join(rows, ",")+`]}`, "Idempotency-Key: k", "Test-Fail: drop")
	one, two := batch("k", rows...), batch("k", rows...)
	equal(t, "the batch", statuses(failed, one, two)+" "+s.total(), "0 201 201 200 tasks 0 notes 200 mails")
	equal(t, "the replay", two.body, one.body)

	s.send("PUT /v1/accounts/A18", `{"open_task_limit":201}`)
	full := batch("k2", body("x"), body("y"))
	equal(t, "the limit within", text(full.status, full.field("code")), "409 task_limit_reached")
	equal(t, "the limit within", s.total(), "200 tasks 0 notes 200 mails")
	s.send("PUT /v1/accounts/A18", `{"open_task_limit":null}`)
	equal(t, "the refusal is kept", statuses(batch("k2", body("x"), body("y"))), "409")
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	e := func(id, kind, note string, headers ...string) reply {
		return s.send("POST /v1/webhooks/crm", fmt.Sprintf(`{"id":%q,"type":%q,"more":1,"data":%s}`, id, kind, body(note)), headers...)
	}
	first, second := e("e1", "review.requested", "a"), e("e1", "review.requested", "other body")
	equal(t, "first", text(first.status, first.field("status")), "202 accepted")
	equal(t, "second", text(second.status, second.body), `200 {"status":"duplicate"}`)
	equal(t, "the header wins", statuses(e("e1", "review.requested", "b", "webhook-id: e2"), e("e3", "review.requested", "b", "webhook-id: e2")), "202 200")
	equal(t, "ignored", statuses(e("e4", "account.renamed", ""), e("e4", "account.renamed", "")), "202 200")
	equal(t, "refused", statuses(e("", "review.requested", "c"), e("e5", "review.requested", "")), "400 400")
	equal(t, "other tenant", statuses(e("e1", "review.requested", "a", "Authorization: Bearer reference-t2")), "202")
	equal(t, "dropped, again", statuses(e("e6", "review.requested", "d", "Test-Fail: drop", "Test-Fail-At: after-commit"), e("e6", "review.requested", "d")), "0 200")
	atOnce(5, func(int) reply { return e("e7", "review.requested", "e") })
	equal(t, "records", s.total(), "4 tasks 0 notes 4 mails")
}

func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	server, err := New(Options{Path: filepath.Join(t.TempDir(), "store.db"), TestSwitches: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close() //nolint:errcheck // Serve has ended
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	s := &service{t: t, server: server, url: "http://" + l.Addr().String(), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	s.approve("E204", "A18")
	http2 := &service{t: t, server: server, url: s.url, client: &http.Client{Transport: &http.Transport{Protocols: new(http.Protocols)}}}
	http2.client.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	equal(t, "over HTTP/2", statuses(http2.task("k2", body("a")), http2.task("k2", body("a"), "Test-Fail: drop", "Test-Refuse: 429")), "201 429")
	http2.client.CloseIdleConnections()
	got := s.whileRunning(func() reply { return s.task("k", body("a"), "Test-Slow: 100ms") }, cancel)
	equal(t, "running request", statuses(got), "201")
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("Serve did not end")
	}
}
