package main

import (
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// readers names, for each claim of a profile, the cases that read it.
var readers = map[string][]string{
	"key":                   {"replay-once"},
	"replay":                {"replay-once"},
	"mismatch":              {"K4"},
	"in_flight":             {"second-while-running"},
	"mismatch_in_flight":    {"conflict-while-running"},
	"missing":               {"missing-key"},
	"failures.validation":   {"invalid-then-corrected"},
	"failures.refusal":      {"refusal-outlived"},
	"failures.unauthorized": {"turned-away[401]"},
	"failures.rate_limited": {"turned-away[429]"},
	"failures.server_error": {"error-then-retry"},
	"retention":             {"expiry-inside", "expiry-outside"},
	"expired":               {"expiry-outside"},
	"scope.credential":      {"another-caller"},
	"scope.user":            {"another-caller"},
	"scope.tenant":          {"K6[other-tenant]"},
	"scope.environment":     {"K6[test-environment]"},
	"scope.operation":       {"K3[baseline-key]"},
	"store_down":            nil,
}

// readersOf gives the cases that read a section, or the clause that it is a part of.
func readersOf(section string) []string {
	for _, part := range []string{".marker", ".retry_hint"} {
		section = strings.TrimSuffix(section, part)
	}
	return readers[section]
}

// otherModes names another behaviour for each one that a clause may document.
var otherModes = map[string]string{
	"replay.identical": targets.ModeSameRecord, "replay.same_record": targets.ModePointerError,
	"replay.pointer_error": targets.ModeIdentical, "replay.upsert": targets.ModePointerError,
	"mismatch.reject": targets.ModeReplayFirst, "mismatch.replay_first": targets.ModeReject,
	"mismatch.overwrite": targets.ModeReject, "mismatch.new_record": targets.ModeReject,
	"in_flight.reject": targets.ModeWait, "in_flight.wait": targets.ModeReject, "in_flight.pointer": targets.ModeWait,
	"missing.reject": targets.ModeExecutes, "missing.executes": targets.ModeReject, "missing.server_generates": targets.ModeReject,
	"expired.new_record": targets.ModeNever, "expired.reject": targets.ModeNewRecord, "expired.never": targets.ModeNewRecord,
}

func otherMode(section, mode string) string {
	switch {
	case strings.HasPrefix(section, "failures.") && mode == targets.ModeStored:
		return targets.ModeReExecuted
	case strings.HasPrefix(section, "failures."):
		return targets.ModeStored
	case strings.HasPrefix(section, "scope.") && mode == targets.ModeIsolated:
		return targets.ModeShared
	case strings.HasPrefix(section, "scope."):
		return targets.ModeIsolated
	}
	return otherModes[section+"."+mode]
}

// clauseAt finds a clause by its path.
func clauseAt(p *targets.Profile, section string) *targets.Clause {
	return map[string]*targets.Clause{
		"replay": &p.Replay, "mismatch": &p.Mismatch, "in_flight": &p.InFlight, "missing": &p.Missing, "expired": &p.Expired,
		"mismatch_in_flight":  &p.MismatchInFlight,
		"failures.validation": &p.Failures.Validation, "failures.refusal": &p.Failures.Refusal,
		"failures.unauthorized": &p.Failures.Unauthorized, "failures.rate_limited": &p.Failures.RateLimited,
		"failures.server_error": &p.Failures.ServerError,
		"scope.credential":      &p.Scope.Credential, "scope.user": &p.Scope.User, "scope.tenant": &p.Scope.Tenant,
		"scope.environment": &p.Scope.Environment, "scope.operation": &p.Scope.Operation,
	}[section]
}

// flip changes one value in the stand-in alone. It reports false where the stand-in does nothing by that value.
func flip(p *targets.Profile, v targets.ProfileValue) bool {
	switch {
	case v.Section == "key":
		return flipKey(&p.Key, v.Name)
	case v.Section == "retention":
		return flipRetention(&p.Retention, v.Name)
	case v.Section == "replay.marker":
		p.Replay.Marker = flippedMarker(*p.Replay.Marker, v.Name)
		return true
	case v.Section == "in_flight.retry_hint":
		p.InFlight.RetryHint = flippedMarker(*p.InFlight.RetryHint, v.Name)
		return true
	}
	c := clauseAt(p, v.Section)
	return c != nil && flipClause(p, c, v)
}

func flipClause(p *targets.Profile, c *targets.Clause, v targets.ProfileValue) bool {
	switch v.Name {
	case "mode":
		c.Mode = targets.Strings{otherMode(v.Section, c.Mode[0])}
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
	default:
		return false
	}
	return true
}

func flippedMarker(m targets.Marker, name string) *targets.Marker {
	switch name {
	case "name":
		m.Name = "Flipped-" + m.Name
	case "value":
		m.Value = targets.Strings{"flipped"}
	case "first":
		m.First = targets.Strings{"absent"}
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
	case "max_length":
		k.MaxLength = 3
	case "min_length":
		k.MinLength = 200
	case "alphabet":
		k.Alphabet = "~"
	case "methods":
		k.Methods = targets.Strings{"PURGE"}
	case "companions":
		k.Companions = map[string]string{"Flipped": ""}
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
