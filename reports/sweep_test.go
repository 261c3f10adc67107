package reports

import (
	"fmt"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const sweepID = "crash-at-every-point[kill]"

func ms(n float64) *float64 { return &n }

// sweep is a run with a crash sweep of 7 points: 4 hold, 2 leave a duplicate and 1 did not fire.
func sweep() *tape {
	t := newTape()
	t.start()
	planSweep(t, sweepID)
	t.preflight()
	t.emit(sweepID, Event{Kind: KindCaseStarted})
	points := []CrashPoint{
		sweepPoint("BEGIN", targets.Before, 1, Created), sweepPoint("SELECT idempotency_keys", targets.After, 1, Created),
		sweepPoint("INSERT INTO idempotency_keys", targets.After, 1, Created), sweepPoint("INSERT INTO orders", targets.After, 2, Created),
		sweepPoint("UPDATE idempotency_keys", targets.After, 2, Created), sweepPoint("COMMIT", targets.After, 1, Replayed),
		{Part: "SELECT outbox#2:before", Label: "SELECT outbox", Occurrence: 2, Side: "before", Fault: "kill", Saw: "201", Retry: Replayed,
			Status: 201, Retries: 1, Records: &[]int{1}[0], Expected: "1", Verdict: Inconclusive, Reason: "the target did not come to this point"},
	}
	points[2].Retries, points[2].RecoveryMS = 5, ms(5210)
	points[4].Retry, points[4].Status, points[4].Retries, points[4].RecoveryMS = InProgress, 409, 12, nil
	for i, p := range points {
		t.point(sweepID, i, p)
		t.emit(sweepID, Event{Kind: KindProgress, Progress: &Progress{What: "crash points", Done: i + 1, Of: len(points)}})
	}
	t.failSweep(points[3:5], "retry 4", "retry 5")
	t.end("")
	return t
}

func planSweep(t *tape, ids ...string) {
	for _, id := range ids {
		t.emit(id, Event{Kind: KindCasePlanned, CasePlanned: &CasePlanned{
			ID: id, Title: "Stopped at every point between request and answer, a create leaves one record after the retry", Feature: "Crash",
			URI: "features/crash.feature:21", Level: targets.Must, Needs: []string{"crash-points"}, MaxRequests: 60, MaxRecords: 20,
		}})
	}
}

// sweepPoint is a point at which the target was killed; more than one record is a duplicate.
func sweepPoint(label string, side targets.Side, records int, retry Disposition) CrashPoint {
	p := CrashPoint{
		Part: targets.Point{Label: label, Occurrence: 1, Side: side}.String(), Label: label, Occurrence: 1, Side: string(side), Fault: "kill",
		Fired: true, Saw: "no answer (closed)", Retry: retry, Status: 201, Retries: 1, Records: &records, Expected: "1", RecoveryMS: ms(412),
		Verdict: Pass,
	}
	if records > 1 {
		p.Verdict, p.Finding, p.Reason = Fail, Duplicate, fmt.Sprintf("%d records for one key", records)
	}
	return p
}

// point plays one point: the first attempt, the fault, the restart, the retry and the count.
func (t *tape) point(id string, i int, p CrashPoint) {
	key := fmt.Sprintf("%s-%03d", key1[:20], i)
	first := t.exchange(fmt.Sprintf("first %d", i+1), 2*i+1, key, 6, 0, "", NoAnswer)
	first.Fault, first.Failure = "", "closed"
	t.emit(id, Event{Kind: KindExchange, Exchange: &first})
	t.wait(6)
	if p.Fired {
		t.emit(id, Event{Kind: KindFault, Fault: &Fault{Text: "killed at " + p.Part}})
		t.wait(400)
		t.emit(id, Event{Kind: KindFault, Fault: &Fault{Text: "restarted"}})
	}
	retry := t.exchange(fmt.Sprintf("retry %d", i+1), 2*i+2, key, 9, p.Status, task, p.Retry)
	t.emit(id, Event{Kind: KindExchange, Exchange: &retry})
	t.wait(12)
	t.reading(id, "after retry", []string{task, twin}[:*p.Records]...)
	t.wait(3)
	t.emit(id, Event{Kind: KindCrashPoint, CrashPoint: &p})
}

// failSweep ends a sweep with a finding for the points that fail.
func (t *tape) failSweep(failing []CrashPoint, exchanges ...string) {
	for i, p := range failing {
		t.emit(sweepID, Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Question: QuestionRecords, Level: targets.Must,
			Message: p.Part + ": " + p.Reason, Expected: "1 record", Found: "2 records", IDs: []string{task, twin}, Exchanges: exchanges[i : i+1]}})
	}
	t.emit(sweepID, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Broken: targets.Must,
		Reason: failing[0].Part + ": " + failing[0].Reason, Records: []Tally{tally("1", 2, task, twin)}}})
}

// passingSweep is a run in which every point holds, by a fault that the target survives.
func passingSweep() *tape {
	t := newTape()
	t.start()
	planSweep(t, sweepID)
	t.preflight()
	t.emit(sweepID, Event{Kind: KindCaseStarted})
	for i, label := range []string{"BEGIN", "INSERT INTO orders", "COMMIT"} {
		p := sweepPoint(label, targets.After, 1, Created)
		p.Fault, p.RecoveryMS = "disconnect", ms(2.5)
		t.point(sweepID, i, p)
	}
	t.emit(sweepID, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass, Reason: "3 points, each with one record after the retry", Records: []Tally{tally("1", 1)}}})
	t.end("")
	return t
}

// longSweep is a sweep of n points of which the one in the middle and the last leave a duplicate.
func longSweep(n int) *tape {
	t := newTape()
	t.start()
	planSweep(t, sweepID)
	t.emit(sweepID, Event{Kind: KindCaseStarted})
	var failing []CrashPoint
	var proofs []string
	for i := range n {
		p := sweepPoint(fmt.Sprintf("UPDATE counters_%d", i), targets.After, 1, Created)
		if i == n/2 || i == n-1 {
			p = sweepPoint(fmt.Sprintf("INSERT INTO orders_%d", i), targets.After, 2, Created)
			failing, proofs = append(failing, p), append(proofs, fmt.Sprintf("retry %d", i+1))
		}
		t.point(sweepID, i, p)
		t.emit(sweepID, Event{Kind: KindProgress, Progress: &Progress{What: "crash points", Done: i + 1, Of: n}})
	}
	t.failSweep(failing, proofs...)
	t.end("")
	return t
}
