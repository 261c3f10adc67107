package judge

import (
	"net/http"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// corrected: after a first attempt that wrote nothing, a retry may run, unless the failure is documented as stored. A
// refusal for a business reason may be the outcome of the key; where nothing is said, both are right.
func corrected(s Situation, p targets.Profile, f Facts) Permit {
	clause, name := failureClause(s, p, f)
	permit := Permit{list(reports.Created), clause, name}
	switch {
	case clause.Has(targets.ModeStored):
		permit.Dispositions = repeatOfFailure(clause, p, f.Prior)
		if s == Corrected && f.Prior == reports.Rejected {
			permit.Dispositions = append(permit.Dispositions, reports.Conflict) // another body than what is stored
		}
		if clause.Provenance != targets.Documented || clause.Has(targets.ModeReExecuted) {
			permit.Dispositions = append(permit.Dispositions, reports.Created)
		}
	case s == AfterRefusal && !(clause.Has(targets.ModeReExecuted) && clause.Provenance == targets.Documented):
		permit.Dispositions = append(permit.Dispositions, repeatOfFailure(clause, p, f.Prior)...)
	}
	return permit
}

// repeatOfFailure is what the repeat of a failure comes to where that is kept: the failure again, or the one error that some
// owners have for every repeat, if they document that it is that one after a failure, too. Else whoever is told of a first
// result that there is none of waits for ever.
func repeatOfFailure(c targets.Clause, p targets.Profile, prior reports.Disposition) []reports.Disposition {
	if p.Replay.Has(targets.ModePointerError) && c.Provenance == targets.Documented && c.Has(targets.ModeStored) {
		return list(prior, reports.Replayed)
	}
	return list(prior)
}

// failureClause gives the clause that documents what becomes of a failed attempt, with its name in the profile.
func failureClause(s Situation, p targets.Profile, f Facts) (targets.Clause, string) {
	switch {
	case s == AfterRefusal:
		return p.Failures.Refusal, "failures.refusal"
	case s == TurnedAway && f.PriorStatus == http.StatusTooManyRequests:
		return p.Failures.RateLimited, "failures.rate_limited"
	case s == TurnedAway:
		return p.Failures.Unauthorized, "failures.unauthorized"
	case f.Prior == reports.Failed && f.PriorStatus == http.StatusGatewayTimeout && p.Failures.Timeout.Provenance != targets.Unknown:
		return p.Failures.Timeout, "failures.timeout"
	case f.Prior == reports.Failed:
		return p.Failures.ServerError, "failures.server_error"
	}
	return p.Failures.Validation, "failures.validation"
}

// otherCaller: whether the callers of one tenant share their keys is for the profile to say, of users or of their
// credentials. Where it does not, what comes is only noted.
func otherCaller(p targets.Profile) Permit {
	scope, name := p.Scope.Credential, "scope.credential"
	if user := p.Scope.User; user.Judged() && (!scope.Judged() || !scope.Has(targets.ModeIsolated) && !user.Has(targets.ModeShared)) {
		scope, name = user, "scope.user" // where either dimension parts the keys, they are parted
	}
	permit := Permit{nil, scope, name}
	if scope.Provenance == targets.Documented {
		for mode, d := range map[string]reports.Disposition{
			targets.ModeShared: reports.Replayed, targets.ModeIsolated: reports.Created, targets.ModeReject: reports.Conflict,
		} {
			if scope.Has(mode) {
				permit.Dispositions = append(permit.Dispositions, d)
			}
		}
		if scope.Has(targets.ModeReject) {
			permit.Dispositions = append(permit.Dispositions, reports.Rejected)
		}
	}
	if len(permit.Dispositions) == 0 {
		permit.Dispositions = list(reports.Created, reports.Replayed, reports.Conflict, reports.Rejected)
	}
	return permit
}

// sameRefusal reports whether a repeat was refused as the first attempt was. One status may stand for a business refusal
// and for an attempt that still runs, or for a mismatch; only a documented code tells them apart.
func sameRefusal(a Attempted) bool {
	if a.Prior == nil || a.Coded || a.Prior.Status != a.Exchange.Status {
		return false
	}
	return a.Disposition == reports.InProgress || a.Disposition == reports.Conflict
}
