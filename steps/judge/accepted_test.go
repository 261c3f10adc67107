package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// TestAccepted: a write that is documented to be accepted only has the status of those and names its job.
func TestAccepted(t *testing.T) {
	t.Parallel()
	jobs := func(claim targets.Claim) *targets.Async {
		return &targets.Async{Status: targets.Ints{202}, Job: "header:Location", Claim: claim}
	}
	named := func(status int) targets.Exchange {
		x := answer(status, "")
		x.Key = "k"
		x.Answer.Set("Location", "/jobs/1")
		return x
	}
	keyless, nameless := named(204), answer(202, "")
	keyless.Key, nameless.Key = "", "k"
	for name, c := range map[string]struct {
		async *targets.Async
		x     targets.Exchange
		want  map[string]reports.Agreement
		finds int
	}{
		"as documented":        {jobs(documentedMust), named(202), map[string]reports.Agreement{"async.status": reports.Held}, 0},
		"done at once":         {jobs(documentedMust), named(201), map[string]reports.Agreement{"async.status": reports.Departed}, 1},
		"it names no job":      {jobs(documentedMust), nameless, map[string]reports.Agreement{"async.status": reports.Held, "async.job": reports.Departed}, 1},
		"only inferred":        {jobs(targets.Claim{Provenance: targets.Inferred}), named(201), map[string]reports.Agreement{"async.status": reports.Departed}, 0},
		"no job was asked for": {jobs(documentedMust), keyless, map[string]reports.Agreement{}, 0},
		"no jobs":              {nil, named(201), map[string]reports.Agreement{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Attempt(OwnRequest, Attempted{Exchange: c.x, Disposition: reports.Created, Async: c.async}, Permitted(OwnRequest, targets.Profile{}, Facts{}))
			got := map[string]reports.Agreement{}
			for _, r := range o.Claims {
				got[r.Claim] = r.State
			}
			assert.Equal(t, c.want, got)
			assert.Len(t, o.Findings, c.finds)
			for _, f := range o.Findings {
				assert.Equal(t, reports.WrongStatus, f.Kind)
			}
		})
	}
}

// TestStoredJob: that a failure is stored is told by what the jobs came to, whatever pointed at them.
func TestStoredJob(t *testing.T) {
	t.Parallel()
	failed, refused := answer(500, ""), answer(402, "")
	p := targets.Profile{Failures: targets.Failures{ServerError: shaped(targets.ModeStored)}}
	for result, want := range map[*targets.Exchange]reports.Agreement{&failed: reports.Held, &refused: reports.NotTold} {
		a := Attempted{Exchange: answer(400, ""), Result: result, Disposition: reports.Failed, Prior: &failed}
		o := Attempt(Corrected, a, Permitted(Corrected, p, Facts{Prior: reports.Failed, PriorStatus: 500}))
		assert.Equal(t, want, o.Claims[0].State)
		assert.Empty(t, o.Findings)
	}
}
