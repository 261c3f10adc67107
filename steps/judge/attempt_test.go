package judge

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestAttempt(t *testing.T) {
	t.Parallel()
	first := answer(201, `{"id":"D77","at":1}`)
	recommended := draft
	recommended.Mismatch.Level, recommended.Replay.Level = targets.Should, targets.Should
	silent := targets.Profile{}
	observed := targets.Profile{Replay: targets.Clause{Mode: targets.Strings{targets.ModeIdentical},
		Claim: targets.Claim{Level: targets.Must, Provenance: targets.Observed}}}
	pointing := draft
	pointing.Replay = targets.Clause{Mode: targets.Strings{targets.ModePointerError}, Status: targets.Ints{412}, Claim: documentedMust}
	oneError := pointing
	oneError.Mismatch = targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{412}, Claim: documentedMust}
	oneError.InFlight = oneError.Mismatch
	keepsFailures, forgets := oneError, oneError
	keepsFailures.Failures.ServerError = targets.Clause{Mode: targets.Strings{targets.ModeStored}, Claim: documentedMust}
	forgets.Expired, forgets.Retention = targets.Clause{}, targets.Retention{Max: targets.Duration(time.Hour), Claim: documentedMust}
	isolated := targets.Profile{Scope: targets.Scope{Operation: targets.Clause{Mode: targets.Strings{targets.ModeIsolated}, Claim: documentedMust}}}
	replayFirst := targets.Profile{Mismatch: targets.Clause{Mode: targets.Strings{targets.ModeReplayFirst}, Claim: documentedMust}}
	refusesRunning, runsRefusals, keepsRefusals := replayFirst, oneError, oneError
	refusesRunning.InFlight = targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{409}, Claim: documentedMust}
	keepsRefusals.Failures.Refusal = targets.Clause{Mode: targets.Strings{targets.ModeStored}, Claim: documentedMust}
	runsRefusals.Failures.Refusal = targets.Clause{Mode: targets.Strings{targets.ModeReExecuted}, Claim: documentedMust}
	for name, c := range map[string]struct {
		situation Situation
		profile   targets.Profile
		facts     Facts
		x         targets.Exchange
		d         reports.Disposition
		id        string
		shared    bool
		kind      reports.FindingKind
		level     targets.Level
		unclear   bool
		notes     int
	}{
		"replay as documented":                          {situation: Replay, profile: draft, x: first, d: reports.Replayed, id: "D77"},
		"replay with another status":                    {situation: Replay, profile: draft, x: answer(200, `{"id":"D77","at":1}`), d: reports.Replayed, id: "D77", kind: reports.ReplayDiffers, level: targets.Must},
		"replay with another body":                      {situation: Replay, profile: draft, x: answer(201, `{"id":"D77","at":2}`), d: reports.Replayed, id: "D77", kind: reports.ReplayDiffers, level: targets.Must},
		"replay in other bytes":                         {situation: Replay, profile: draft, x: answer(201, `{ "at":1, "id":"D77" }`), d: reports.Replayed, id: "D77", notes: 1},
		"replay of a should":                            {situation: Replay, profile: recommended, x: answer(200, `{"id":"D77","at":1}`), d: reports.Replayed, id: "D77", kind: reports.ReplayDiffers, level: targets.Should},
		"replay of an observed value":                   {situation: Replay, profile: observed, x: answer(200, `{"id":"D77","at":1}`), d: reports.Replayed, id: "D77", notes: 1},
		"replay where nothing is said":                  {situation: Replay, profile: silent, x: answer(200, `{}`), d: reports.Replayed, id: "D77"},
		"repeat that creates":                           {situation: Replay, profile: silent, x: answer(201, ""), d: reports.Created, id: "D78", kind: reports.KeyIgnored, level: targets.Must},
		"repeat that is refused":                        {situation: Replay, profile: draft, x: answer(409, ""), d: reports.Rejected, kind: reports.ReplayDiffers, level: targets.Must},
		"repeat called a mismatch":                      {situation: Replay, profile: recommended, x: answer(422, ""), d: reports.Conflict, kind: reports.ReplayDiffers, level: targets.Should},
		"repeat that fails":                             {situation: Replay, profile: draft, x: answer(500, ""), d: reports.Failed, kind: reports.ServerError, level: targets.Must},
		"repeat for ever in progress":                   {situation: Replay, profile: silent, x: answer(409, ""), d: reports.InProgress, kind: reports.Stuck, level: targets.Must},
		"repeat without an answer":                      {situation: Replay, profile: draft, d: reports.NoAnswer, unclear: true},
		"one error for all, running":                    {situation: WhileRunning, profile: oneError, x: answer(412, ""), d: reports.Replayed},
		"one error for all, another payload at once":    {situation: TogetherOther, profile: oneError, x: answer(412, ""), d: reports.Replayed},
		"one error for all, another operation at once":  {situation: TogetherOperation, profile: oneError, x: answer(412, ""), d: reports.Replayed},
		"the error of a replay, while it runs":          {situation: WhileRunning, profile: pointing, x: answer(412, ""), d: reports.Replayed, kind: reports.WrongStatus, level: targets.Must},
		"one error for all, after a failure":            {situation: Corrected, profile: oneError, facts: Facts{Prior: reports.Failed}, x: answer(412, ""), d: reports.Replayed, kind: reports.Stuck, level: targets.Must},
		"one error for all, a failure as well":          {situation: Corrected, profile: keepsFailures, facts: Facts{Prior: reports.Failed}, x: answer(412, ""), d: reports.Replayed},
		"one error for all, a refusal as well":          {situation: RefusalRepeated, profile: keepsRefusals, x: answer(412, ""), d: reports.Replayed},
		"one error for all, of refusals nothing said":   {situation: RefusalRepeated, profile: oneError, x: answer(412, ""), d: reports.Replayed, kind: reports.KeyIgnored, level: targets.Must},
		"one error for all, but not for a refusal":      {situation: RefusalRepeated, profile: runsRefusals, x: answer(412, ""), d: reports.Replayed, kind: reports.KeyIgnored, level: targets.Must},
		"another payload at once, refused as unsaid":    {situation: TogetherOther, profile: replayFirst, x: answer(409, ""), d: reports.Conflict, notes: 1},
		"another payload at once, not refused as said":  {situation: TogetherOther, profile: refusesRunning, x: answer(422, ""), d: reports.Conflict, kind: reports.WrongStatus, level: targets.Must},
		"one error for all, beyond the ceiling":         {situation: Expired, profile: forgets, x: answer(412, ""), d: reports.Replayed, kind: reports.WrongStatus, level: targets.Must},
		"one error for all, in another tenant":          {situation: OwnNamespace, profile: oneError, x: answer(412, ""), d: reports.Replayed, kind: reports.Leaked, level: targets.Must},
		"mismatch as documented":                        {situation: Mismatch, profile: draft, x: answer(422, ""), d: reports.Conflict},
		"mismatch with another status":                  {situation: Mismatch, profile: draft, x: answer(409, ""), d: reports.Conflict, kind: reports.WrongStatus, level: targets.Must},
		"mismatch replayed":                             {situation: Mismatch, profile: recommended, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.WrongStatus, level: targets.Should},
		"mismatch replayed as documented":               {situation: Mismatch, profile: replayFirst, x: first, d: reports.Replayed, id: "D77"},
		"mismatch undocumented and replayed":            {situation: Mismatch, profile: silent, x: first, d: reports.Replayed, id: "D77", notes: 1},
		"new revision is a new operation":               {situation: Mismatch, profile: draft, facts: Facts{Revision: "new_operation"}, x: answer(201, ""), d: reports.Created, id: "D78"},
		"other record answered with the first":          {situation: OtherIdentity, profile: silent, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.Leaked, level: targets.Must},
		"other operation undocumented, created":         {situation: OtherOperation, profile: silent, x: answer(201, ""), d: reports.Created, id: "N1"},
		"other operation answered with the first":       {situation: OtherOperation, profile: silent, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.Leaked, level: targets.Must},
		"other operation isolated, refused as a reuse":  {situation: OtherOperation, profile: isolated, x: answer(422, ""), d: reports.Conflict, kind: reports.WrongStatus, level: targets.Must},
		"other operation isolated, created":             {situation: OtherOperation, profile: isolated, x: answer(201, ""), d: reports.Created, id: "N1"},
		"own request created":                           {situation: OwnRequest, profile: draft, x: answer(201, ""), d: reports.Created, id: "D78"},
		"own request collapsed":                         {situation: OwnRequest, profile: draft, x: first, d: reports.Replayed, id: "D77", kind: reports.KeyIgnored, level: targets.Must},
		"own request refused":                           {situation: OwnRequest, profile: draft, x: answer(400, ""), d: reports.Rejected, unclear: true},
		"own request fails":                             {situation: OwnRequest, profile: draft, x: answer(500, ""), d: reports.Failed, kind: reports.ServerError, level: targets.Must},
		"own namespace answered with the first":         {situation: OwnNamespace, profile: draft, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.Leaked, level: targets.Must},
		"own namespace blocked by the first":            {situation: OwnNamespace, profile: draft, x: answer(422, ""), d: reports.Conflict, shared: true, kind: reports.Leaked, level: targets.Must},
		"unapproved and held":                           {situation: Unapproved, facts: Facts{Approvals: true}, x: answer(403, ""), d: reports.HeldBack},
		"unapproved and created":                        {situation: Unapproved, facts: Facts{Approvals: true}, x: answer(201, ""), d: reports.Created, id: "D78", kind: reports.WrongStatus, level: targets.Must},
		"no approvals known, created":                   {situation: Unapproved, x: answer(201, ""), d: reports.Created, id: "D78"},
		"no approvals known, refused":                   {situation: Unapproved, x: answer(400, ""), d: reports.Rejected, unclear: true},
		"unauthorized and refused":                      {situation: Unauthorized, x: answer(403, ""), d: reports.Rejected},
		"unauthorized and created":                      {situation: Unauthorized, x: answer(201, ""), d: reports.Created, id: "N1", kind: reports.WrongStatus, level: targets.Must},
		"unauthorized and replayed":                     {situation: Unauthorized, x: first, d: reports.Replayed, id: "D77", kind: reports.Leaked, level: targets.Must},
		"missing key refused":                           {situation: MissingKey, profile: draft, x: answer(400, ""), d: reports.Rejected},
		"missing key executed though required":          {situation: MissingKey, profile: draft, x: answer(201, ""), d: reports.Created, id: "D1", kind: reports.WrongStatus, level: targets.Must},
		"missing key answered with another record":      {situation: MissingKey, profile: draft, x: first, d: reports.Replayed, id: "D77", kind: reports.KeyIgnored, level: targets.Must},
		"second waits where a refusal is documented":    {situation: WhileRunning, profile: recommended, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.WrongStatus, level: targets.Must},
		"loser replayed with another body":              {situation: Together, profile: draft, x: answer(201, `{"id":"D77","at":2}`), d: reports.Replayed, id: "D77", shared: true, kind: reports.ReplayDiffers, level: targets.Must},
		"stored failure, only inferred as stored":       {situation: Corrected, profile: targets.Profile{Failures: targets.Failures{ServerError: targets.Clause{Mode: targets.Strings{targets.ModeStored}, Claim: targets.Claim{Provenance: targets.Inferred}}}}, facts: Facts{Prior: reports.Failed}, x: answer(500, ""), d: reports.Failed},
		"other payload in a double send, conflict":      {situation: TogetherOther, profile: draft, x: answer(422, ""), d: reports.Conflict},
		"other payload in a double send, in progress":   {situation: TogetherOther, profile: draft, x: answer(409, ""), d: reports.InProgress},
		"other payload in a double send, 409 undecided": {situation: TogetherOther, profile: draft, x: answer(409, ""), d: reports.Conflict, kind: reports.WrongStatus, level: targets.Must},
		"other payload in a double send, replayed":      {situation: TogetherOther, profile: recommended, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.WrongStatus, level: targets.Should},
		"mismatch while running, 5xx":                   {situation: MismatchRunning, profile: draft, x: answer(500, ""), d: reports.Failed, kind: reports.ServerError, level: targets.Must},
		"other operation in a double send, in progress": {situation: TogetherOperation, profile: draft, x: answer(409, ""), d: reports.InProgress},
		"other operation in a double send, the first's": {situation: TogetherOperation, profile: draft, x: first, d: reports.Replayed, id: "D77", shared: true, kind: reports.Leaked, level: targets.Must},
		"record is gone, first answer":                  {situation: ReplayOfGone, profile: draft, x: first, d: reports.Replayed, id: "D77"},
		"record is gone, made again":                    {situation: ReplayOfGone, profile: draft, x: answer(201, ""), d: reports.Created, id: "D78", kind: reports.KeyIgnored, level: targets.Must},
		"empty key refused though keys are optional":    {situation: EmptyKey, profile: targets.Profile{Missing: targets.Clause{Mode: targets.Strings{targets.ModeExecutes}, Claim: documentedMust}}, x: answer(400, ""), d: reports.Rejected},
		"empty key taken for a key":                     {situation: EmptyKey, profile: draft, x: first, d: reports.Replayed, id: "D77", kind: reports.KeyIgnored, level: targets.Must},
		"odd key refused":                               {situation: OddKey, profile: draft, x: answer(431, ""), d: reports.Rejected},
		"odd key breaks the server":                     {situation: OddKey, profile: draft, x: answer(500, ""), d: reports.Failed, kind: reports.ServerError, level: targets.Must},
		"loser in progress":                             {situation: Together, profile: draft, x: answer(409, ""), d: reports.InProgress},
		"loser with a 5xx":                              {situation: Together, profile: draft, x: answer(500, ""), d: reports.Failed, kind: reports.ServerError, level: targets.Must},
		"lost answer, created":                          {situation: AfterLostAnswer, profile: draft, x: first, d: reports.Created, id: "D77"},
		"lost answer, record read, created":             {situation: AfterLostAnswer, profile: draft, facts: Facts{RecordRead: true}, x: first, d: reports.Created, id: "D78", kind: reports.KeyIgnored, level: targets.Must},
		"corrected and created":                         {situation: Corrected, profile: draft, facts: Facts{Prior: reports.Rejected}, x: first, d: reports.Created, id: "D77"},
		"corrected and burned":                          {situation: Corrected, profile: draft, facts: Facts{Prior: reports.Rejected}, x: answer(422, ""), d: reports.Conflict, kind: reports.Stuck, level: targets.Must},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Attempted{Exchange: c.x, Disposition: c.d, ID: c.id, KeyShared: c.shared, Level: targets.Must, Replay: c.profile.Replay}
			a.Exchange.Name = "it"
			if c.shared || c.situation == Replay {
				a.First, a.FirstID = &first, "D77"
			}
			o := Attempt(c.situation, a, Permitted(c.situation, c.profile, with(c.facts, c.d)))
			assert.Equal(t, c.unclear, o.Unclear != "", o.Unclear)
			assert.Len(t, o.Notes, c.notes, "%+v", o.Notes)
			if c.kind == "" {
				assert.Empty(t, o.Findings)
				return
			}
			require.Len(t, o.Findings, 1)
			assert.Equal(t, c.kind, o.Findings[0].Kind)
			assert.Equal(t, c.level, o.Findings[0].Level)
		})
	}
}

