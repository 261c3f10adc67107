package reference

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// writes are the writes that are stopped, and the steps that each takes.
var writes = []struct {
	name         string
	send         func(*service) reply
	steps, total string
}{
	{"task", oneTask, "claim, create task, queue mail, store answer, commit", "1 tasks 0 notes 1 mails"},
	{"note", oneNote, "claim, create note, queue mail, store answer, commit", "0 tasks 1 notes 1 mails"},
	{"batch", someRows(2), "claim, create task, queue mail, create task, queue mail, store answer, commit", "2 tasks 0 notes 2 mails"},
	{"webhook", oneEvent, "mark event, create task, queue mail, commit", "1 tasks 0 notes 1 mails"},
}

// TestKilledAtEachPoint stops each kind of write before and after each of its
// steps, kills the server there, and sends the write again to another one.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	for _, w := range writes {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			dry := start(t, Options{})
			dry.approve("E204", "A18")
			equal(t, "before", text(len(dry.passed())), "0") // what only prepares is no write under test
			w.send(dry)
			labels := dry.passed()
			equal(t, "steps", strings.Join(labels, ", "), w.steps)
			dry.release()
			equal(t, "after the release", text(len(dry.passed())), "0")
			for i, label := range labels {
				n := len(slices.DeleteFunc(slices.Clone(labels[:i+1]), func(l string) bool { return l != label }))
				for _, side := range []string{before, after} {
					point := fmt.Sprintf("%s#%d:%s", label, n, side)
					s := start(t, Options{})
					s.approve("E204", "A18")
					next, lost := s.killed(point, w.send)
					first := w.send(next)
					equal(t, point, text(lost.status, first.status < 300, w.send(next).status < 300, next.total()), "0 true true "+w.total)
				}
			}
		})
	}
}

// TestStandingStill asks and releases a server while an attempt stands in its
// write transaction.
func TestStandingStill(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	equal(t, "nothing", s.send("GET /admin/crash-points?wait=10s", "").body, `{"passed":[],"armed":null,"reached":false}`)
	s.arm("create task#2:after")
	equal(t, "first occurrence", statuses(s.task("k0", body("a"))), "201")
	equal(t, "armed", s.send("GET /admin/crash-points", "").body, `{"passed":["claim","create task","queue mail","store answer","commit"],`+
		`"armed":{"label":"create task","occurrence":2,"side":"after"},"reached":false}`)
	s.release()

	hungUp, hangUp := context.WithCancel(t.Context())
	lost := s.standing("queue mail#1:after", func(s *service) reply {
		return s.sendUnder(hungUp, "POST /v1/tasks", body("b"), "Idempotency-Key: k")
	}, func() {
		want := `{"passed":["claim","create task","queue mail"],"armed":{"label":"queue mail","occurrence":1,"side":"after"},"reached":true}`
		equal(t, "standing", s.send("GET /admin/crash-points?wait=1m", "").body, want)
		equal(t, "not committed", s.total()+" "+statuses(s.task("k", body("b"))), "1 tasks 0 notes 1 mails 409")
		hangUp()
		equal(t, "after the hang-up", s.send("GET /admin/crash-points", "").body, want)
		s.release()
	})
	equal(t, "lost", statuses(lost), "0")
	if !s.eventually(func() bool { return s.task("k", body("b")).status == 201 }) {
		t.Error("the attempt of the client that has hung up did not end")
	}
	equal(t, "in the end", s.total(), "2 tasks 0 notes 2 mails")
}

// TestArmedInTurn arms another point while an attempt stands at the first.
func TestArmedInTurn(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	first := s.standing("claim#1:before", oneTask, func() {
		second := s.standing("commit#1:after", func(s *service) reply { return s.note("k", body("a")) }, s.release)
		equal(t, "second", statuses(second), "201")
	})
	equal(t, "first", statuses(first), "201")
	equal(t, "nothing armed", s.send("GET /admin/crash-points", "").field("armed"), "")
	s.release()
	equal(t, "refusal", text(statuses(s.task("k2", bodyOf("E9", "A9", "a"))), s.passed()), "403 [claim release claim]")
}

// TestManyStand lets requests run into points that are armed and released all the time.
func TestManyStand(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			s.arm(fmt.Sprintf("%s#%d:%s", []string{stepClaim, stepTask, stepCommit}[i%3], 1+i%2, []string{before, after}[i%2]))
			s.send("GET /admin/crash-points?wait=5ms", "")
			if i%2 == 0 {
				s.release()
			}
		}
		s.release()
	}()
	replies := atOnce(20, func(i int) reply { return s.task(fmt.Sprint("k", i), body("a")) })
	cancel()
	<-ended
	equal(t, "answers", strings.ReplaceAll(statuses(replies...), "201", ""), strings.Repeat(" ", 19))
	equal(t, "records", s.total(), "20 tasks 0 notes 20 mails")
}

// TestServeEndsStanding stops a server while an attempt stands still: it ends as any other.
func TestServeEndsStanding(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, l) }()
	s.url = "http://" + l.Addr().String()
	equal(t, "answer", statuses(s.standing("commit#1:before", oneTask, stop)), "201")
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestCrashPointsRefuse(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	for _, wrong := range []string{`{}`, armed("claims#1:after"), armed("claim#0:after"), armed("claim#x:after"), armed("claim#1:beside"),
		`{"label":"claim","occurrence":[1],"side":"after"}`, `{"label":"claim","occurrence":1.5,"side":"after"}`, `[`} {
		equal(t, wrong, statuses(s.send("PUT /admin/crash-points", wrong)), "400")
	}
	equal(t, "a number", statuses(s.send("PUT /admin/crash-points", `{"label":"claim","occurrence":1,"side":"after"}`)), "200")
	equal(t, "wait", statuses(s.send("GET /admin/crash-points?wait=long", ""), s.send("GET /admin/crash-points?wait=-1s", "")), "400 400")

	server, err := New(Options{Path: t.TempDir() + "/store.db"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close() //nolint:errcheck // nothing is in it
	closed := &service{t: t, server: server, url: "http://reference", client: &http.Client{Transport: direct{server.Handler()}}}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		equal(t, "without the test switches", statuses(closed.send(method+" /admin/crash-points", armed("claim#1:after"))), "404")
	}
	closed.approve("E204", "A18")
	equal(t, "without the test switches", statuses(oneTask(closed)), "201")
}

// TestPassedIsBounded fills the list of steps.
func TestPassedIsBounded(t *testing.T) {
	t.Parallel()
	p := &points{}
	for range mostPassed + 1 {
		if err := p.pass(stepTask, after); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "length", text(len(p.state().Passed)), text(mostPassed))
}

// BenchmarkStep takes a step of a server that has no points, and of one at which nothing is armed.
func BenchmarkStep(b *testing.B) {
	for name, s := range map[string]*Server{"without": {}, "unarmed": {points: &points{}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = s.step(stepTask, func() error { return nil })
			}
		})
	}
}
