package reference

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// eventOf is a delivery of an event.
func eventOf(source, id, fact, note string) string {
	return fmt.Sprintf(`{"source":%q,"id":%q,"type":"review.requested","fact":%q,"data":%s}`, source, id, fact, body(note))
}

func (s *service) event(payload string, headers ...string) reply {
	return s.send("POST /v1/webhooks/crm", payload, headers...)
}

// twoEvents delivers two payloads.
func twoEvents(one, other string) func(*service) string {
	return func(s *service) string { return statuses(s.event(one), s.event(other)) + ", " + s.total() }
}

var eventA = eventOf("crm", "e1", "f1", "a")

var eventCases = map[string]faultCase{
	"webhook-not-deduplicated": {twoEvents(eventA, eventA), "202 200, 1 tasks 0 notes 1 mails", "202 202, 2 tasks 0 notes 2 mails"},
	"webhook-looks-first=100ms": {func(s *service) string {
		atOnce(2, func(int) reply { return s.event(eventA) })
		return statuses(s.event(eventA)) + ", " + s.total()
	}, "200, 1 tasks 0 notes 1 mails", "200, 2 tasks 0 notes 2 mails"},
	"webhook-lost-race-500=100ms": {func(s *service) string {
		two := atOnce(2, func(int) reply { return s.event(eventA) })
		return fmt.Sprint(max(two[0].status, two[1].status), " ", statuses(s.event(eventA)), " ", s.total())
	}, "202 200 1 tasks 0 notes 1 mails", "500 200 1 tasks 0 notes 1 mails"},
	"webhook-repeat-refused":      {twoEvents(eventA, eventA), "202 200, 1 tasks 0 notes 1 mails", "202 409, 1 tasks 0 notes 1 mails"},
	"webhook-marked-unchecked":    {forgedFirst, "401 202, 1 tasks 0 notes 1 mails", "401 200, 0 tasks 0 notes 0 mails"},
	"webhook-signature-unchecked": {forgedFirst, "401 202, 1 tasks 0 notes 1 mails", "202 200, 1 tasks 0 notes 1 mails"},
	"webhook-marked-too-early": {func(s *service) string {
		return statuses(s.event(eventA, "Test-Fail: 500"), s.event(eventA)) + ", " + s.total()
	}, "500 202, 1 tasks 0 notes 1 mails", "500 200, 0 tasks 0 notes 0 mails"},
	"webhook-marked-if-heard=10s": {func(s *service) string {
		hungUp, hangUp := context.WithCancel(s.t.Context())
		answered := make(chan reply, 1)
		go func() { answered <- s.sendUnder(hungUp, "POST /v1/webhooks/crm", eventA) }()
		exists := s.eventually(func() bool { return s.count("tasks", "") == 1 })
		hangUp()
		<-answered
		again, end := context.WithTimeout(s.t.Context(), 500*time.Millisecond)
		defer end()
		s.sendUnder(again, "POST /v1/webhooks/crm", eventA)
		return text(exists, s.total())
	}, "true 1 tasks 0 notes 1 mails", "true 2 tasks 0 notes 2 mails"},
	"webhook-acks-first=10s": {func(s *service) string { return statuses(s.event(eventA)) + ", " + s.total() },
		"202, 1 tasks 0 notes 1 mails", "202, 0 tasks 0 notes 0 mails"},
	"webhook-bounded-store": {func(s *service) string {
		return statuses(s.event(eventA), s.event(eventOf("crm", "e2", "f2", "b")), s.event(eventA)) + ", " + s.total()
	}, "202 202 200, 2 tasks 0 notes 2 mails", "202 202 202, 3 tasks 0 notes 3 mails"},
	"webhook-forgets-early": {func(s *service) string {
		first := s.event(eventA)
		s.send("POST /admin/clock", `{"advance":"20h"}`)
		soon := s.event(eventA)
		s.send("POST /admin/clock", `{"advance":"20h"}`)
		return statuses(first, soon, s.event(eventA)) + ", " + s.total()
	}, "202 200 200, 1 tasks 0 notes 1 mails", "202 200 202, 2 tasks 0 notes 2 mails"},
	"webhook-forgets-repeated": {func(s *service) string {
		return statuses(s.event(eventA), s.event(eventA), s.event(eventA), s.event(eventA), s.event(eventA)) + ", " + s.total()
	}, "202 200 200 200 200, 1 tasks 0 notes 1 mails", "202 200 200 200 202, 2 tasks 0 notes 2 mails"},
	"webhook-per-process": {func(s *service) string {
		other := start(s.t, s.server.options)
		return statuses(s.event(eventA), other.event(eventA)) + ", " + s.total()
	}, "202 200, 1 tasks 0 notes 1 mails", "202 202, 2 tasks 0 notes 2 mails"},
	"webhook-body-in-id": {twoEvents(eventA, eventOf("crm", "e1", "f1", "b")),
		"202 200, 1 tasks 0 notes 1 mails", "202 202, 2 tasks 0 notes 2 mails"},
	"webhook-source-not-in-id": {twoEvents(eventA, eventOf("billing", "e1", "f2", "b")),
		"202 202, 2 tasks 0 notes 2 mails", "202 200, 1 tasks 0 notes 1 mails"},
	"webhook-tenant-not-in-id": {func(s *service) string {
		return statuses(s.event(eventA), s.event(eventA, "Authorization: Bearer reference-t2"))
	}, "202 202", "202 200"},
	"webhook-dedupe-by-payload": {twoEvents(eventA, eventOf("crm", "e2", "f2", "a")),
		"202 202, 2 tasks 0 notes 2 mails", "202 200, 1 tasks 0 notes 1 mails"},
	"webhook-fact-ignored": {twoEvents(eventA, eventOf("crm", "e2", "f1", "a")),
		"202 200, 1 tasks 0 notes 1 mails", "202 202, 2 tasks 0 notes 2 mails"},
	"webhook-mail-per-delivery": {twoEvents(eventA, eventA), "202 200, 1 tasks 0 notes 1 mails", "202 200, 1 tasks 0 notes 2 mails"},
	"batch-key-ignored": {func(s *service) string { return statuses(someRows(2)(s), someRows(2)(s)) + ", " + s.total() },
		"201 201, 2 tasks 0 notes 2 mails", "201 201, 4 tasks 0 notes 4 mails"},
	"batch-partial-commit": {func(s *service) string {
		rows := `{"tasks":[` + body("a") + `,` + body("b") + `,` + body("") + `]}`
		return statuses(s.send("POST /v1/tasks/batch", rows, "Idempotency-Key: k")) + ", " + s.total()
	}, "400, 0 tasks 0 notes 0 mails", "400, 2 tasks 0 notes 2 mails"},
	"batch-failure-stored": {func(s *service) string {
		rows := `{"tasks":[` + body("a") + `]}`
		failed := s.send("POST /v1/tasks/batch", rows, "Idempotency-Key: k", "Test-Fail: 503")
		return statuses(failed, someRows(1)(s)) + ", " + failThenRetry(s)
	}, "503 201, 503 201, 2 tasks 0 notes 2 mails", "503 503, 503 201, 1 tasks 0 notes 1 mails"},
}

// A delivery that is signed must be signed right; the digest was made with openssl.
func TestSignature(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(1767225600)
	s := start(t, Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	const payload = `{"type":"account.renamed"}`
	signed := func(signature, stamp string) reply {
		return s.event(payload, "Webhook-Id: e1", "Webhook-Timestamp: "+stamp, "Webhook-Signature: "+signature)
	}
	const right = "v1,Y4//N8oBVhU43H8h66HB7kjaz9RoBeBqk+NccLW96KY="
	equal(t, "wrong", statuses(signed("v1,AAAA", "1767225600"), signed(right, ""), signed(right, "1767225601")), "401 401 401")
	equal(t, "right", statuses(signed(right, "1767225600"), signed("v1,AAAA "+right, "1767225600")), "202 200")
	now.Add(3600)
	equal(t, "old", statuses(signed(right, "1767225600")), "401")
}

// forgedFirst delivers an event with a signature that does not fit, and then unsigned.
func forgedFirst(s *service) string {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	return statuses(s.event(eventA, "Webhook-Timestamp: "+stamp, "Webhook-Signature: v1,Zm9yZ2Vk"), s.event(eventA)) + ", " + s.total()
}
