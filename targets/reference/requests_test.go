package reference

// requestCases are the sequences of the defects that concern what is sent, by whom, and under which form of a key.
var requestCases = map[string]faultCase{
	"owner-not-compared": {func(s *service) string {
		owned := func(who string) string { return `{"event":"E204","account":"A18","note":"a","owner":"` + who + `"}` }
		return statuses(s.task("k", owned("ana")), s.task("k", owned("ben")), s.task("k", body("b"))) + ", " + s.total()
	}, "201 422 422, 1 tasks 0 notes 1 mails", "201 201 422, 1 tasks 0 notes 1 mails"},
	"query-not-compared": {func(s *service) string {
		return statuses(s.task("k", body("a")), s.send("POST /v1/tasks?source=import", body("a"), "Idempotency-Key: k")) + ", " + s.total()
	}, "201 422, 1 tasks 0 notes 1 mails", "201 201, 1 tasks 0 notes 1 mails"},
	"text-not-compared": {func(s *service) string {
		return statuses(s.plain("k", "a"), s.plain("k", "b"), s.note("j", body("a")), s.note("j", body("b"))) + ", " + s.total()
	}, "201 422 201 422, 0 tasks 2 notes 2 mails", "201 201 201 422, 0 tasks 2 notes 2 mails"},
}
