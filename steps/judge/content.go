package judge

import (
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// ContentFilter is the name of what a profile says of a second guard beside the key, which refuses equal content.
const ContentFilter = "content_filter"

// filterClause gives what is documented of the filter's refusal in the form of a clause.
func filterClause(p targets.Profile) targets.Clause {
	return targets.Clause{Status: p.ContentFilter.Status, Claim: p.ContentFilter.Claim}
}

// equalContent: under another key it is refused. Where it is not documented how, the first record may as well be given
// again.
func equalContent(p targets.Profile) Permit {
	permit := Permit{list(reports.Rejected), filterClause(p), ContentFilter}
	if len(p.ContentFilter.Status) == 0 {
		permit.Dispositions = append(permit.Dispositions, reports.Replayed)
	}
	return permit
}

// filtered lets the filter refuse what a key alone would not: a key that is no longer kept, or that is another one for
// another caller, comes with the content of a record that exists. Another situation is not widened: where the key still
// counts, it has to answer before the filter does.
func filtered(s Situation, permit Permit, p targets.Profile, f Facts) Permit {
	refused := f.Disposition == reports.Rejected || f.Disposition == reports.Conflict
	mayRun := s == Expired || s == ExpiredOther || s == OtherCaller
	if !f.Filtered || !mayRun || !permit.Allows(reports.Created) {
		return permit
	}
	if refused && !permit.Allows(f.Disposition) {
		permit.Clause, permit.Name = filterClause(p), ContentFilter
	}
	permit.Dispositions = append(permit.Dispositions, reports.Rejected, reports.Conflict)
	return permit
}

// Rightly reports whether a record that an attempt made is right. Nobody has promised what a filter does that is not
// documented: then the record is none too many.
func (p Permit) Rightly() bool {
	return p.Allows(reports.Created) || p.Name == ContentFilter && !p.Clause.Judged()
}
