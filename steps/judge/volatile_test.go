package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestVolatile(t *testing.T) {
	t.Parallel()
	sample := func(id, note, at, request, record string) Sample {
		return Sample{ID: id, Sent: []byte(`{"note":"` + note + `"}`), Record: []byte(record),
			Answer: []byte(`{"id":"` + id + `","url":"/tasks/` + id + `","note":"` + note + `!","created_at":"` + at + `","fixed":1,"meta":{"request":"` + request + `"}}`)}
	}
	assert.Equal(t, []string{"/created_at", "/meta/request"}, Volatile(sample("D1", "red one", "t1", "r1", ""), sample("D2", "blue two", "t2", "r2", "")),
		"without a record it cannot be told that the time is the record's own")
	assert.Equal(t, []string{"/meta/request"}, Volatile(sample("D1", "red one", "t1", "r1", `{"created_at":"t1"}`), sample("D2", "blue two", "t2", "r2", "")))
	assert.Empty(t, Volatile(Sample{Answer: []byte(`[1]`)}, Sample{Answer: []byte(`no JSON`)}))
}

// A volatile member that differs in a replay is a warning, and any other difference is still a finding.
func TestVolatileMembersOfAReplay(t *testing.T) {
	t.Parallel()
	first := answer(201, `{"id":"D77","at":1,"request":"r1"}`)
	replayed := func(body string) Opinion {
		a := Attempted{Exchange: answer(201, body), Disposition: reports.Replayed, ID: "D77", First: &first, FirstID: "D77",
			Level: targets.Must, Replay: draft.Replay, Volatile: []string{"/request"}}
		return Attempt(Replay, a, Permitted(Replay, draft, Facts{}))
	}
	o := replayed(`{"id":"D77","at":1,"request":"r2"}`)
	assert.Empty(t, o.Findings)
	if assert.Len(t, o.Notes, 1) {
		assert.True(t, o.Notes[0].Warning)
		assert.Contains(t, o.Notes[0].Text, "/request")
		assert.Contains(t, o.Notes[0].Text, "replay.ignore")
	}
	assert.Len(t, replayed(`{"id":"D77","at":2,"request":"r2"}`).Findings, 1)
}

// What an answer without content is said to be means nothing; elsewhere the media type does.
func TestMediaTypeOfNothing(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{"": 0, "{}": 1} {
		first, again := answer(204, body), answer(204, body)
		again.Answer.Set("Content-Type", "text/plain")
		a := Attempted{Exchange: again, Disposition: reports.Replayed, First: &first, Level: targets.Must, Replay: draft.Replay}
		assert.Len(t, Attempt(Replay, a, Permitted(Replay, draft, Facts{})).Findings, want, "%q", body)
	}
}

// A refusal that is repeated as it was is no attempt that still runs, unless those have a code of their own.
func TestRefusalRepeated(t *testing.T) {
	t.Parallel()
	first := answer(409, `{"code":"limit"}`)
	for name, c := range map[string]struct {
		d     reports.Disposition
		x     targets.Exchange
		coded bool
		kind  reports.FindingKind
	}{
		"refused again":                 {d: reports.Rejected, x: answer(409, "")},
		"with the status of in-flight":  {d: reports.InProgress, x: answer(409, "")},
		"with the status of a mismatch": {d: reports.Conflict, x: answer(409, "")},
		"with the code of in-flight":    {d: reports.InProgress, x: answer(409, ""), coded: true, kind: reports.Stuck},
		"now in progress":               {d: reports.InProgress, x: answer(425, ""), kind: reports.Stuck},
		"now a server error":            {d: reports.Failed, x: answer(500, ""), kind: reports.ServerError},
		"now created":                   {d: reports.Created, x: answer(201, ""), kind: reports.KeyIgnored},
	} {
		o := Attempt(RefusalRepeated, Attempted{Exchange: c.x, Disposition: c.d, Prior: &first, Coded: c.coded, Level: targets.Must},
			Permitted(RefusalRepeated, draft, Facts{}))
		if c.kind == "" {
			assert.Empty(t, o.Findings, name)
		} else if assert.Len(t, o.Findings, 1, name) {
			assert.Equal(t, c.kind, o.Findings[0].Kind, name)
		}
	}
}

// What becomes of a failed attempt follows its class, and only what is documented binds.
func TestPermittedAfterFailures(t *testing.T) {
	t.Parallel()
	mode := func(m string) targets.Clause { return targets.Clause{Mode: targets.Strings{m}, Claim: documentedMust} }
	p := targets.Profile{Failures: targets.Failures{Refusal: mode(targets.ModeStored), RateLimited: mode(targets.ModeReExecuted), Unauthorized: mode(targets.ModeStored)}}
	silent := targets.Profile{}
	refused := Facts{Prior: reports.Rejected}
	assert.Equal(t, list(reports.Rejected), Permitted(AfterRefusal, p, refused).Dispositions)
	assert.Equal(t, list(reports.Created, reports.Rejected), Permitted(AfterRefusal, silent, refused).Dispositions)
	p.Failures.Refusal = mode(targets.ModeReExecuted)
	assert.Equal(t, list(reports.Created), Permitted(AfterRefusal, p, refused).Dispositions)
	assert.Equal(t, list(reports.Created), Permitted(TurnedAway, p, Facts{Prior: reports.Rejected, PriorStatus: 429}).Dispositions)
	assert.Equal(t, list(reports.Rejected), Permitted(TurnedAway, p, Facts{Prior: reports.Rejected, PriorStatus: 403}).Dispositions)
	assert.Equal(t, list(reports.Created), Permitted(TurnedAway, silent, Facts{Prior: reports.Rejected, PriorStatus: 401}).Dispositions)
}

func TestPermittedToAnotherCaller(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][]reports.Disposition{
		targets.ModeShared:   {reports.Replayed},
		targets.ModeIsolated: {reports.Created},
		targets.ModeReject:   {reports.Conflict, reports.Rejected},
		"":                   {reports.Created, reports.Replayed, reports.Conflict, reports.Rejected},
	} {
		p := targets.Profile{}
		if mode != "" {
			p.Scope.Credential = targets.Clause{Mode: targets.Strings{mode}, Claim: documentedMust}
		}
		assert.Equal(t, want, Permitted(OtherCaller, p, Facts{}).Dispositions, mode)
	}
	x := Attempted{Exchange: answer(201, ""), Disposition: reports.Replayed, ID: "D1", KeyShared: true, Level: targets.Must}
	isolated := targets.Profile{Scope: targets.Scope{Credential: targets.Clause{Mode: targets.Strings{targets.ModeIsolated}, Claim: documentedMust}}}
	o := Attempt(OtherCaller, x, Permitted(OtherCaller, isolated, Facts{}))
	if assert.Len(t, o.Findings, 1) {
		assert.Equal(t, reports.Leaked, o.Findings[0].Kind)
	}
	assert.Len(t, Attempt(OtherCaller, x, Permitted(OtherCaller, targets.Profile{}, Facts{})).Notes, 1, "where nothing is documented it is noted")
}
