package reports

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

var update = flag.Bool("update", false, "write the golden files and the schemas anew")

// golden compares got with the file of that name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test ./reports -update writes it")
	require.Equal(t, string(want), string(got))
}

// tape plays the engine: it emits the events of a run at times that it sets itself.
type tape struct {
	*Stream
	now    time.Time
	events []Event
}

func (t *tape) Event(e Event) error {
	t.events = append(t.events, e)
	return nil
}

func newTape() *tape {
	t := &tape{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	t.Stream = NewStream("r-1", "", func() time.Time { return t.now }, t)
	return t
}

func (t *tape) wait(ms float64) { t.now = t.now.Add(time.Duration(ms * float64(time.Millisecond))) }

func (t *tape) emit(id string, e Event) {
	e.Case = id
	t.Emit(e)
}

// report folds what was emitted.
func (t *tape) report() Report { return Fold(t.events) }

func (t *tape) start() { t.startOn() }

// startOn starts a run on a profile that says these values.
func (t *tape) startOn(claims ...ProfileClaim) {
	t.Emit(Event{Kind: KindRunStarted, RunStarted: &RunStarted{
		Tool: "idemcheck 0.1.0", Target: "reference", URL: "http://127.0.0.1:40811",
		About: "embedded reference target (SQLite, child process 4711)", Embedded: true,
		Profile: "ietf-draft-07", Seed: 7, Observers: []string{"tasks", "mails"},
		MaxRecords: 64, MaxRequests: 410, Command: "idemcheck run --seed 7", Claims: claims,
	}})
}

// plan plans the cases that the tests use, all or those named.
func (t *tape) plan(ids ...string) {
	for _, c := range []CasePlanned{
		{ID: "K1", Title: "A retry after a lost answer is the same operation", Feature: "Identity", URI: "features/identity.feature:12", Level: targets.Must, Source: []string{"draft-ietf-httpapi-idempotency-key-header-07 section 2.6"}, MaxRequests: 6, MaxRecords: 1},
		{ID: "K4", Title: "Another payload revision under the same key is a conflict, and the first payload stays", Feature: "Identity", URI: "features/identity.feature:71", Level: targets.Must, Source: []string{"draft-ietf-httpapi-idempotency-key-header-07 section 2.7"}, MaxRequests: 5, MaxRecords: 1},
		{ID: "K6", Title: "The test environment and another tenant are separate", Feature: "Identity", URI: "features/identity.feature:104", Level: targets.Must, Needs: []string{"second-tenant"}, Missing: "it needs a second tenant: add namespaces.other_tenant to the target file", MaxRequests: 8, MaxRecords: 2},
		{ID: "double-send", Title: "Two sends of one request at the same moment create one record", Feature: "Concurrency", URI: "features/concurrency.feature:9", Level: targets.Must, Source: []string{"report: github.com/example/orders/issues/214"}, MaxRequests: 40, MaxRecords: 10},
		{ID: "material-difference[note]/changed", Title: "A change of one material field is another request", Feature: "Replay", URI: "features/replay.feature:40", Level: targets.Should, MaxRequests: 3, MaxRecords: 1},
		{ID: "crash-before-commit", Title: "A crash before the commit leaves one record after the retry", Feature: "Crash", URI: "features/crash.feature:5", Level: targets.Must, Needs: []string{"crash"}, After: "K1", MaxRequests: 9, MaxRecords: 2},
	} {
		if len(ids) > 0 && !contains(ids, c.ID) {
			continue
		}
		t.emit(c.ID, Event{Kind: KindCasePlanned, CasePlanned: &c})
	}
}

func contains(ids []string, id string) bool {
	for _, other := range ids {
		if other == id {
			return true
		}
	}
	return false
}

func (t *tape) preflight() {
	t.Emit(Event{Kind: KindPreflight, Preflight: &Preflight{Trusted: true, Counts: []int{0, 1, 2}, IDs: []string{"1c0e77aa-0d5b-4a6f-9c51-9f1f0e3c2b10", "6b1f2c33-6a0d-4b52-8f0b-0b9b7d3f4e21"}}})
}

func (t *tape) pass(id, reason string) {
	t.emit(id, Event{Kind: KindCaseStarted})
	t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass, Reason: reason, Records: []Tally{tally("1", 1)}}})
}

func (t *tape) end(interrupted string) {
	r := Fold(append(append([]Event(nil), t.events...), Event{Kind: KindRunEnded, RunEnded: &RunEnded{Interrupted: interrupted}}))
	t.Emit(Event{Kind: KindRunEnded, RunEnded: &RunEnded{Interrupted: interrupted, Exit: r.Outcome.Exit, Removed: r.Removed, Left: len(r.Left)}})
}

func tally(expected string, found int, ids ...string) Tally {
	return Tally{Observer: "tasks", Expected: expected, Found: &found, IDs: ids}
}

// exchange gives one exchange as the engine would: sent at ms after the beginning of the run, answered after took.
func (t *tape) exchange(name string, conn int, key string, took float64, status int, id string, d Disposition) Exchange {
	began := t.now
	x := targets.Exchange{
		Attempt: targets.Attempt{
			Name: name, Operation: "create-internal-review-task", Key: key, Method: "POST",
			URL: "http://127.0.0.1:40811/v1/tasks",
			Header: map[string][]string{
				"Authorization": {"Bearer s3cr3t-token"}, "Content-Type": {"application/json"}, "Idempotency-Key": {key},
			},
			Body: []byte(`{"event":"E204","account":"A18","note":"check this customer's limits m-9f2c"}`),
		},
		Seq: conn, Conn: conn, Proto: "HTTP/1.1", Began: began, Status: status,
		Wrote: began.Add(200 * time.Microsecond), Ended: began.Add(time.Duration(took * float64(time.Millisecond))),
	}
	if status != 0 {
		x.FirstByte = x.Ended.Add(-50 * time.Microsecond)
		x.Answer = map[string][]string{"Content-Type": {"application/json"}}
		x.Content = []byte(`{"id":"` + id + `"}`)
		x.Size = int64(len(x.Content))
	} else {
		x.Fault, x.Failure = targets.LostResponse, targets.FailureFault
	}
	out := Redacted(x, t.Began(), nil, 0)
	out.ID, out.Disposition = id, d
	return out
}

func (t *tape) reading(id, label string, ids ...string) {
	t.emit(id, Event{Kind: KindReading, Reading: &targets.Reading{Observer: "tasks", Label: label, Marker: "m-9f2c", At: t.now, Count: len(ids), IDs: ids, Polls: 1}})
}

func (t *tape) record(kind Kind, id, caseID, why string) {
	t.emit(caseID, Event{Kind: kind, Record: &Record{ID: id, Operation: "create-internal-review-task", Case: caseID, Marker: "m-" + caseID, Why: why}})
}

const (
	key1 = "5c1e7a52-7a0e-4f0c-9d2e-0d6f5a9b1c3d"
	task = "7f3a0c1e-2b4d-4e6f-8a9b-0c1d2e3f4a5b"
	twin = "7f3a0c1e-2b99-4e6f-8a9b-0c1d2e3f4a5b" // an id that begins like the first
)
