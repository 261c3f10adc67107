package targets

import (
	"reflect"
	"slices"
)

// fileSource is the source of what a target file says about its target.
const fileSource = "the target file"

// defaultKeyName is the header of the IETF draft, which most vendors use.
const defaultKeyName = "Idempotency-Key"

// emptyProfile is the profile of a target that states none: nothing is known, so nothing about answers can fail.
func emptyProfile() Profile {
	p := Profile{Name: "none", Title: "no profile"}
	p.settle()
	return p
}

// merge puts what a target file says over its profile, clause by clause and member by member. What the file says is
// documented; its level is the file's, else the profile's, else must.
func merge(p Profile, t *Target) Profile {
	if t.Key != nil {
		p.Key = mergeKey(p.Key, *t.Key)
	}
	if t.Retention != nil {
		p.Retention = mergeRetention(p.Retention, *t.Retention)
	}
	if t.Failures != nil {
		p.Failures = mergeFailures(p.Failures, *t.Failures)
	}
	if t.Scope != nil {
		p.Scope = mergeScope(p.Scope, *t.Scope)
	}
	p.Replay = mergeClause(p.Replay, t.Replay)
	p.Mismatch = mergeClause(p.Mismatch, t.Mismatch)
	p.InFlight = mergeClause(p.InFlight, t.InFlight)
	p.MismatchInFlight = mergeClause(p.MismatchInFlight, t.MismatchInFlight)
	p.Missing = mergeClause(p.Missing, t.Missing)
	p.Expired = mergeClause(p.Expired, t.Expired)
	p.StoreDown = mergeClause(p.StoreDown, t.StoreDown)
	p.Async, p.Delivery = mergeAsync(p.Async, t.Async), mergeDelivery(p.Delivery, t.Delivery)
	p.Refused = mergeRefused(p.Refused, t.Refused)
	p.ContentFilter = mergeContentFilter(p.ContentFilter, t.ContentFilter)
	p.settle()
	return p
}

func mergeFailures(profile, file Failures) Failures {
	return Failures{
		Validation:   mergeClause(profile.Validation, &file.Validation),
		Refusal:      mergeClause(profile.Refusal, &file.Refusal),
		Unauthorized: mergeClause(profile.Unauthorized, &file.Unauthorized),
		RateLimited:  mergeClause(profile.RateLimited, &file.RateLimited),
		ServerError:  mergeClause(profile.ServerError, &file.ServerError),
		Timeout:      mergeClause(profile.Timeout, &file.Timeout),
	}
}

func mergeScope(profile, file Scope) Scope {
	return Scope{
		Credential:  mergeClause(profile.Credential, &file.Credential),
		Tenant:      mergeClause(profile.Tenant, &file.Tenant),
		Environment: mergeClause(profile.Environment, &file.Environment),
		Operation:   mergeClause(profile.Operation, &file.Operation),
		User:        mergeClause(profile.User, &file.User),
		Method:      mergeClause(profile.Method, &file.Method),
		Region:      mergeClause(profile.Region, &file.Region),
		Partition:   mergeClause(profile.Partition, &file.Partition),
	}
}

// mergeClause puts a clause of the file over one of the profile. A file that names other modes than the profile speaks
// of another behaviour: then the profile's statuses and codes no longer fit and are dropped.
func mergeClause(profile Clause, file *Clause) Clause {
	if file == nil || reflect.ValueOf(*file).IsZero() {
		return profile
	}
	out := profile
	if len(file.Mode) > 0 && !slices.ContainsFunc(file.Mode, profile.Has) {
		out = Clause{Claim: profile.Claim}
	}
	if len(file.Mode) > 0 {
		out.Mode = file.Mode
	}
	layer(&out, file, "Mode", "Claim", "Marker", "RetryHint")
	out.Claim = mergeClaim(profile.Claim, file.Claim)
	out.Marker = mergeMarker(out.Marker, file.Marker, out.Level)
	out.RetryHint = mergeMarker(out.RetryHint, file.RetryHint, out.Level)
	return out
}

func mergeMarker(profile, file *Marker, level Level) *Marker {
	if file == nil {
		return profile
	}
	out := *file
	base := Claim{Level: level}
	if profile != nil && profile.Level != "" {
		base.Level = profile.Level
	}
	out.Claim = mergeClaim(base, file.Claim)
	return &out
}

// mergeClaim says how a value that the file gives is known.
func mergeClaim(profile, file Claim) Claim {
	out := file
	if out.Level == "" {
		out.Level = profile.Level
	}
	if out.Level == "" {
		out.Level = Must
	}
	if out.Provenance == "" {
		out.Provenance = Documented
	}
	if out.Source == "" {
		out.Source = fileSource
	}
	return out
}

func mergeKey(profile, file Key) Key {
	out := profile
	if file.In != "" && file.In != profile.In {
		out = Key{In: file.In, Claim: profile.Claim} // a name of a header is no name of a query parameter
	}
	layer(&out, &file, "In", "Claim")
	out.Claim = mergeClaim(profile.Claim, file.Claim)
	return out
}

func mergeRetention(profile, file Retention) Retention {
	out := file
	if file.Min == 0 && file.Max == 0 {
		out.Min, out.Max, out.Configurable = profile.Min, profile.Max, profile.Configurable || file.Configurable
	}
	if len(file.Age) == 0 {
		out.Age = profile.Age
	}
	if file.From == "" {
		out.From = profile.From
	}
	out.Claim = mergeClaim(profile.Claim, file.Claim)
	return out
}

func mergeAsync(profile, file *Async) *Async {
	if file == nil {
		return profile
	}
	var out Async
	if profile != nil {
		out = *profile
	}
	base := out.Claim
	layer(&out, file, "Claim")
	out.Claim = mergeClaim(base, file.Claim)
	return &out
}

func mergeRefused(profile, file *Refused) *Refused {
	if file == nil {
		return profile
	}
	var base Claim
	if profile != nil {
		base = profile.Claim
	}
	return &Refused{Code: file.Code, Claim: mergeClaim(base, file.Claim)}
}

func mergeDelivery(profile, file *Delivery) *Delivery {
	if file == nil {
		return profile
	}
	var out Delivery
	if profile != nil {
		out = *profile
	}
	base := out.Claim
	layer(&out, file, "Claim", "Sign")
	out.Claim = mergeClaim(base, file.Claim)
	out.Sign = mergeSigning(out.Sign, file.Sign)
	return &out
}

func mergeSigning(profile, file *Signing) *Signing {
	if file == nil {
		return profile
	}
	out := *file
	var base Claim
	if profile != nil {
		base = profile.Claim
	}
	out.Claim = mergeClaim(base, file.Claim)
	return &out
}

// layer puts every member that the file gives over the profile's, but for those that are merged by rules of their own.
func layer[T any](profile, file *T, except ...string) {
	into, from := reflect.ValueOf(profile).Elem(), reflect.ValueOf(file).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() && !slices.Contains(except, from.Type().Field(i).Name) {
			into.Field(i).Set(from.Field(i))
		}
	}
}
