package reports

import (
	"fmt"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// passing is a run in which everything that applies holds.
func passing() *tape {
	t := newTape()
	t.start()
	t.plan()
	t.wait(12)
	t.preflight()
	t.pass("K1", "replayed, names task 7f3a0c1e")
	t.record(KindRecordCreated, task, "K1", "")
	t.wait(300)
	t.pass("K4", "conflict (422), the first payload is unchanged")
	t.record(KindRecordCreated, twin, "K4", "")
	t.pass("double-send", "20 of 20 rounds overlapped, one record each")
	t.pass("material-difference[note]/changed", "conflict (422)")
	t.wait(1500)
	t.pass("crash-before-commit", "4 points, each with one record after the retry")
	t.record(KindRecordRemoved, task, "K1", "")
	t.record(KindRecordRemoved, twin, "K4", "")
	t.end("")
	return t
}

// failing is a run with a broken must of each sort, a broken should, an error, a doubt and a warning.
func failing() *tape {
	t := newTape()
	t.startOn(saidOfReplays...)
	t.plan()
	t.wait(12)
	t.preflight()
	t.pass("K1", "replayed, names task 7f3a0c1e")
	t.emit("K1", Event{Kind: KindNote, Note: &Note{Warning: true, Text: "the replay carries no Idempotent-Replayed header, which it did on 2026-02-01 (observed)"}})
	t.claim("K1", "replay.mode", Held, "replayed (201)", "retry")
	t.claim("K1", "replay.marker.name", Departed, "nothing", "retry")
	t.wait(40)
	failK4(t)
	t.wait(20)
	failDoubleSend(t)
	failMaterial(t)
	brokenCrash(t)
	t.record(KindRecordRemoved, task, "double-send", "")
	t.record(KindRecordLeft, twin, "double-send", "DELETE /v1/tasks/"+twin+" answered 409")
	t.end("")
	return t
}

func failDoubleSend(t *tape) {
	const id = "double-send"
	t.emit(id, Event{Kind: KindCaseStarted})
	t.emit(id, Event{Kind: KindStep, Step: &Step{Text: `When the operation is sent 2 times at the same moment with one key`}})
	t.reading(id, "before")
	t.wait(0.4)
	first := t.exchange("round 1, send 1", 41, key1, 8.2, 201, task, Created)
	t.wait(0.03)
	second := t.exchange("round 1, send 2", 42, key1, 9.1, 201, twin, Created)
	t.emit(id, Event{Kind: KindExchange, Exchange: &first})
	t.emit(id, Event{Kind: KindExchange, Exchange: &second})
	t.record(KindRecordCreated, task, id, "")
	t.record(KindRecordCreated, twin, id, "")
	t.wait(12)
	t.reading(id, "after", task, twin)
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{
		Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Message: "2 records for one key",
		Expected: "1 record", Found: "2 records", IDs: []string{task, twin}, Exchanges: []string{"round 1, send 1", "round 1, send 2"},
	}})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{
		Verdict: Fail, Broken: targets.Must, Reason: "2 records for one key",
		Overlap: &Overlap{Sends: 2, Overlapping: true, Overlapped: 1, Planned: 1, SpreadUS: 31, Rounds: 1, Technique: "last body byte held back"},
		Records: []Tally{tally("1", 2, task, twin)},
	}})
}

