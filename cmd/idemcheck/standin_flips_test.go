package main

import (
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// readers names, for each claim of a profile, the cases that read it; a value with cases of its own stands under its path.
var readers = map[string][]string{
	"key":                   {"replay-once", "key-as-documented"},
	"key.max_length":        {"key-as-documented"},
	"key.min_length":        {"key-as-documented"},
	"key.alphabet":          {"key-as-documented"},
	"replay":                {"replay-once"},
	"mismatch":              {"K4", "payload-compared"},
	"mismatch.compares":     {"payload-compared"},
	"in_flight":             {"second-while-running"},
	"mismatch_in_flight":    {"conflict-while-running"},
	"missing":               {"missing-key"},
	"failures.validation":   {"invalid-then-corrected"},
	"failures.refusal":      {"refusal-outlived"},
	"failures.unauthorized": {"turned-away[401]"},
	"failures.rate_limited": {"turned-away[429]"},
	"failures.server_error": {"error-then-retry"},
	"failures.timeout":      {"timeout-then-retry"},
	"retention":             {"expiry-inside", "expiry-outside"},
	"expired":               {"expiry-outside"},
	"scope.credential":      {"another-caller"},
	"scope.user":            {"another-caller"},
	"scope.tenant":          {"K6[other-tenant]"},
	"scope.environment":     {"K6[test-environment]"},
	"scope.region":          {"K6[other-region]"},
	"scope.partition":       {"K6[other-partition]"},
	"scope.operation":       {"K3[baseline-key]"},
	"refused":               {"K4"},
	"content_filter":        {"content-repeated", "contents-in-turn", "content-hides-no-key", "content-inside", "content-outside"},
	"content_filter.within": {"content-inside", "content-outside"},
	"async":                 {"first-request"},
}

// readersOf gives the cases that read a section, or the clause that it is a part of.
func readersOf(section string) []string {
	for _, part := range []string{".marker", ".retry_hint"} {
		section = strings.TrimSuffix(section, part)
	}
	return readers[section]
}

// readersOfValue gives the cases that read a value.
func readersOfValue(p targets.Profile, v targets.ProfileValue) []string {
	if p.Role == targets.RoleReceiver {
		if own, has := receiverReaders[v.Path()]; has {
			return own
		}
		return receiverReaders[v.Section]
	}
	if own, has := readers[v.Path()]; has {
		return own
	}
	if v.Section == "key" {
		return []string{"replay-once", "content-hides-no-key"} // how the key travels shows there first, or where a filter hides it
	}
	return readersOf(v.Section)
}

// clauseAt finds a clause by its path.
func clauseAt(p *targets.Profile, section string) *targets.Clause {
	return map[string]*targets.Clause{
		"replay": &p.Replay, "mismatch": &p.Mismatch, "in_flight": &p.InFlight, "missing": &p.Missing, "expired": &p.Expired,
		"mismatch_in_flight":  &p.MismatchInFlight,
		"failures.validation": &p.Failures.Validation, "failures.refusal": &p.Failures.Refusal,
		"failures.unauthorized": &p.Failures.Unauthorized, "failures.rate_limited": &p.Failures.RateLimited,
		"failures.server_error": &p.Failures.ServerError, "failures.timeout": &p.Failures.Timeout,
		"scope.credential": &p.Scope.Credential, "scope.user": &p.Scope.User, "scope.tenant": &p.Scope.Tenant,
		"scope.environment": &p.Scope.Environment, "scope.operation": &p.Scope.Operation,
		"scope.region": &p.Scope.Region, "scope.partition": &p.Scope.Partition,
	}[section]
}

// ground puts the stand-in where the value shows, by another documented mode or by an open door where the key would only
// be demanded. It says what it changed, which by itself must leave the cases green.
func ground(p *targets.Profile, v targets.ProfileValue) string {
	switch {
	case p.Role == targets.RoleReceiver:
		return receiverGround(p, v)
	case v.Section == "key":
		return openDoor(p, v)
	}
	c := clauseAt(p, v.Section)
	switch {
	case v.Path() == "mismatch.mode" && len(c.Compares) > 0 && !slices.Contains(c.Compares, "body") && !slices.Contains(c.Compares, "query"):
		c.Compares = targets.Strings{"body"}
		return "mismatch.compares body"
	case v.Path() == "mismatch.compares" && c.Has(targets.ModeNewRecord):
		c.Mode = targets.Strings{targets.ModeNewRecord}
		return "mismatch.mode new_record"
	case v.Path() == "mismatch.compares" && c.Has(targets.ModeReplayFirst):
		c.Mode = targets.Strings{targets.ModeReject}
		return "mismatch.mode reject"
	case (v.Name == "status" || v.Name == "code") && c != nil && len(c.Mode) > 1 && c.Has(targets.ModeReject):
		c.Mode = targets.Strings{targets.ModeReject}
		return v.Section + ".mode reject"
	}
	return onePointer(c, v)
}

// onePointer leaves one of two values that stand for the same header: with the other one it would be there all the same.
func onePointer(c *targets.Clause, v targets.ProfileValue) string {
	if c == nil || c.Code == nil || c.Code.At != c.ID {
		return ""
	}
	switch v.Name {
	case "code":
		c.ID = ""
		return v.Section + " without id"
	case "id":
		c.Code = nil
		return v.Section + " without code"
	}
	return ""
}

// openDoor has requests without a key carried out, where the stand-in would refuse them all: one that looks for its key
// elsewhere finds none.
func openDoor(p *targets.Profile, v targets.ProfileValue) string {
	if m := p.Missing.Mode; len(m) > 0 && m[0] == targets.ModeExecutes || readers[v.Path()] != nil {
		return ""
	}
	p.Missing = known(targets.ModeExecutes)
	return "missing.mode executes"
}

// known is a clause that says only what is done.
func known(mode string) targets.Clause {
	return targets.Clause{Mode: targets.Strings{mode}, Claim: targets.Claim{Level: targets.Must, Provenance: targets.Documented}}
}

// flip changes one value in the stand-in alone. It reports false where the stand-in does nothing by that value.
func flip(p *targets.Profile, v targets.ProfileValue) bool {
	switch {
	case v.Section == "key":
		return flipKey(&p.Key, v.Name)
	case v.Section == "content_filter":
		return flipFilter(&p.ContentFilter, v.Name)
	case v.Section == "retention":
		return flipRetention(&p.Retention, v.Name)
	case v.Section == "delivery" || v.Section == "delivery.sign":
		own := *p.Delivery
		p.Delivery = &own
		return flipDelivery(p.Delivery, v)
	case v.Section == "async":
		jobs := *p.Async
		p.Async = &jobs
		return flipAsync(&jobs, v.Name)
	case v.Section == "replay.marker":
		p.Replay.Marker = flippedMarker(*p.Replay.Marker, v.Name)
		return true
	case v.Section == "in_flight.retry_hint":
		p.InFlight.RetryHint = flippedMarker(*p.InFlight.RetryHint, v.Name)
		return true
	case v.Path() == "refused.at":
		refused := *p.Refused
		refused.At, p.Refused = "$.flipped", &refused
		return true
	}
	c := clauseAt(p, v.Section)
	return c != nil && flipClause(p, c, v)
}

func flipClause(p *targets.Profile, c *targets.Clause, v targets.ProfileValue) bool {
	switch v.Name {
	case "mode":
		c.Mode = targets.Strings{otherMode(*p, v.Section, *c)}
		if v.Section == "expired" && c.Has(targets.ModeNewRecord) && p.Retention.Min == 0 {
			p.Retention.Min = p.Retention.Max
		}
		return c.Mode[0] != ""
	case "status":
		c.Status = targets.Ints{418}
	case "code":
		c.Code = &targets.Code{At: "$.flipped", In: targets.Strings{"flipped"}}
	case "id":
		c.ID = ""
	case "flag":
		c.Flag = nil
	case "headers":
		c.Headers = nil
	case "compares":
		c.Compares = flippedParts(c.Compares)
	default:
		return false
	}
	return true
}

// flippedParts compares nothing where the body was compared, and else the body.
func flippedParts(parts targets.Strings) targets.Strings {
	if slices.Contains(parts, "body") {
		return targets.Strings{"nothing"}
	}
	return targets.Strings{"body"}
}

func flippedMarker(m targets.Marker, name string) *targets.Marker {
	switch name {
	case "name":
		m.Name = "Flipped-" + m.Name
	case "value":
		m.Value = targets.Strings{"flipped"}
	case "first":
		m.First = targets.Strings{map[bool]string{true: "any", false: "absent"}[slices.Contains(m.First, "absent")]}
	}
	return &m
}

func flipKey(k *targets.Key, name string) bool {
	switch name {
	case "in":
		k.In = map[bool]targets.KeyIn{true: targets.InQuery, false: targets.InHeader}[k.In == targets.InHeader]
	case "name":
		k.Name = strings.Replace(k.Name, "(", "flipped(", 1)
		if !strings.Contains(k.Name, "(") {
			k.Name += "-flipped"
		}
	case "quoting":
		k.Quoting = map[bool]targets.Quoting{true: targets.QuotingSFString, false: targets.QuotingBare}[k.Quoting == targets.QuotingBare]
	case "generator":
		k.Generator = map[bool]targets.Generator{true: targets.GeneratorUUID5, false: targets.GeneratorUUID4}[k.Generator == targets.GeneratorUUID4]
	case "max_length":
		k.MaxLength--
	case "min_length":
		k.MinLength++
	case "alphabet":
		k.Alphabet = k.Alphabet[1:]
	case "methods":
		k.Methods = targets.Strings{"PURGE"}
	case "companions":
		k.Companions = map[string]string{"Flipped": ""}
	default:
		return false
	}
	return true
}

func flipFilter(f *targets.ContentFilter, name string) bool {
	switch name {
	case "within":
		f.Within /= 2
	case "status":
		f.Status = targets.Ints{418}
	case "compares":
		var other targets.Strings
		for _, member := range f.Compares {
			other = append(other, "flipped "+member)
		}
		f.Compares = other
	default:
		return false
	}
	return true
}

func flipAsync(a *targets.Async, name string) bool {
	switch name {
	case "status":
		a.Status = targets.Ints{200}
	case "job":
		a.Job = "$.flipped"
	case "done":
		a.Done = &targets.Code{At: "$.flipped", In: targets.Strings{"flipped"}}
	default:
		return false
	}
	return true
}

func flipRetention(r *targets.Retention, name string) bool {
	switch name {
	case "min":
		r.Min /= 2
	case "max":
		r.Min = 2 * r.Max
	default:
		return false
	}
	return true
}
