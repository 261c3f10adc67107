package reference

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// jobService is a stand-in for NetSuite whose clock only the test moves: a job ends when the test says so.
type jobService struct {
	*service
	clock *testClock
}

func startJobs(t *testing.T, change func(*targets.Profile)) jobService {
	t.Helper()
	p, err := targets.ProfileNamed("netsuite", "")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&p)
	}
	clock := newTestClock()
	s := jobService{start(t, Options{Profile: &p, Now: clock.Now}), clock}
	s.approve("E204", "A18")
	return s
}

// Headers by which a write asks for a job, with a key and without.
const (
	respondAsync = "Prefer: respond-async"
	jobKey       = "X-NetSuite-idempotency-key: 0b0f1d36-7c1c-4c4b-9a65-5f9d1f0b0a11"
)

// ask sends a create that asks for a job.
func (s *service) ask(headers ...string) reply {
	return s.send("POST /v1/tasks", body("a"), append(headers, respondAsync)...)
}

// at asks for what an answer points at.
func (s *service) at(pointing reply, more string) reply {
	return s.send("GET "+pointing.header.Get("Location")+more, "")
}

// told is what a job and its result come to: "true 201 D1".
func (s *service) told(pointing reply) string {
	result := s.at(pointing, "/result")
	return text(s.at(pointing, "").field("completed"), result.status, result.field("id"))
}

// addressOf is where the job of a create under a key is found.
func addressOf(header string) string {
	_, key, _ := strings.Cut(header, ": ")
	return jobAddress(entry{identity: identity{key: key}, operation: createTaskOperation})
}

// pointsAtSame reports whether two answers point at one job.
func pointsAtSame(a, b reply) bool {
	return a.header.Get("Location") == b.header.Get("Location") && strings.HasPrefix(a.header.Get("Location"), "/v1/jobs/")
}

func TestJobs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(jobService) string
		want string
	}{
		"it ends": {func(s jobService) string {
			first := s.ask(jobKey)
			running := s.told(first)
			s.clock.advance(jobTakes)
			return text(first.status, running, s.told(first))
		}, "202 false 404  true 201 D1"},
		"a repeat points at it": {func(s jobService) string {
			first, again := s.ask(jobKey), s.ask(jobKey)
			return text(statuses(first, again), pointsAtSame(first, again))
		}, "202 400 true"},
		"another payload": {func(s jobService) string {
			first, other := s.ask(jobKey), s.send("POST /v1/tasks", body("b"), jobKey, respondAsync)
			return text(statuses(first, other), pointsAtSame(first, other))
		}, "202 422 false"},
		"each write without a key": {func(s jobService) string {
			one, two := s.ask(), s.ask()
			s.clock.advance(jobTakes)
			return text(statuses(one, two), pointsAtSame(one, two), s.told(one), s.told(two), s.total())
		}, "202 202 false true 201 D1 true 201 D2 2 tasks 0 notes 2 mails"},
		"none was asked for": {func(s jobService) string {
			one, two := s.send("POST /v1/tasks", body("a"), jobKey), s.send("POST /v1/tasks", body("a"), jobKey)
			return text(statuses(one, two), one.header.Get("Location"))
		}, "201 201 /v1/tasks/D1"},
		"the work fails": {func(s jobService) string {
			first, again := s.ask(jobKey, "Test-Fail: 500"), s.ask(jobKey)
			s.clock.advance(jobTakes)
			return text(statuses(first, again), pointsAtSame(first, again), s.told(first), s.total())
		}, "202 400 true true 500  0 tasks 0 notes 0 mails"},
		"a refusal that is kept": {func(s jobService) string {
			s.send("PUT /v1/accounts/A18", `{"open_task_limit":0}`)
			first, again := s.ask(jobKey), s.ask(jobKey)
			s.clock.advance(jobTakes)
			return text(statuses(first, again), pointsAtSame(first, again), s.told(first))
		}, "202 400 true true 402 "},
		"a refusal that is not": {func(s jobService) string {
			held := s.send("POST /v1/tasks", bodyOf("E1", "A1", "a"), jobKey, respondAsync)
			s.approve("E1", "A1")
			return text(held.status, held.header.Get("Location") == "", s.send("POST /v1/tasks", bodyOf("E1", "A1", "a"), jobKey, respondAsync).status)
		}, "403 true 202"},
		"a failure after the work": {func(s jobService) string {
			first, again := s.ask(jobKey, "Test-Fail: 500", "Test-Fail-At: after-commit"), s.ask(jobKey)
			s.clock.advance(jobTakes)
			return text(statuses(first, again), s.told(again), s.total())
		}, "500 400 true 201 D1 1 tasks 0 notes 1 mails"},
		"the answer is lost": {func(s jobService) string {
			first, again := s.ask(jobKey, "Test-Fail: drop", "Test-Fail-At: after-commit"), s.ask(jobKey)
			return text(statuses(first, again), s.total())
		}, "0 400 1 tasks 0 notes 1 mails"},
		"its retention is over": {func(s jobService) string {
			first := s.ask(jobKey)
			s.clock.advance(24 * time.Hour)
			gone := s.at(first, "")
			return text(gone.status, s.ask(jobKey).status)
		}, "404 202"},
		"by another instance": {func(s jobService) string {
			first := s.ask(jobKey)
			s.clock.advance(jobTakes)
			return start(s.t, s.server.options).told(first)
		}, "true 201 D1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "it came to", c.do(startJobs(t, nil)), c.want)
		})
	}
}

