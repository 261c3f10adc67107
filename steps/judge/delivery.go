package judge

import (
	"fmt"
	"strconv"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// ackSource is where it is documented that a repeat is acknowledged like a first delivery: a sender goes by 2xx, and
// what is refused it sends again and again, until it gives the endpoint up.
const ackSource = "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md"

// Delivered is one delivery of an event as it is judged.
type Delivered struct {
	Exchange targets.Exchange
	Repeat   bool // the event was delivered before
	Running  bool // and an earlier delivery may still be at work
	Ack      targets.Ack
	Level    targets.Level // of the scenario
}

// DeliveryDisposition says what the target did with a delivery. An acknowledgement does not tell whether the event was
// acted upon: a repeat that is acknowledged counts as replayed, and the records tell whether that is true.
func DeliveryDisposition(x targets.Exchange, repeat bool) reports.Disposition {
	switch {
	case !x.Answered() || x.Failure != targets.NoFailure:
		return reports.NoAnswer
	case x.Succeeded() && repeat:
		return reports.Replayed
	case x.Succeeded():
		return reports.Created
	case repeat && isClientError(x.Status) && !isAccess(x.Status):
		return reports.Conflict
	}
	return plainRefusal(x)
}

// Delivery judges the answer to a delivery: an event is acknowledged, however often it comes.
func Delivery(d Delivered) Opinion {
	x := d.Exchange
	switch {
	case !x.Answered() || x.Failure != targets.NoFailure:
		return Opinion{Unclear: fmt.Sprintf("%q had no answer: %s", x.Name, x.Err)}
	case x.Succeeded() && len(d.Ack.Status) > 0 && !(targets.Clause{Status: d.Ack.Status}).HasStatus(x.Status):
		return d.wrong(reports.WrongStatus, numbers(d.Ack.Status))
	case x.Succeeded():
		return Opinion{}
	case !d.Repeat && x.Status < 500:
		return Opinion{Unclear: fmt.Sprintf("the event %q was refused: answered %d", x.Name, x.Status)}
	case !d.Repeat:
		f := d.wrong(reports.ServerError, "2xx")
		f.Findings[0].Level = d.Level
		return f
	case x.Status >= 500:
		return d.wrong(reports.ServerError, "2xx")
	case d.Running:
		return Opinion{Notes: []reports.Note{{Text: fmt.Sprintf("%q was answered %d while the event was being worked on; its sender would come again",
			x.Name, x.Status)}}}
	}
	return d.wrong(reports.WrongStatus, "2xx")
}

// wrong is the finding that a delivery was not acknowledged as it should be.
func (d Delivered) wrong(kind reports.FindingKind, want string) Opinion {
	what := "a new event"
	if d.Repeat {
		what = "an event that was delivered before"
	}
	return Opinion{Findings: []reports.Finding{{
		Kind: kind, Question: reports.QuestionAnswer, Level: d.Ack.Level, Provenance: targets.Documented, Source: ackSource,
		Message:  fmt.Sprintf("%q is %s and was answered %d", d.Exchange.Name, what, d.Exchange.Status),
		Expected: want, Found: strconv.Itoa(d.Exchange.Status), Exchanges: []string{d.Exchange.Name},
	}}}
}