// Each member of a documented answer is checked by itself, and each can fail by itself.
func TestDocumentedMembers(t *testing.T) {
	t.Parallel()
	p := draft
	p.Replay.Marker = &targets.Marker{Name: "Idempotent-Replayed", Value: targets.Strings{"true"}, Claim: documentedMust}
	p.Replay.Ignore = targets.Strings{"/at"}
	p.InFlight.RetryHint = &targets.Marker{Name: "Retry-After", Claim: documentedMust}
	p.InFlight.Code = &targets.Code{At: "$.code", In: targets.Strings{"busy"}}
	first := answer(201, `{"id":"D77","at":1}`)
	first.Answer = http.Header{"Location": {"/tasks/D77"}, "Content-Type": {"application/json"}}

	replayed := func(change func(*targets.Exchange)) []reports.Finding {
		x := answer(201, `{"id":"D77","at":2}`)
		x.Answer = http.Header{"Location": {"/tasks/D77"}, "Content-Type": {"application/json"}, "Idempotent-Replayed": {"true"}}
		change(&x)
		a := Attempted{Exchange: x, Disposition: reports.Replayed, ID: "D77", First: &first, FirstID: "D77", Level: targets.Must, Replay: p.Replay}
		return Attempt(Replay, a, Permitted(Replay, p, Facts{})).Findings
	}
	assert.Empty(t, replayed(func(*targets.Exchange) {}), "the member at /at may differ")
	assert.Len(t, replayed(func(x *targets.Exchange) { x.Answer.Del("Location") }), 1)
	assert.Len(t, replayed(func(x *targets.Exchange) { x.Answer.Set("Content-Type", "text/plain") }), 1)
	assert.Len(t, replayed(func(x *targets.Exchange) { x.Answer.Del("Idempotent-Replayed") }), 1)
	assert.Len(t, replayed(func(x *targets.Exchange) { x.Content = []byte(`{"id":"D77"`) }), 1)

	busy := func(code, hint string) []reports.Finding {
		x := answer(409, `{"code":"`+code+`"}`)
		if hint != "" {
			x.Answer.Set("Retry-After", hint)
		}
		a := Attempted{Exchange: x, Disposition: reports.InProgress, Level: targets.Must}
		return Attempt(WhileRunning, a, Permitted(WhileRunning, p, Facts{})).Findings
	}
	assert.Empty(t, busy("busy", "1"))
	assert.Len(t, busy("busy", ""), 1)
	assert.Len(t, busy("mismatch", "1"), 1)
}

func TestCompareNamesTheMember(t *testing.T) {
	t.Parallel()
	want, got, same := Compare([]byte(`{"a":{"b":1,"c":2}}`), []byte(`{"a":{"b":1,"c":3}}`))
	assert.False(t, same)
	assert.Equal(t, "/a/c 2", want)
	assert.Equal(t, "/a/c 3", got)
}

// with completes the facts by what the attempt itself came to.
func with(f Facts, d reports.Disposition) Facts {
	f.Disposition = d
	return f
}
