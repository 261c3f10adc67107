package reports

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// largeRun is a run of n cases with five exchanges and a record each, removed at the end.
func largeRun(n int) []Event {
	t := newTape()
	t.start()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("case[%d]", i)
	}
	planSweep(t, ids...)
	x := t.exchange("send", 1, key1, 3, 201, task, Created)
	for _, id := range ids {
		t.emit(id, Event{Kind: KindCaseStarted})
		for range 5 {
			t.emit(id, Event{Kind: KindExchange, Exchange: &x})
		}
		t.record(KindRecordCreated, "record of "+id, id, "")
		t.emit(id, Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Pass, Records: []Tally{tally("1", 1)}}})
	}
	for _, id := range ids[1:] {
		t.record(KindRecordRemoved, "record of "+id, id, "")
	}
	t.end("")
	return t.events
}

func TestFoldOfManyCases(t *testing.T) {
	t.Parallel()
	r := Fold(largeRun(10_000))
	assert.Len(t, r.Cases, 10_000)
	assert.Len(t, r.Cases[9_999].Exchanges, 5)
	assert.Equal(t, []int{10_000, 9_999, 1}, []int{r.Created, r.Removed, len(r.Left)})
	assert.Equal(t, "record of case[0]", r.Left[0].ID)
}

// A record is told apart by all that names it, and an event may come twice or in front of its creation.
func TestLedgerTellsRecordsApart(t *testing.T) {
	t.Parallel()
	var l ledger
	for _, r := range []Record{{ID: "1"}, {ID: "1", Operation: "o"}, {ID: "1", Namespace: "n"}, {ID: "1", Marker: "m"}, {ID: "1"}} {
		l.enter(KindRecordCreated, r)
	}
	l.enter(KindRecordRemoved, Record{ID: "2"})
	l.enter(KindRecordCreated, Record{ID: "2"})
	l.enter(KindRecordRemoved, Record{ID: "2"})
	l.enter(KindRecordLeft, Record{ID: "1", Marker: "m", Why: "answered 409"})
	assert.Equal(t, 5, l.created())
	assert.Equal(t, 1, l.removed())
	assert.Equal(t, []Record{{ID: "1", Why: notRemoved}, {ID: "1", Operation: "o", Why: notRemoved}, {ID: "1", Namespace: "n", Why: notRemoved},
		{ID: "1", Marker: "m", Why: "answered 409"}}, l.left())
}

func BenchmarkFold(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		events := largeRun(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Fold(events)
			}
		})
	}
}
