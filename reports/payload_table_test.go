package reports

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// A comparison of payloads is a table in each report that has tables, and whole in the JSON report.
func TestPayloadTable(t *testing.T) {
	t.Parallel()
	c := Case{CasePlanned: CasePlanned{ID: "payload-compared", Level: targets.Should}, CaseEnded: CaseEnded{Verdict: Fail}}
	for _, one := range []PayloadChange{
		{Part: "note", Change: "note changed", Expected: "a mismatch", Disposition: Conflict, Status: 422, Verdict: Pass},
		{Part: "spacing", Change: "white space", Expected: "a replay", Disposition: Conflict, Status: 422, Verdict: Fail},
		{Part: "event", Change: "event changed", Disposition: NoAnswer, Verdict: NotApplicable},
	} {
		folded := openCase{Case: c}
		folded.fold(Event{Kind: KindPayloadChange, PayloadChange: &one}, time.Time{})
		c = folded.Case
	}
	require.Len(t, c.Changes, 3)
	assert.Equal(t, "3 changes: 1 as documented, 1 not, 1 observed", payloadSummary(c.Changes))
	var out bytes.Buffer
	require.NoError(t, Console(&out, Report{Complete: true, Cases: []Case{c}}, ConsoleOptions{Width: 100}))
	for _, line := range []string{
		"  ✓  note     a mismatch  422 conflict\n", "  ✕  spacing  a replay    422 conflict\n", "  –  event    observed    no-answer\n",
	} {
		assert.Contains(t, out.String(), line)
	}
	assert.Contains(t, markdownPayload(c), "| **fail** | spacing: white space | a replay | 422 conflict |\n")
	out.Reset()
	require.NoError(t, HTML(&out, Report{Complete: true, Cases: []Case{c}}))
	assert.Contains(t, out.String(), `<th scope="row"><code>spacing</code> <span class="why">white space</span></th><td>a replay</td><td>422 conflict</td>`)
	assert.Nil(t, newHTMLPayload(Case{}))
	assert.Empty(t, markdownPayload(Case{}))
}
