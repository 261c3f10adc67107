package judge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

var promised = targets.Claim{Level: targets.Must, Provenance: targets.Documented}

func TestSchedule(t *testing.T) {
	t.Parallel()
	day := targets.Duration(24 * time.Hour)
	delays := []time.Duration{time.Minute, 23 * time.Hour, 24 * time.Hour, 48 * time.Hour}
	expires := targets.Clause{Mode: targets.Strings{targets.ModeReject}, Claim: promised}
	for name, c := range map[string]struct {
		profile targets.Profile
		finding string
		notes   int
	}{
		"floor": {targets.Profile{Retention: targets.Retention{Min: day, Claim: promised}},
			"attempt 4 of the retry schedule, 24h after the first, falls outside the retention of 24h: what then becomes of it is not documented", 0},
		"ceiling": {targets.Profile{Retention: targets.Retention{Max: day, Claim: promised}, Expired: expires},
			"attempt 4 of the retry schedule, 24h after the first, falls outside the retention of 24h: it is refused, and its sender never learns the outcome", 0},
		"long": {targets.Profile{Retention: targets.Retention{Min: 3 * day, Claim: promised}}, "", 0},
		"prolonged": {targets.Profile{Retention: targets.Retention{Min: day, From: targets.FromLastUse, Claim: promised}},
			"attempt 5 of the retry schedule, 48h after the first, falls outside the retention of 24h: what then becomes of it is not documented", 0},
		"observed": {targets.Profile{Retention: targets.Retention{Min: day, Claim: targets.Claim{Provenance: targets.Observed}}}, "", 1},
		"never":    {targets.Profile{Expired: targets.Clause{Mode: targets.Strings{targets.ModeNever}, Claim: promised}}, "", 1},
	} {
		o := Schedule(delays, c.profile, targets.Should)
		assert.Len(t, o.Notes, c.notes, name)
		if c.finding == "" {
			assert.Empty(t, o.Findings, name)
			continue
		}
		assert.Equal(t, c.finding, o.Findings[0].Message, name)
		assert.Equal(t, targets.Should, o.Findings[0].Level, name)
	}
}

func TestSpell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{24 * time.Hour: "24h", 90 * time.Minute: "1h30m", 6 * time.Minute: "6m",
		time.Hour + 5*time.Second: "1h0m5s", 10 * time.Second: "10s", 0: "0s", 1500 * time.Millisecond: "1.5s"} {
		assert.Equal(t, want, Spell(d))
	}
}

func TestExpiredPermits(t *testing.T) {
	t.Parallel()
	clause := func(claim targets.Claim, modes ...string) targets.Profile {
		return targets.Profile{Expired: targets.Clause{Mode: modes, Claim: claim},
			Mismatch: targets.Clause{Mode: targets.Strings{targets.ModeReject}, Claim: promised}}
	}
	all := list(reports.Created, reports.Replayed, reports.Rejected, reports.Conflict)
	for name, c := range map[string]struct {
		situation Situation
		profile   targets.Profile
		want      []reports.Disposition
	}{
		"new record":              {Expired, clause(promised, targets.ModeNewRecord), list(reports.Created)},
		"refused":                 {Expired, clause(promised, targets.ModeReject), list(reports.Rejected, reports.Conflict)},
		"either":                  {Expired, clause(promised, targets.ModeNewRecord, targets.ModeReject), list(reports.Created, reports.Rejected, reports.Conflict)},
		"never":                   {Expired, clause(promised, targets.ModeNever), list(reports.Replayed)},
		"never, another payload":  {ExpiredOther, clause(promised, targets.ModeNever), list(reports.Conflict)},
		"new record, or for ever": {Expired, clause(promised, targets.ModeNewRecord, targets.ModeNever), list(reports.Created, reports.Replayed)},
		"nothing":                 {Expired, targets.Profile{}, all},
		"observed":                {Expired, clause(targets.Claim{Provenance: targets.Observed}, targets.ModeReject), all},
		"only a ceiling":          {Expired, targets.Profile{Retention: targets.Retention{Max: 1, Claim: promised}}, list(reports.Created, reports.Rejected, reports.Conflict)},
		"an observed ceiling":     {Expired, targets.Profile{Retention: targets.Retention{Max: 1, Claim: targets.Claim{Provenance: targets.Observed}}}, all},
		"undocumented":            {ExpiredOther, clause(promised, targets.ModeUndocumented), all},
	} {
		assert.Equal(t, c.want, Permitted(c.situation, c.profile, Facts{}).Dispositions, name)
	}
}

// A refusal that is documented of expired keys is one, though its status may also stand for a mismatch.
func TestExpiredDisposition(t *testing.T) {
	t.Parallel()
	conflict := targets.Clause{Status: targets.Ints{409}}
	c := Context{Profile: targets.Profile{Expired: conflict, InFlight: conflict, Mismatch: conflict}, KeyUsed: true, SameAs: true, Resolved: true}
	x := targets.Exchange{Status: 409}
	assert.Equal(t, reports.InProgress, Disposition(x, c))
	c.Expired = true
	assert.Equal(t, reports.Rejected, Disposition(x, c))
}