func failK4(t *tape) {
	const id = "K4"
	t.emit(id, Event{Kind: KindCaseStarted})
	first := t.exchange("first", 31, key1, 6, 201, task, Created)
	t.emit(id, Event{Kind: KindExchange, Exchange: &first})
	t.wait(7)
	t.reading(id, "after first", task)
	t.wait(1)
	lost := t.exchange("retry", 32, key1, 2000, 0, "", NoAnswer)
	t.emit(id, Event{Kind: KindExchange, Exchange: &lost})
	t.wait(2001)
	revised := t.exchange("revised", 33, key1, 5, 200, task, Replayed)
	t.emit(id, Event{Kind: KindExchange, Exchange: &revised})
	t.wait(6)
	t.reading(id, "after revised", task)
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{
		Kind: Overwritten, Question: QuestionRecords, Level: targets.Must,
		Message:  "the record of revision P3 holds the note of revision P4 after a request that should have been refused",
		Expected: `note "check this customer's limits"`, Found: `note "second wording"`, IDs: []string{task}, Exchanges: []string{"revised"},
	}})
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{
		Kind: WrongStatus, Question: QuestionAnswer, Level: targets.Should, Message: "a mismatch was answered 200",
		Expected: "422", Found: "200", Exchanges: []string{"revised"}, Provenance: targets.Documented,
		Source: "draft-ietf-httpapi-idempotency-key-header-07 section 2.7",
	}})
	t.claim(id, "mismatch.status", Departed, "200", "revised")
	t.claim(id, "mismatch.mode", Departed, "replayed (200)", "revised")
	t.claim(id, "failures.validation.mode", Undocumented, "created (201)", "first")
	t.claim(id, "replay.mode", NotTold, "no answer", "retry")
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{
		Verdict: Fail, Broken: targets.Must, Reason: "the record of revision P3 holds the note of revision P4 after a request that should have been refused",
		Records: []Tally{tally("1", 1, task)},
		Artifact: &Artifact{
			Bundle:   targets.Bundle{Environment: "production", Tenant: "T1", Event: "E204", Record: "A18", Operation: "create-internal-review-task"},
			Revision: "P4", Digest: "0f343b0931126a20f133d67c2b018a3b5e1b3c0d6f0a4b5c6d7e8f9012345678",
			KeyRelationship: "the baseline's", Approval: "not known to the target", Prior: "completed as " + task,
			Permitted: []Disposition{Conflict}, Observed: []Disposition{Replayed}, Records: []Tally{
				tally("1", 1, task), {Observer: "mails", SideEffect: true, Before: 1, Expected: "1"},
			},
		},
	}})
}

func failMaterial(t *tape) {
	const id = "material-difference[note]/changed"
	t.emit(id, Event{Kind: KindCaseStarted})
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{
		Kind: WrongStatus, Question: QuestionAnswer, Level: targets.Should, Message: "the changed request was answered 409",
		Expected: "422", Found: "409", Provenance: targets.Documented,
	}})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Broken: targets.Should,
		Reason: "the changed request was answered 409", Records: []Tally{tally("1", 1)}}})
}

func brokenCrash(t *tape) {
	const id = "crash-before-commit"
	t.emit(id, Event{Kind: KindCaseStarted})
	t.wait(30)
	lost := t.exchange("first", 51, key1, 14, 0, "", NoAnswer)
	t.emit(id, Event{Kind: KindExchange, Exchange: &lost})
	t.wait(14)
	t.emit(id, Event{Kind: KindFault, Fault: &Fault{Text: "killed before COMMIT"}})
	t.wait(420)
	t.emit(id, Event{Kind: KindFault, Fault: &Fault{Text: "restart", Err: "not ready after 10s"}})
	t.emit(id, Event{Kind: KindStep, Step: &Step{Text: "And the target is started again", Err: "wait for GET /healthz: not ready after 10s"}})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Error, Reason: "the target did not come back after it was killed",
		Records: []Tally{{Observer: "tasks", Expected: "1"}}}})
}

// interrupted is a run that was cut off in its third case, and whose stream has no end.
func interrupted() *tape {
	t := newTape()
	t.start()
	t.plan()
	t.preflight()
	t.pass("K1", "replayed, names task 7f3a0c1e")
	t.pass("K4", "conflict (422), the first payload is unchanged")
	t.emit("double-send", Event{Kind: KindCaseStarted})
	t.record(KindRecordCreated, task, "double-send", "")
	t.wait(900)
	t.reading("double-send", "before")
	return t
}

