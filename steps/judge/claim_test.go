package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// What an attempt tells of the clauses that were consulted: a permitted disposition tells nothing of a mode that it does
// not show.
func TestClaimsRead(t *testing.T) {
	t.Parallel()
	first := answer(201, `{"id":"D77"}`)
	refused := answer(422, "")
	p := draft
	p.Failures.Refusal = targets.Clause{Mode: targets.Strings{targets.ModeStored}, Claim: documentedMust}
	p.Failures.ServerError = targets.Clause{Mode: targets.Strings{targets.ModeReExecuted}, Claim: targets.Claim{Provenance: targets.Inferred}}
	p.Scope.Operation = targets.Clause{Mode: targets.Strings{targets.ModeIsolated}, Claim: documentedMust}
	p.Scope.Credential = targets.Clause{Mode: targets.Strings{targets.ModeUndocumented}, Claim: targets.Claim{Provenance: targets.Unknown}}
	pointing := targets.Profile{Replay: targets.Clause{Mode: targets.Strings{targets.ModePointerError}, Status: targets.Ints{412}, Claim: documentedMust}}
	pointing.Mismatch = targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{412}, Claim: documentedMust}
	for name, c := range map[string]struct {
		s    Situation
		p    targets.Profile
		f    Facts
		x    targets.Exchange
		d    reports.Disposition
		want map[string]reports.Agreement
	}{
		"replay":                 {s: Replay, p: p, x: first, d: reports.Replayed, want: map[string]reports.Agreement{"replay.mode": reports.Held}},
		"replay changed":         {s: Replay, p: p, x: answer(200, `{"id":"D77"}`), d: reports.Replayed, want: map[string]reports.Agreement{"replay.mode": reports.Departed}},
		"repeat that creates":    {s: Replay, p: p, x: first, d: reports.Created, want: map[string]reports.Agreement{"replay.mode": reports.Departed}},
		"no answer":              {s: Replay, p: p, d: reports.NoAnswer, want: map[string]reports.Agreement{"replay.mode": reports.NotTold}},
		"mismatch":               {s: Mismatch, p: p, x: refused, d: reports.Conflict, want: map[string]reports.Agreement{"mismatch.mode": reports.Held, "mismatch.status": reports.Held}},
		"mismatch as busy":       {s: Mismatch, p: p, x: answer(409, ""), d: reports.Conflict, want: map[string]reports.Agreement{"mismatch.mode": reports.Held, "mismatch.status": reports.Departed}},
		"mismatch replayed":      {s: Mismatch, p: p, x: first, d: reports.Replayed, want: map[string]reports.Agreement{"mismatch.mode": reports.Departed}},
		"mismatch is permitted":  {s: Mismatch, p: p, f: Facts{Revision: "new_operation"}, x: first, d: reports.Created, want: map[string]reports.Agreement{}},
		"double send, winner":    {s: Together, p: p, x: first, d: reports.Created, want: map[string]reports.Agreement{"in_flight.mode": reports.NotTold}},
		"double send, loser":     {s: Together, p: p, x: answer(409, ""), d: reports.InProgress, want: map[string]reports.Agreement{"in_flight.mode": reports.Held, "in_flight.status": reports.Held}},
		"waits though refused":   {s: WhileRunning, p: p, x: first, d: reports.Replayed, want: map[string]reports.Agreement{"in_flight.mode": reports.Departed}},
		"refusal kept":           {s: AfterRefusal, p: p, f: Facts{Prior: reports.Rejected}, x: refused, d: reports.Rejected, want: map[string]reports.Agreement{"failures.refusal.mode": reports.Held}},
		"error run again":        {s: Corrected, p: p, f: Facts{Prior: reports.Failed}, x: first, d: reports.Created, want: map[string]reports.Agreement{"failures.server_error.mode": reports.Held}},
		"operation isolated":     {s: OtherOperation, p: p, x: first, d: reports.Created, want: map[string]reports.Agreement{"scope.operation.mode": reports.Held}},
		"operation not isolated": {s: OtherOperation, p: p, x: refused, d: reports.Conflict, want: map[string]reports.Agreement{"scope.operation.mode": reports.Departed}},
		"caller, nothing said":   {s: OtherCaller, p: p, x: first, d: reports.Replayed, want: map[string]reports.Agreement{"scope.credential.mode": reports.Undocumented}},
		"one error for all":      {s: Mismatch, p: pointing, x: answer(412, ""), d: reports.Replayed, want: map[string]reports.Agreement{"mismatch.mode": reports.Held}},
		"a request of its own":   {s: OwnRequest, p: p, x: first, d: reports.Created, want: map[string]reports.Agreement{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Attempted{Exchange: c.x, Disposition: c.d, ID: "D77", Level: targets.Must, Replay: c.p.Replay, First: &first, FirstID: "D77", Prior: &refused}
			got := map[string]reports.Agreement{}
			for _, r := range Attempt(c.s, a, Permitted(c.s, c.p, with(c.f, c.d))).Claims {
				got[r.Claim] = r.State
			}
			assert.Equal(t, c.want, got)
		})
	}
}
