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
	case d.late():
		o := d.wrong(reports.Stuck, "an acknowledgement within "+d.Ack.Within.Words(), "none")
		o.Findings[0].Message = fmt.Sprintf("%q had no answer within the %s for which its sender waits", x.Name, d.Ack.Within.Words())
		return o
	case !x.Answered() || x.Failure != targets.NoFailure:
		return Opinion{Unclear: fmt.Sprintf("%q had no answer: %s", x.Name, x.Err)}
	case x.Succeeded() && len(d.Ack.Status) > 0 && !(targets.Clause{Status: d.Ack.Status}).HasStatus(x.Status):
		return d.wrong(reports.WrongStatus, numbers(d.Ack.Status), d.status())
	case x.Succeeded():
		return Opinion{}
	case !d.Repeat && x.Status < 500:
		return Opinion{Unclear: fmt.Sprintf("the event %q was refused: answered %d", x.Name, x.Status)}
	case !d.Repeat:
		f := d.wrong(reports.ServerError, "2xx", d.status())
		f.Findings[0].Level = d.Level
		return f
	case x.Status >= 500:
		return d.wrong(reports.ServerError, "2xx", d.status())
	case d.Running:
		return Opinion{Notes: []reports.Note{{Text: fmt.Sprintf("%q was answered %d while the event was being worked on; its sender would come again",
			x.Name, x.Status)}}}
	}
	return d.wrong(reports.WrongStatus, "2xx", d.status())
}

// late reports whether the time was over in which the sender waits for an acknowledgement.
func (d Delivered) late() bool {
	return d.Exchange.Failure == targets.FailureTimeout && d.Ack.Within > 0 && d.Exchange.Timeout == d.Ack.Within.Std()
}

func (d Delivered) status() string { return strconv.Itoa(d.Exchange.Status) }

// Forgery judges the answer to a delivery whose signature does not fit. Whoever acknowledges it takes it for genuine.
func Forgery(d Delivered) Opinion {
	x := d.Exchange
	switch {
	case !x.Answered() || x.Failure != targets.NoFailure:
		return Opinion{Unclear: fmt.Sprintf("%q had no answer: %s", x.Name, x.Err)}
	case x.Succeeded():
		o := d.wrong(reports.WrongStatus, "4xx", d.status())
		o.Findings[0].Message = fmt.Sprintf("the signature of %q is forged, and it was answered %d", x.Name, x.Status)
		return o
	case x.Status >= 500:
		return Opinion{Notes: []reports.Note{{Text: fmt.Sprintf("the forged delivery %q was answered %d; 401 would say why", x.Name, x.Status)}}}
	}
	return Opinion{}
}

// wrong is the finding that a delivery was not acknowledged as it should be.
func (d Delivered) wrong(kind reports.FindingKind, want, found string) Opinion {
	what := "a new event"
	if d.Repeat {
		what = "an event that was delivered before"
	}
	return Opinion{Findings: []reports.Finding{{
		Kind: kind, Question: reports.QuestionAnswer, Level: d.Ack.Level, Provenance: targets.Documented, Source: ackSource,
		Message:  fmt.Sprintf("%q is %s and was answered %s", d.Exchange.Name, what, found),
		Expected: want, Found: found, Exchanges: []string{d.Exchange.Name},
	}}}
}
