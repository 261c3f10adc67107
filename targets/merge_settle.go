package targets

import (
	"net/http"
	"reflect"
)

// clausesOf lists every clause of a profile with its path in the YAML file.
func clausesOf(p *Profile) []namedClause {
	return []namedClause{
		{"replay", &p.Replay, []string{ModeIdentical, ModeSameRecord, ModePointerError, ModeUpsert, ModeAck, ModeUndocumented}},
		{"mismatch", &p.Mismatch, []string{ModeReject, ModeReplayFirst, ModeNewRecord, ModeOverwrite, ModeUndocumented}},
		{"in_flight", &p.InFlight, []string{ModeReject, ModeWait, ModePointer, ModeUndocumented}},
		{"mismatch_in_flight", &p.MismatchInFlight, []string{ModeReject, ModeReplayFirst, ModeNewRecord, ModeUndocumented}},
		{"missing", &p.Missing, []string{ModeReject, ModeExecutes, ModeServerGenerates, ModeUndocumented}},
		{"failures.validation", &p.Failures.Validation, failureModes()},
		{"failures.refusal", &p.Failures.Refusal, failureModes()},
		{"failures.unauthorized", &p.Failures.Unauthorized, failureModes()},
		{"failures.rate_limited", &p.Failures.RateLimited, failureModes()},
		{"failures.server_error", &p.Failures.ServerError, failureModes()},
		{"failures.timeout", &p.Failures.Timeout, failureModes()},
		{"expired", &p.Expired, []string{ModeNewRecord, ModeReject, ModeNever, ModeUndocumented}},
		{"scope.credential", &p.Scope.Credential, scopeModes()},
		{"scope.tenant", &p.Scope.Tenant, scopeModes()},
		{"scope.environment", &p.Scope.Environment, scopeModes()},
		{"scope.operation", &p.Scope.Operation, scopeModes()},
		{"scope.user", &p.Scope.User, scopeModes()},
		{"scope.method", &p.Scope.Method, scopeModes()},
		{"scope.region", &p.Scope.Region, scopeModes()},
		{"scope.partition", &p.Scope.Partition, scopeModes()},
		{"store_down", &p.StoreDown, []string{ModeFailOpen, ModeFailClosed, ModeUndocumented}},
	}
}

// claimsOf lists the claims of a profile that stand beside its clauses, with their paths in the YAML file.
func claimsOf(p *Profile) []namedClaim {
	list := []namedClaim{
		{"key", &p.Key.Claim, !reflect.ValueOf(p.Key).IsZero()},
		{"retention", &p.Retention.Claim, !reflect.ValueOf(p.Retention).IsZero()},
		{"counting", &p.Counting.Claim, !reflect.ValueOf(p.Counting).IsZero()},
		{"content_filter", &p.ContentFilter.Claim, !reflect.ValueOf(p.ContentFilter).IsZero()},
	}
	if p.Async != nil {
		list = append(list, namedClaim{"async", &p.Async.Claim, true})
	}
	if p.Refused != nil {
		list = append(list, namedClaim{"refused", &p.Refused.Claim, true})
	}
	if p.Delivery != nil {
		list = append(list, namedClaim{"delivery", &p.Delivery.Claim, true})
	}
	if p.Delivery != nil && p.Delivery.Sign != nil {
		list = append(list, namedClaim{"delivery.sign", &p.Delivery.Sign.Claim, true})
	}
	return list
}

// namedClaim is a claim, where it stands, and whether anything is given there.
type namedClaim struct {
	path  string
	claim *Claim
	given bool
}

// namedClause is a clause, where it stands, and the modes it may have.
type namedClause struct {
	path   string
	clause *Clause
	modes  []string
}

func failureModes() []string {
	return []string{ModeStored, ModeReExecuted, ModeResumed, ModeUndocumented}
}
func scopeModes() []string { return []string{ModeIsolated, ModeShared, ModeReject, ModeUndocumented} }

// settle fills in what a reader of the profile may rely on: every claim has a provenance (unknown where nothing is
// said), documented and observed ones a source, markers the claim of their clause, and the key a place and a name.
func (p *Profile) settle() {
	for _, c := range clausesOf(p) {
		p.settleClaim(&c.clause.Claim)
		c.clause.Marker = settleMarker(c.clause.Marker, c.clause.Claim)
		c.clause.RetryHint = settleMarker(c.clause.RetryHint, c.clause.Claim)
	}
	p.settleAsync()
	p.Delivery, p.Refused = copied(p.Delivery), copied(p.Refused)
	if p.Delivery != nil {
		p.Delivery.Sign = copied(p.Delivery.Sign)
	}
	for _, c := range claimsOf(p) {
		p.settleClaim(c.claim)
	}
	if p.Role == "" {
		p.Role = RoleServer
	}
	if p.Key.In == "" {
		p.Key.In = InHeader
	}
	if p.Key.In == InHeader && p.Key.Name == "" {
		p.Key.Name = defaultKeyName
	}
	if p.Key.In == InHeader && p.Key.Quoting == "" {
		p.Key.Quoting = QuotingBare
	}
}

// copied gives a copy, since profiles are shared between targets.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	own := *p
	return &own
}

func (p *Profile) settleAsync() {
	p.Async = copied(p.Async)
	if p.Async == nil {
		return
	}
	if len(p.Async.Status) == 0 {
		p.Async.Status = Ints{http.StatusAccepted}
	}
	if p.Async.Job == "" {
		p.Async.Job = defaultJob
	}
}

func (p *Profile) settleClaim(c *Claim) {
	if c.Provenance == "" {
		c.Provenance = Unknown
	}
	if c.Source == "" && (c.Provenance == Documented || c.Provenance == Observed) {
		c.Source = p.Source
	}
}

// settleMarker gives a copy, since profiles are shared between targets.
func settleMarker(m *Marker, clause Claim) *Marker {
	if m == nil {
		return nil
	}
	out := *m
	if out.Provenance == "" {
		level := out.Level
		out.Claim = clause
		if level != "" {
			out.Level = level
		}
	}
	if out.Level == "" {
		out.Level = clause.Level
	}
	if out.Source == "" {
		out.Source = clause.Source
	}
	return &out
}
