package reference

import "strings"

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
	"replay-time-recomputed": {repeats, "201 201, body true, location true, type true, id true",
		"201 201, body false, location true, type true, id true"},
	"replay-only-once": {func(s *service) string {
		return statuses(s.task("k", body("a")), s.task("k", body("a"))) + " " + twice(s)
	},
		"201 201 201 201, 1 tasks 0 notes 1 mails", "201 201 201 201, 2 tasks 0 notes 2 mails"},
	"longest-key-500": {func(s *service) string {
		return statuses(s.task(strings.Repeat("k", 254), body("a")), s.task(strings.Repeat("k", 255), body("a")), s.task(strings.Repeat("k", 256), body("a")))
	}, "201 201 400", "201 500 400"},
	"caller-in-scope": {func(s *service) string {
		return statuses(s.task("k", body("a")), s.task("k", body("a"), "Authorization: Bearer reference-t1-colleague")) + ", " + s.total()
	}, "201 201, 1 tasks 0 notes 1 mails", "201 201, 2 tasks 0 notes 2 mails"},
	"authorization-after-lookup": {func(s *service) string {
		const stranger = "Authorization: Bearer reference-t1-notes"
		return statuses(s.task("k", body("a")), s.task("k", body("a"), stranger), s.task("other", body("a"), stranger)) + ", " + s.total()
	}, "201 403 403, 1 tasks 0 notes 1 mails", "201 201 403, 1 tasks 0 notes 1 mails"},
	"revoked-replayed": {func(s *service) string {
		const leaver = "Authorization: Bearer reference-t1-leaver"
		first, unknown := s.task("k", body("a"), leaver), s.send("PUT /admin/callers/nobody", `{"revoked":true}`)
		revoked := s.send("PUT /admin/callers/eve", `{"revoked":true}`)
		again, other := s.task("k", body("a"), leaver), s.task("other", body("a"), leaver)
		restored := s.send("PUT /admin/callers/eve", `{"revoked":false}`)
		return statuses(first, unknown, revoked, again, other, restored, s.task("k", body("a"), leaver)) + ", " + s.total()
	}, "201 404 200 401 401 200 201, 1 tasks 0 notes 1 mails", "201 404 200 201 401 200 201, 1 tasks 0 notes 1 mails"},
	"notes-not-covered": {func(s *service) string {
		return statuses(s.note("k", body("a")), s.note("k", body("a")), s.task("k", body("a")), s.task("k", body("a"))) + ", " + s.total()
	}, "201 201 201 201, 1 tasks 1 notes 2 mails", "201 201 201 201, 1 tasks 2 notes 3 mails"},
	"large-answer-not-stored": {func(s *service) string {
		large := body(strings.Repeat("a", 100_000))
		return statuses(s.task("k", large), s.task("k", large), s.task("j", body("a")), s.task("j", body("a"))) + ", " + s.total()
	}, "201 201 201 201, 2 tasks 0 notes 2 mails", "201 201 201 201, 3 tasks 0 notes 3 mails"},
	"delete-replay-404": {func(s *service) string {
		gone := "DELETE " + s.task("k", body("a")).header.Get("Location")
		return statuses(s.send(gone, "", "Idempotency-Key: d"), s.send(gone, "", "Idempotency-Key: d"), s.send(gone, ""))
	}, "204 204 404", "204 404 404"},
	"refusals-stored": {func(s *service) string {
		out := statuses(s.task("a", body("a"), "Test-Refuse: 429"), s.task("a", body("a")), s.task("b", body("a"), "Test-Refuse: 401"), s.task("b", body("a")))
		return out + ", " + s.total()
	}, "429 201 401 201, 2 tasks 0 notes 2 mails", "429 429 401 401, 0 tasks 0 notes 0 mails"},
	"refusal-never-settles": {refuseThenMakeRoom, "201 409 409 409, 1 tasks 0 notes 1 mails", "201 409 500 500, 1 tasks 0 notes 1 mails"},
	"refusal-not-kept":      {refuseThenMakeRoom, "201 409 409 409, 1 tasks 0 notes 1 mails", "201 409 409 201, 2 tasks 0 notes 2 mails"},
	"key-trimmed": {func(s *service) string {
		return statuses(s.task(`"k"`, body("a")), s.task(`"k "`, body("a"))) + ", " + s.total()
	}, "201 201, 2 tasks 0 notes 2 mails", "201 201, 1 tasks 0 notes 1 mails"},
	"key-letters-dropped": {func(s *service) string {
		return statuses(s.task("ké", body("a")), s.task("kü", body("a")), s.task("j", body("a"))) + ", " + s.total()
	}, "400 400 201, 1 tasks 0 notes 1 mails", "201 201 201, 2 tasks 0 notes 2 mails"},
	"two-keys-taken-for-none": {func(s *service) string {
		two := func() reply { return s.send("POST /v1/tasks", body("a"), "Idempotency-Key: a", "Idempotency-Key: b") }
		return statuses(two(), two(), s.task("a", body("a"))) + ", " + s.total()
	}, "400 400 201, 1 tasks 0 notes 1 mails", "201 201 201, 3 tasks 0 notes 3 mails"},
	"bare-key-500": {func(s *service) string {
		return statuses(s.task(`"k"`, body("a")), s.task("k", body("a"))) + ", " + s.total()
	}, "201 201, 1 tasks 0 notes 1 mails", "201 500, 1 tasks 0 notes 1 mails"},
}

// refuseThenMakeRoom reaches the limit of an account, is refused twice under
// one key, and sends that once more when there is room.
func refuseThenMakeRoom(s *service) string {
	first := s.task("k", body("a"))
	s.send("PUT /v1/accounts/A18", `{"open_task_limit":1}`)
	refused, again := s.task("late", body("b")), s.task("late", body("b"))
	s.send("PUT /v1/accounts/A18", `{"open_task_limit":null}`)
	return statuses(first, refused, again, s.task("late", body("b"))) + ", " + s.total()
}
