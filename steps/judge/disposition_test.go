package judge

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// draft is a profile like the IETF draft's; coded is one whose statuses are ambiguous and need a code.
var (
	documentedMust = targets.Claim{Level: targets.Must, Provenance: targets.Documented}
	draft          = targets.Profile{
		Replay:   targets.Clause{Mode: targets.Strings{targets.ModeIdentical}, Claim: documentedMust},
		Mismatch: targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{422}, Claim: documentedMust},
		InFlight: targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{409}, Claim: documentedMust},
		Missing:  targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{400}, Claim: documentedMust},
	}
	coded = targets.Profile{
		Mismatch: targets.Clause{Status: targets.Ints{409}, Code: &targets.Code{At: "$.code", In: targets.Strings{"mismatch"}}, Claim: documentedMust},
		InFlight: targets.Clause{Status: targets.Ints{409}, Code: &targets.Code{At: "$.code", In: targets.Strings{"busy"}}, Claim: documentedMust},
	}
	pointing = targets.Profile{
		Replay: targets.Clause{Mode: targets.Strings{targets.ModePointerError}, Status: targets.Ints{409}, Claim: documentedMust},
	}
)

func answer(status int, body string) targets.Exchange {
	return targets.Exchange{Attempt: targets.Attempt{Name: "it"}, Status: status, Content: []byte(body), Answer: http.Header{}}
}

func TestDisposition(t *testing.T) {
	t.Parallel()
	held := &targets.Held{Status: targets.Ints{202, 403}, Code: &targets.Code{At: "$.code", In: targets.Strings{"approval_required"}}}
	seen := map[string]bool{"D77": true}
	closed := answer(201, "")
	closed.Failure = targets.FailureClosed
	for name, c := range map[string]struct {
		x    targets.Exchange
		ctx  Context
		want reports.Disposition
	}{
		"no answer":                       {targets.Exchange{Failure: targets.FailureTimeout}, Context{}, reports.NoAnswer},
		"cut answer is none":              {closed, Context{ID: "D1"}, reports.NoAnswer},
		"new id":                          {answer(201, ""), Context{ID: "D1", Seen: seen}, reports.Created},
		"seen id":                         {answer(201, ""), Context{ID: "D77", Seen: seen, KeyUsed: true}, reports.Replayed},
		"seen id under a fresh key":       {answer(201, ""), Context{ID: "D77", Seen: seen}, reports.Replayed},
		"held by code":                    {answer(403, `{"code":"approval_required"}`), Context{Held: held}, reports.HeldBack},
		"403 without the code":            {answer(403, `{"code":"forbidden"}`), Context{Held: held}, reports.Rejected},
		"202 without the code is success": {answer(202, `{}`), Context{Held: held, ID: "D1"}, reports.Created},
		"mismatch":                        {answer(422, ""), Context{Profile: draft, KeyUsed: true, Resolved: true}, reports.Conflict},
		"mismatch with another status":    {answer(409, ""), Context{Profile: draft, KeyUsed: true, Resolved: true}, reports.Conflict},
		"in flight":                       {answer(409, ""), Context{Profile: draft, KeyUsed: true, SameAs: true}, reports.InProgress},
		"busy while another payload runs": {answer(409, ""), Context{Profile: draft, KeyUsed: true}, reports.InProgress},
		"same payload called a mismatch":  {answer(422, ""), Context{Profile: draft, KeyUsed: true, SameAs: true, Resolved: true}, reports.Conflict},
		"409 under a fresh key":           {answer(409, ""), Context{Profile: draft}, reports.Rejected},
		"one status, code mismatch":       {answer(409, `{"code":"mismatch"}`), Context{Profile: coded, KeyUsed: true}, reports.Conflict},
		"one status, code busy":           {answer(409, `{"code":"busy"}`), Context{Profile: coded, KeyUsed: true, SameAs: true}, reports.InProgress},
		"error that points at the first":  {answer(409, ""), Context{Profile: pointing, KeyUsed: true, SameAs: true}, reports.Replayed},
		"the same error under a new key":  {answer(409, ""), Context{Profile: pointing}, reports.Rejected},
		"unauthorized":                    {answer(401, ""), Context{Profile: draft, KeyUsed: true}, reports.Rejected},
		"server error":                    {answer(503, ""), Context{Profile: draft, KeyUsed: true, SameAs: true}, reports.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Disposition(c.x, c.ctx))
		})
	}
}
