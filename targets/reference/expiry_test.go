package reference

// aged sends a task, again after 13 hours and after 25, and then twice with the payload given; the retention is 24 hours.
func aged(payload string) func(s *service) string {
	return func(s *service) string {
		first := s.task("k", body("a"))
		s.send("POST /admin/clock", `{"advance":"13h"}`)
		inTime := s.task("k", body("a"))
		s.send("POST /admin/clock", `{"advance":"12h"}`)
		late, again := s.task("k", body(payload)), s.task("k", body(payload))
		return text(statuses(first, inTime, late, again), first.body == inTime.body, first.body == late.body, late.body == again.body, s.total())
	}
}

const agedRight = "201 201 201 201 true false true 2 tasks 0 notes 2 mails"

// expiryCases are the defects that strike when a key has been kept for its time.
var expiryCases = map[string]faultCase{
	"expires-early":             {aged("a"), agedRight, "201 201 201 201 false false true 3 tasks 0 notes 3 mails"},
	"never-expires":             {aged("a"), agedRight, "201 201 201 201 true true true 1 tasks 0 notes 1 mails"},
	"expired-key-refused":       {aged("a"), agedRight, "201 201 409 409 true false true 1 tasks 0 notes 1 mails"},
	"expired-answers-old":       {aged("a"), agedRight, "201 201 201 201 true true false 2 tasks 0 notes 2 mails"},
	"expired-key-keeps-payload": {aged("b"), agedRight, "201 201 422 422 true false true 1 tasks 0 notes 1 mails"},
	"expired-forgets-new":       {aged("a"), agedRight, "201 201 201 201 true false false 3 tasks 0 notes 3 mails"},
	"retention-from-last-use":   {aged("a"), agedRight, "201 201 201 201 true true true 1 tasks 0 notes 1 mails"},
	"clock-does-nothing":        {aged("a"), agedRight, "201 201 201 201 true true true 1 tasks 0 notes 1 mails"},
}
