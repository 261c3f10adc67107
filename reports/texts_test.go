package reports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Whatever text of an event holds a secret, no sink sees it; the words of our own stay as they are.
func TestStreamRedacts(t *testing.T) {
	t.Parallel()
	var got []Event
	s := NewStream("run", "", nil, sinkFunc(func(e Event) error { got = append(got, e); return nil }))
	s.Redact(func(text string) string { return strings.ReplaceAll(text, "duplicate", "[redacted]") })
	s.Emit(Event{Kind: KindFinding, Case: "duplicate-case", Finding: &Finding{Kind: Duplicate, Level: targets.Must, Message: "a duplicate", IDs: []string{"duplicate"}}})
	s.Emit(Event{Kind: KindCaseEnded, CaseEnded: &CaseEnded{Verdict: Fail, Reason: "duplicate", Records: []Tally{{IDs: []string{"duplicate"}}}}})
	s.Emit(Event{Kind: KindCasePlanned, CasePlanned: &CasePlanned{ID: "duplicate-case"}})
	s.Emit(Event{Kind: KindCrashPoint, CrashPoint: &CrashPoint{Part: "duplicate", Label: "duplicate", Side: "duplicate", Fault: "duplicate",
		Saw: "duplicate", Expected: "duplicate", Retry: "duplicate", Finding: Duplicate, Reason: "a duplicate"}})
	assert.Equal(t, &CrashPoint{Part: "[redacted]", Label: "[redacted]", Side: "duplicate", Fault: "duplicate",
		Saw: "[redacted]", Expected: "[redacted]", Retry: "duplicate", Finding: Duplicate, Reason: "a [redacted]"}, got[3].CrashPoint)
	assert.Equal(t, Duplicate, got[0].Finding.Kind)
	assert.Equal(t, "duplicate-case", got[0].Case)
	assert.Equal(t, "a [redacted]", got[0].Finding.Message)
	assert.Equal(t, []string{"[redacted]"}, got[0].Finding.IDs)
	assert.Equal(t, "[redacted]", got[1].CaseEnded.Reason)
	assert.Equal(t, []string{"[redacted]"}, got[1].CaseEnded.Records[0].IDs)
	assert.Equal(t, Fail, got[1].CaseEnded.Verdict)
	assert.Equal(t, "duplicate-case", got[2].CasePlanned.ID)
}

type sinkFunc func(Event) error

func (f sinkFunc) Event(e Event) error { return f(e) }
