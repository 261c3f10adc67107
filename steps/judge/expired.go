package judge

import (
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// RetentionMax is the name of the value that a reuse after the retention is held against, where nothing else is said of it.
const RetentionMax = "retention.max"

// expired follows the profile. Where it does not say what becomes of the key, everything but a failure is right and only
// observed; but a key that is still replayed is kept for longer than a documented ceiling.
func expired(s Situation, p targets.Profile, f Facts) Permit {
	c := p.Expired
	if c.Provenance != targets.Documented || len(c.Mode) == 0 || c.Has(targets.ModeUndocumented) {
		if p.Retention.Provenance == targets.Documented && p.Retention.Max > 0 {
			return Permit{list(reports.Created, reports.Rejected, reports.Conflict), targets.Clause{Claim: p.Retention.Claim}, RetentionMax}
		}
		return Permit{Dispositions: list(reports.Created, reports.Replayed, reports.Rejected, reports.Conflict)}
	}
	permit := Permit{nil, c, "expired"}
	if c.Has(targets.ModeNewRecord) {
		permit.Dispositions = append(permit.Dispositions, reports.Created)
	}
	if c.Has(targets.ModeReject) {
		permit.Dispositions = append(permit.Dispositions, reports.Rejected, reports.Conflict)
	}
	if !c.Has(targets.ModeNever) {
		return permit
	}
	still := Permit{list(reports.Replayed), p.Replay, "replay"}
	if s == ExpiredOther {
		still = mismatch(p, f)
	}
	if len(permit.Dispositions) == 0 {
		return still
	}
	permit.Dispositions = append(permit.Dispositions, still.Dispositions...)
	return permit
}