// collapsing is a run against a target that answers every create with the same record.
func collapsing() *tape {
	t := newTape()
	t.start()
	t.plan("K1")
	t.Emit(Event{Kind: KindPreflight, Preflight: &Preflight{Trusted: true, Counts: []int{0, 1, 1}, IDs: []string{task},
		Finding: &Finding{Kind: Lost, Question: QuestionRecords, Level: targets.Must,
			Message: "two creates with nothing in common but the marker were answered with one record"}}})
	t.pass("K1", "replayed")
	t.end("")
	return t
}

// untrusted is a run whose observer counts one record where there are two.
func untrusted() *tape {
	t := newTape()
	t.start()
	t.plan("K1", "K6", "double-send")
	t.Emit(Event{Kind: KindPreflight, Preflight: &Preflight{Counts: []int{0, 1, 1}, IDs: []string{task, twin},
		Reason: "the observer tasks answers 1 whatever exists: does its list call search for {{marker}}?"}})
	for _, id := range []string{"K1", "double-send"} {
		t.emit(id, Event{Kind: KindCaseStarted})
		t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Inconclusive, Reason: "the observer tasks is not trusted",
			Records: []Tally{tally("1", 1)}}})
	}
	t.end("")
	return t
}

// recounted is a run in which a second record came after its case had passed.
func recounted() *tape {
	t := newTape()
	t.start()
	t.plan("K1", "K4")
	t.pass("K1", "replayed")
	t.emit("K1", Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must, Message: "a second record came late"}})
	t.emit("K1", Event{Kind: KindRecount, Recount: &CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: "a second record came late", Records: []Tally{tally("1", 2)}}})
	t.end("")
	return t
}

// rounds is a run with more exchanges than a person wants to read, the proof among the last of them, against a target
// whose ids say when they were made.
func rounds() *tape {
	t := newTape()
	t.start()
	t.plan("double-send")
	const id = "double-send"
	t.emit(id, Event{Kind: KindCaseStarted})
	for i := range 40 {
		x := t.exchange(fmt.Sprintf("send %d", i+1), i+1, fmt.Sprintf("key-%02d", i/2), 3+float64(i%3), 201, fmt.Sprintf("01HV9Z3K7Q8M5T2R%04d", max(i/2, i-18)), Created)
		t.emit(id, Event{Kind: KindExchange, Exchange: &x})
		t.wait(0.2 + 6*float64(i%2))
	}
	t.emit(id, Event{Kind: KindNote, Note: &Note{Text: "the race showed in 1 of 20 rounds"}})
	t.emit(id, Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must,
		Message: "2 records for one key", IDs: []string{"01HV9Z3K7Q8M5T2R0020", "01HV9Z3K7Q8M5T2R0021"}, Exchanges: []string{"send 39", "send 40"}}})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: "2 records for one key",
		Records: []Tally{tally("1", 2), {Observer: "tasks", Namespace: "other_tenant", Operation: "update-review-note", Expected: "0 or 1"}}}})
	t.end("")
	return t
}

// answersOnly is a run against a remote target without an observer, with a failure that its owner knows.
func answersOnly() *tape {
	t := newTape()
	t.Emit(Event{Kind: KindRunStarted, RunStarted: &RunStarted{
		Tool: "idemcheck 0.1.0", Target: "orders-staging", TargetFile: "my orders.yaml", URL: "https://staging.example.com", About: "https://staging.example.com",
		Profile: "stripe-v1", Seed: 1, Inferred: true, MaxRecords: 1, MaxRequests: 12, Strict: true,
	}})
	t.plan("K1", "K4", "material-difference[note]/changed")
	t.wait(83000)
	found := 1
	t.emit("K1", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass, Inferred: true, Reason: "one id in two answers",
		Records: []Tally{{Observer: "answers", Expected: "1", Found: &found, Inferred: true}}}})
	t.emit("K4", Event{Kind: KindFinding, Finding: &Finding{Kind: WrongStatus, Question: QuestionAnswer, Level: targets.Must, Message: "a mismatch was answered 200", Known: "ORD-1234"}})
	t.emit("K4", Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: "a mismatch was answered 200"}})
	failMaterial(t)
	t.end("")
	return t
}
