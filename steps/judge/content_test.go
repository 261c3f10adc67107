package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func filterProfile(claim targets.Claim, status ...int) targets.Profile {
	return targets.Profile{ContentFilter: targets.ContentFilter{Status: status, Claim: claim}}
}

// What a filter documents decides what equal content may come to, and how hard it is where it comes to something else.
func TestEqualContent(t *testing.T) {
	t.Parallel()
	should := targets.Claim{Level: targets.Should, Provenance: targets.Documented}
	inferred := targets.Claim{Level: targets.Must, Provenance: targets.Inferred}
	for name, c := range map[string]struct {
		profile targets.Profile
		came    reports.Disposition
		status  int
		kind    reports.FindingKind
		level   targets.Level
	}{
		"refused as documented":                 {filterProfile(promised, 422), reports.Rejected, 422, "", ""},
		"refused otherwise":                     {filterProfile(promised, 422), reports.Rejected, 409, reports.WrongStatus, targets.Must},
		"refused, and no status is documented":  {filterProfile(promised), reports.Rejected, 409, "", ""},
		"the first record again":                {filterProfile(promised), reports.Replayed, 200, "", ""},
		"the first record in place of a status": {filterProfile(promised, 422), reports.Replayed, 200, reports.WrongStatus, targets.Must},
		"a second record":                       {filterProfile(promised, 422), reports.Created, 201, reports.Duplicate, targets.Must},
		"a second record, a should":             {filterProfile(should, 422), reports.Created, 201, reports.Duplicate, targets.Should},
		"a second record, inferred":             {filterProfile(inferred, 422), reports.Created, 201, "", ""},
		"an error":                              {filterProfile(promised, 422), reports.Failed, 500, reports.ServerError, targets.Must},
	} {
		permit := Permitted(EqualContent, c.profile, Facts{Disposition: c.came})
		o := Attempt(EqualContent, Attempted{Exchange: targets.Exchange{Status: c.status}, Disposition: c.came, Level: targets.Must}, permit)
		if c.kind == "" {
			assert.Empty(t, o.Findings, name)
			continue
		}
		if assert.Len(t, o.Findings, 1, name) {
			assert.Equal(t, c.kind, o.Findings[0].Kind, name)
			assert.Equal(t, c.level, o.Findings[0].Level, name)
		}
	}
	assert.True(t, Permitted(EqualContent, filterProfile(inferred), Facts{}).Rightly(), "nobody has promised that there is only one")
	assert.False(t, Permitted(EqualContent, filterProfile(should), Facts{}).Rightly())
	assert.True(t, Permitted(AfterWindow, filterProfile(promised), Facts{}).Rightly())
}

// Where a key counts no more, the filter may refuse what the key would not; where it still counts, it may not.
func TestFilteredPermits(t *testing.T) {
	t.Parallel()
	p := filterProfile(promised, 409)
	p.Expired = targets.Clause{Mode: targets.Strings{targets.ModeNewRecord}, Claim: promised}
	p.Replay = targets.Clause{Mode: targets.Strings{targets.ModeIdentical}, Claim: promised}
	refused := Facts{Filtered: true, Disposition: reports.Rejected}
	late := Permitted(Expired, p, refused)
	assert.Equal(t, list(reports.Created, reports.Rejected, reports.Conflict), late.Dispositions)
	assert.Equal(t, ContentFilter, late.Name, "the answer is held against what the filter documents")
	assert.Equal(t, "expired", Permitted(Expired, p, Facts{Filtered: true, Disposition: reports.Created}).Name)
	assert.Equal(t, list(reports.Created), Permitted(Expired, p, Facts{Disposition: reports.Rejected}).Dispositions, "other content")
	assert.Equal(t, list(reports.Replayed), Permitted(Replay, p, refused).Dispositions)
	assert.False(t, Permitted(Together, p, refused).Allows(reports.Rejected), "of two sends at once the key has to answer the second")
	p.Expired.Mode = targets.Strings{targets.ModeNever}
	assert.Equal(t, list(reports.Replayed), Permitted(Expired, p, refused).Dispositions)
}
