package steps

import (
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/scenarios"
)

func dispositionChoices() []scenarios.Choice {
	phrases := map[reports.Disposition]string{reports.InProgress: "told to wait", reports.Conflict: "a conflict", reports.NoAnswer: "without an answer"}
	var list []scenarios.Choice
	for _, d := range reports.Dispositions() {
		list = append(list, scenarios.Choice{Phrase: pick(phrases[d], string(d)), Value: string(d)})
	}
	return list
}

// domains are the steps that the cases of a domain of their own are written with, beside all others.
func domains() []row {
	return []row{
		verb("payload", "Names a payload: what {{payload}} stands for in a payload revision.",
			(*world).setPayload, say(`the payload "{as}" is "{text}"`)),
		verb("capture", "Keeps a value of an answer under a name; later steps write {{name}} for it.",
			(*world).capture, say(`"{as}" is what the answer to "{from}" has at "{at}"`)),
		verb("wait_until", "Looks again and again until a condition holds, for a bounded time: a number of records, or a value in the record of an attempt.",
			(*world).waitUntil,
			say(`it is waited up to "{within}" until {records} record(s) exist(s)`),
			say(`it is waited up to "{within}" until the record of "{as}" has "{is}" at "{at}"`),
		).costing(cost{readings: 50}),
		verb("pause", "Lets time pass.", (*world).pause, say(`"{for}" pass`)),
		verb("push", "Pushes many batches one after the other, each under a key of its own; one of them may time out, and is then sent again under its key until it settles.",
			(*world).pushBatches,
			say("{batches} batches of {rows} rows are pushed"),
			say("{batches} batches of {rows} rows are pushed, and batch {lost} times out and is sent again"),
			say("{batches} batches of {rows} rows are pushed, and batch {lost} times out after {row} rows and is sent again"),
		).costingBy(pushCost).touchingAll(),
		verb("expect_status", "Expects a status of an answer.", (*world).expectStatus,
			say(`"{as}" is answered with status "{status}"`)),
		verb("expect_header", "Expects a header field in an answer.", (*world).expectHeader,
			say(`the answer to "{as}" has the header "{name}"`),
			say(`the answer to "{as}" has the header "{name}" with the value "{value}"`)),
		verb("expect_body", "Expects a value in the body of an answer.", (*world).expectBody,
			say(`the answer to "{as}" has something at "{at}"`),
			say(`the answer to "{as}" has "{is}" at "{at}"`)),
		verb("expect_disposition", "Expects what the target did with an attempt.", (*world).expectDisposition,
			say(`"{as}" comes out {disposition}`)),
		verb("expect_effects", "Expects a number of side effects, where one for each record is not right.", (*world).expectSideEffects,
			say(`exactly {count} side effect(s) of "{observer}" exist(s)`)).costing(cost{readings: 1}),
	}
}
