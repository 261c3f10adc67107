package judge

import (
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// expired follows the profile. Where it documents nothing, everything but a failure is right and only observed: a key
// that is no longer kept may make a new record, and one that is kept longer may still be replayed.
func expired(s Situation, p targets.Profile, f Facts) Permit {
	c := p.Expired
	if c.Provenance != targets.Documented || len(c.Mode) == 0 || c.Has(targets.ModeUndocumented) {
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
