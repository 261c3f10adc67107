package steps

import (
	"slices"

	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// choices are the phrases of the arguments that take one of a few values.
var choices = map[string][]scenarios.Choice{
	"key": {
		{Phrase: "the same key", Value: "same"},
		{Phrase: "the baseline's key", Value: "same"},
		{Phrase: "its own key", Value: "own"},
		{Phrase: "a different key", Value: "own"},
		{Phrase: "the same key in the other letter case", Value: "other-case"},
		{Phrase: "the same key with a space at its end", Value: "spaced"},
		{Phrase: "the same key in its other form", Value: "other-quoting"},
		{Phrase: "a key with a letter beyond ASCII", Value: "beyond-ascii"},
		{Phrase: "the same key with another letter beyond ASCII", Value: "other-beyond-ascii"},
		{Phrase: "two keys in two header lines", Value: "two-lines"},
		{Phrase: "a key of 255 characters", Value: "length:255"},
		{Phrase: "a key of 256 characters", Value: "length:256"},
		{Phrase: "a key of 5000 characters", Value: "length:5000"},
		{Phrase: "no key", Value: "none"},
		{Phrase: "an empty key", Value: "empty"},
	},
	"operation": {
		{Phrase: "operation", Value: "main"},
		{Phrase: "other operation", Value: "other"},
		{Phrase: "operation with a plain body", Value: "text"},
	},
	"namespace": {
		{Phrase: "the other tenant", Value: "other_tenant"},
		{Phrase: "the test environment", Value: "test_environment"},
		{Phrase: "the other region", Value: "other_region"},
		{Phrase: "the other part of the account", Value: "other_partition"},
	},
	"fault": {
		{Phrase: "its answer is lost", Value: string(targets.LostResponse)},
		{Phrase: "the connection is cut after the headers", Value: string(targets.HangUpHeaders)},
		{Phrase: "the connection is cut inside the body", Value: string(targets.HangUpHalfBody)},
		{Phrase: "the connection is cut right after the last byte", Value: string(targets.HangUpAfterWrite)},
		{Phrase: "the connection is cut inside the answer", Value: string(targets.HangUpHalfAnswer)},
	},
	"switch": {
		{Phrase: "the target told to be slow", Value: "slow"},
		{Phrase: "the target told to fail", Value: "fail"},
		{Phrase: "the target told to refuse", Value: "refuse"},
	},
	"body": {
		{Phrase: "the members in another order", Value: "reordered"},
		{Phrase: "an invalid body", Value: "invalid"},
		{Phrase: "a changed member", Value: "changed:"},
		{Phrase: "another text", Value: "text"},
		{Phrase: "a body that makes a large answer", Value: "large"},
		{Phrase: "the same content", Value: sameContent},
		{Phrase: "other content", Value: otherContent},
	},
	"with": {
		{Phrase: "a bad row", Value: "bad"},
		{Phrase: "one row twice", Value: "twice"},
	},
	"to": {
		{Phrase: "another instance", Value: "replica"},
	},
	"mix": {
		{Phrase: "every second one with another payload", Value: "payloads"},
		{Phrase: "every second one in the other tenant", Value: "tenants"},
		{Phrase: "every second one on the other operation", Value: "operations"},
		{Phrase: "every second one to another instance", Value: "replicas"},
	},
	"technique": {
		{Phrase: "by the other technique", Value: "variation"},
	},
	"caller": {
		{Phrase: "a caller without its authorization", Value: "lesser"},
		{Phrase: "a caller that may not use it", Value: "unauthorized"},
		{Phrase: "another caller of the same tenant", Value: "another"},
		{Phrase: "a caller that can be revoked", Value: "revocable"},
	},
	"moment":      moments(),
	"situation":   situationChoices(),
	"disposition": dispositionChoices(),
}

func situationChoices() []scenarios.Choice {
	var list []scenarios.Choice
	for _, s := range judge.Situations() {
		list = append(list, scenarios.Choice{Phrase: string(s), Value: string(s)})
	}
	return list
}

// table lists every step. It is the only place where a step is named: the patterns godog gets, `idemcheck steps` and
// the schemas are made from it.
func table() []row {
	return slices.Concat(givens(), whens(), payloads(), crashes(), webhooks(), rowSteps(), expiries(), thens(), domains())
}

// givens are the steps that set a case up.
func givens() []row {
	return []row{
		verb("bundle", "Names the bundle that the case is about; symbols such as E204 and A18 stand for unique ids.",
			(*world).setBundle, say("the baseline bundle"), say(`the bundle "{as}"`)),
		verb("approve", "Has an event approved for a target record, where the target knows approvals.",
			(*world).approve,
			say(`event "{event}" is approved for target record "{target_record}"`),
			say(`event "{event}" is approved in {namespace} for target record "{target_record}"`)).costing(cost{requests: 1}),
		verb("complete", "Completes the baseline: one send under a fresh key that creates exactly one record.",
			(*world).complete, say("the baseline was completed")).costing(cost{requests: 2, records: 1, readings: 1}),
	}
}

// whens are the steps that do something to the target.
func whens() []row {
	one := cost{requests: 1, records: 1}
	return []row{
		verb("send", "Sends the operation once; further arguments go into a table below the sentence.",
			(*world).send,
			say(`the {operation} is sent as "{as}"`),
			say(`the {operation} is sent as "{as}" with {key}`),
			say(`the {operation} is sent again as "{as}" with {key}`),
			say(`the {operation} is sent again as "{as}" with the key of "{key_of}"`),
			say(`the {operation} is sent as "{as}" with {key} in {namespace}`),
			say(`the {operation} is sent again as "{as}" with {key} to {to}`),
			say(`the {operation} is sent as "{as}" with {key} by {caller}`),
			say(`the {operation} is sent as "{as}" with {key} and {body}`),
			say(`the {operation} is sent again as "{as}" with {key} and {body}`),
			say(`the {operation} is sent as "{as}" and {fault}`),
			say(`the {operation} is sent as "{as}" with {switch}`),
			say(`operation "{operation}" is sent as "{as}"`),
			say(`operation "{operation}" is sent as "{as}" with {key}`),
			say(`operation "{operation}" is sent again as "{as}" with the key of "{key_of}"`),
		).costing(one),
		verb("settle", "Sends the operation again under the same key until the answer is no in-progress any more, within the declared bound.",
			(*world).settle,
			say(`the operation is sent again as "{as}" with the same key until it settles`),
			say(`the operation is sent again as "{as}" with the key of "{key_of}" until it settles`),
		).costing(cost{requests: 5, records: 1}),
		verb("changed", "Sends the operation again under the same key, each time with one material member changed, and judges each as a mismatch.",
			(*world).eachMember, say("the operation is sent again with the same key and each material member changed in turn"),
		).costing(cost{requests: 8, records: 8}),
		verb("together", "Has several workers send the operation at the same moment; repeated in a fresh round until two sends overlapped.",
			(*world).together,
			say("{count} workers send the operation at the same moment with the same key", "key", "same"),
			say("{count} workers send the operation at the same moment with the same key, {mix}", "key", "same"),
			say("{count} workers send the operation at the same moment with the same key, {technique}", "key", "same"),
			say("{count} workers send the operation at the same moment with a key each", "key", "distinct"),
			say("{count} deliveries of one event arrive at the same moment", "key", "same", "of", event),
		).touchingAll().costingBy(togetherCost),
		verb("during", "Sends the operation, and while that provably still runs sends it again under the same key.",
			(*world).during,
			say(`the operation is sent as "{first}", and as "{second}" with the same key while that is still running`),
			say(`the operation is sent as "{first}", and as "{second}" with the same key and another payload while that is still running`, "payload_revision", "P4"),
		).costing(cost{requests: 3, records: 2}).touchingAll(),
		verb("held_open", "Sends the operation up to its last byte, and before that goes out sends it again whole under the same key.",
			(*world).heldOpen,
			say(`the operation is sent as "{first}" up to its last byte, and as "{second}" with the same key meanwhile`),
		).costing(cost{requests: 3, records: 2}).touchingAll(),
		verb("outlive", "Sends an operation that takes longer than the target's lock lives, and sends it again when the lock would have ended.",
			(*world).outlive,
			say(`the operation is sent as "{first}" for longer than the lock lives, and as "{second}" with the same key when the lock would have ended`),
		).costing(cost{requests: 3, records: 2}).touchingAll(),
		verb("delete", "Deletes the record of an attempt, as the target file says.", (*world).deleteRecord,
			say(`the record of "{as}" is deleted`)).costing(cost{requests: 1}),
		verb("exhaust", "Reaches the limit after which nothing more may be created for a target record, and proves it by a refused send.",
			(*world).exhaust, say(`target record "{target_record}" can take nothing more`)).costing(cost{requests: 2}),
		verb("read", "Reads all observers and keeps the counts under a label.", (*world).read,
			say(`the records are read as "{label}"`)).costing(cost{readings: 1}),
	}
}

// thens are the steps that look and judge.
func thens() []row {
	return []row{
		verb("let_pass", "Waits for as long as a slow attempt takes, so that whatever it still does is counted.",
			(*world).letPass, say("the slow attempt has had its time")),
		verb("uncounted", "Needs a reading in which nothing was counted yet; else the case cannot tell.", (*world).needUncounted,
			say(`nothing was counted yet as "{label}"`)),
		verb("records", "Expects a number of records, counted by the observers.", (*world).expectRecords,
			say("exactly {count} record(s) exist(s)"),
			say("exactly {count} record(s) exist(s) in {namespace}"),
			say(`exactly {count} record(s) exist(s), and 1 more if "{unless}" rightly created its own`),
			say("exactly {count} record(s) exist(s), and 1 more for each attempt that was answered with one", "unless", "answered"),
			say("exactly {count} record(s) exist(s), and 1 more for each change that rightly made its own", "unless", "changes"),
			say("exactly {count} record(s) of the operation with a plain body exist(s)", "operation", "text"),
			say("exactly {count} record(s) of the other operation exist(s)", "operation", "other"),
			say(`exactly {count} record(s) of operation "{operation}" exist(s)`),
			say(`exactly {count} record(s) of the other operation exist(s), and 1 more if "{unless}" rightly created its own`, "operation", "other"),
		).costing(cost{readings: 1}),
		verb("handled", "Expects that an attempt came to what its situation permits, and that the answer is the documented one.",
			(*world).expectHandled,
			say(`"{as}" is handled as {situation}`),
			say(`"{as}" is handled as {situation} of "{first}"`),
			say(`every send is handled as {situation}`, "as", "*"),
		),
		verb("same_record", "Expects one record id in all successful answers to one request.", (*world).expectOneRecord,
			say("every successful answer names the same record")),
		verb("names", "Expects that an answer names the record that the observers count.", (*world).expectNames,
			say(`"{as}" names the record that exists`)),
		verb("shows_nothing", "Expects that an answer shows nothing of another attempt's record.", (*world).expectNothingShown,
			say(`"{as}" shows nothing of "{other}"`)),
		verb("unchanged", "Reads a record back and expects it as it was first read.", (*world).expectUnchanged,
			say(`the record of "{as}" is unchanged`)).costing(cost{requests: 2}),
		verb("overlap", "Expects that at least two sends were with the target at the same time, as the sender measured it.",
			(*world).expectOverlap, say("at least two of the sends overlapped")),
	}
}

func (r row) costingBy(f func(map[string]string) cost) row {
	r.cost = f
	return r
}

// Verbs gives the table of steps as the scenario language knows it.
func Verbs() []scenarios.Verb {
	var list []scenarios.Verb
	for _, r := range table() {
		list = append(list, r.Verb)
	}
	return list
}