// TestJobOfOthers: nobody is told of a job that is not theirs, and there is none where there was no write.
func TestJobOfOthers(t *testing.T) {
	t.Parallel()
	s := startJobs(t, nil)
	first := s.ask(jobKey)
	s.clock.advance(jobTakes)
	path := first.header.Get("Location")
	for name, c := range map[string]struct {
		path    string
		headers []string
		want    int
	}{
		"a colleague":         {path, []string{"Authorization: Bearer reference-t1-colleague"}, 200},
		"another tenant":      {path, []string{"Authorization: Bearer reference-t2"}, 404},
		"no credential":       {path, []string{"Authorization: Bearer nobody"}, 401},
		"another environment": {path, []string{"Crm-Environment: test"}, 404},
		"another region":      {path, []string{"Crm-Region: second"}, 404},
		"an unknown one":      {path[:len(path)-2], nil, 404},
		"no base64":           {path + "!", nil, 404},
		"another operation":   {strings.Replace(path, createTaskOperation, updateNoteOperation, 1), nil, 404},
	} {
		for _, what := range []string{"", "/result"} {
			want := c.want
			if want == 200 && what != "" {
				want = http.StatusCreated // what the write would have been answered
			}
			equal(t, name+what, statuses(s.send("GET "+c.path+what, "", c.headers...)), fmt.Sprint(want))
		}
	}
	own := start(t, Options{})
	equal(t, "without a profile", own.send("GET "+path, "").body, own.send("GET /v1/nothing", "").body)
}

// TestJobThatRuns: whoever repeats a write that still runs is told the address that the first will be told.
func TestJobThatRuns(t *testing.T) {
	t.Parallel()
	s := startJobs(t, nil)
	var again, job, result reply
	first := s.standing("commit#1:before", func(s *service) reply { return s.ask(jobKey) }, func() {
		s.clock.advance(jobTakes)
		again = s.ask(jobKey)
		job, result = s.at(again, ""), s.at(again, "/result")
		s.release()
	})
	equal(t, "meanwhile", text(statuses(again, job, result), job.field("completed")), "400 200 404 false")
	equal(t, "afterwards", text(first.status, pointsAtSame(first, again), s.told(first)), "202 true true 201 D1")
}

// TestJobOfTheKilled: an owner that dies before its commit has told nobody of a job, and the next attempt takes it over.
func TestJobOfTheKilled(t *testing.T) {
	t.Parallel()
	for point, want := range map[string]string{
		"claim#1:after":   "0 503 job_abandoned 202 true 201 D1 1 tasks 0 notes 1 mails",
		"commit#1:before": "0 503 job_abandoned 202 true 201 D1 1 tasks 0 notes 1 mails",
		"commit#1:after":  "0 200  400 true 201 D1 1 tasks 0 notes 1 mails",
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := startJobs(t, nil)
			next, lost := s.killed(point, func(s *service) reply { return s.ask(jobKey) })
			job := next.send("GET "+addressOf(jobKey), "")
			again := next.ask(jobKey)
			s.clock.advance(jobTakes)
			equal(t, "it came to", text(statuses(lost, job), job.field("code"), again.status, next.told(again), next.total()), want)
		})
	}
}

// TestJobShapes: a job tells what the profile documents, wherever that stands.
func TestJobShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*targets.Async)
		want   string // the answer to the write, to a question while it runs, and to one after it has failed
	}{
		"in the body": {func(a *targets.Async) { a.Status, a.Job = targets.Ints{200}, "$.job.href" },
			`200 job 200 {"completed":false} 200 {"completed":true,"result":}`},
		"by its status": {func(a *targets.Async) { a.Done = nil },
			`202  202 {} 200 {"result":}`},
		"failed": {func(a *targets.Async) {
			a.Done = &targets.Code{At: "$.state", In: targets.Strings{"ended", "failed"}}
			a.Failed, a.Result = &targets.Code{At: "$.failed"}, "header:Content-Location"
		}, `202  200 {} 200 {"failed":true,"state":"ended"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written reply
			s := startJobs(t, func(p *targets.Profile) { c.change(p.Async) })
			written = s.ask(jobKey, "Test-Fail: 500")
			address := addressOf(jobKey)
			running := s.send("GET "+address, "")
			s.clock.advance(jobTakes)
			ended := s.send("GET "+address, "")
			where := ""
			if strings.Contains(written.body, `"job":{"href":"`+address+`"}`) {
				where = "job"
			}
			brief := strings.NewReplacer(`"operation":"create-internal-review-task",`, "", `,"operation":"create-internal-review-task"`, "",
				`"operation":"create-internal-review-task"`, "", `"`+address+`/result"`, "")
			equal(t, "it came to", strings.Join([]string{fmt.Sprint(written.status), where, fmt.Sprint(running.status), brief.Replace(running.body),
				fmt.Sprint(ended.status), brief.Replace(ended.body)}, " "), c.want)
		})
	}
}
