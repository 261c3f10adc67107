package targets

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// checkProfile holds a profile file against its rules: it has a name and a source, and whoever reads a value of it can
// see how binding it is and how it is known.
func checkProfile(d *decoder, p *Profile) {
	if p.Name == "" {
		d.missing("", "", "the profile has no name")
	}
	for _, c := range clausesOf(p) {
		if !reflect.ValueOf(*c.clause).IsZero() {
			checkClause(d, c)
			checkStanding(d, c.path, c.clause.Claim, p.Source)
		}
	}
	for _, c := range claimsOf(p) {
		if c.given {
			checkStanding(d, c.path, *c.claim, p.Source)
		}
	}
	checkRetention(d, p.Retention)
	if !reflect.ValueOf(p.Key).IsZero() {
		checkKey(d, p.Key)
	}
	checkAsync(d, p.Async)
	checkDelivery(d, p)
	checkCounting(d, p)
	checkRefused(d, p.Refused)
}

// checkStanding wants a provenance, and with it a level, a source and a date where they belong to it.
func checkStanding(d *decoder, at string, c Claim, source string) {
	switch {
	case c.Provenance == "":
		d.missing(at, words(Provenances()), "%s needs a provenance", at)
	case c.Provenance != Unknown && c.Level == "":
		d.missing(at, words(Levels()), "%s needs a level", at)
	case (c.Provenance == Documented || c.Provenance == Observed) && c.Source == "" && source == "":
		d.missing(at, "a link, here or for the whole profile", "%s is %s and needs a source", at, c.Provenance)
	case c.Provenance == Observed && c.Date == "":
		d.missing(at, "for example 2026-11-30", "%s is observed and needs a date", at)
	}
	if _, err := time.Parse(time.DateOnly, c.Date); c.Date != "" && err != nil {
		d.fail(at+".date", "", "%s.date: expected a date such as 2027-01-31, found %q", at, c.Date)
	}
}

// checkOverrides holds the clauses that a target file gives against the same rules.
func checkOverrides(d *decoder, t *Target) {
	var given Profile
	for _, c := range []struct {
		into *Clause
		from *Clause
	}{{&given.Replay, t.Replay}, {&given.Mismatch, t.Mismatch}, {&given.InFlight, t.InFlight}, {&given.MismatchInFlight, t.MismatchInFlight},
		{&given.Missing, t.Missing}, {&given.Expired, t.Expired}, {&given.StoreDown, t.StoreDown}} {
		if c.from != nil {
			*c.into = *c.from
		}
	}
	if t.Failures != nil {
		given.Failures = *t.Failures
	}
	if t.Scope != nil {
		given.Scope = *t.Scope
	}
	for _, c := range clausesOf(&given) {
		checkClause(d, c)
	}
	if t.Retention != nil {
		checkRetention(d, *t.Retention)
	}
	checkAsync(d, t.Async)
	checkRefused(d, t.Refused)
	checkDelivery(d, &Profile{Delivery: t.Delivery})
	if t.Held != nil {
		checkStatuses(d, "held", t.Held.Status, t.Held.Code)
	}
}

func checkClause(d *decoder, c namedClause) {
	for i, m := range c.clause.Mode {
		if slices.Contains(c.modes, m) {
			continue
		}
		hint := "known: " + strings.Join(c.modes, ", ")
		if best, ok := nearest(m, c.modes); ok {
			hint = "did you mean \"" + best + "\"?"
		}
		d.fail(item(c.path+".mode", i), hint, "%s.mode: %q is not known", c.path, m)
	}
	checkStatuses(d, c.path, c.clause.Status, c.clause.Code)
	for name, m := range map[string]*Marker{"marker": c.clause.Marker, "retry_hint": c.clause.RetryHint} {
		if m != nil && (m.Name == "" || headerOK(m.Name, "") != nil) {
			d.missing(c.path+"."+name, "", "%s.%s needs the name of a header", c.path, name)
		}
	}
	checkMembers(d, c)
	for i, p := range c.clause.Ignore {
		if _, err := pointerTokens(p); err != nil {
			d.fail(item(c.path+".ignore", i), "", "%s.ignore: %s", c.path, err)
		}
	}
}

func checkStatuses(d *decoder, at string, statuses Ints, code *Code) {
	for i, s := range statuses {
		if s < 100 || s > 599 {
			d.fail(item(at+".status", i), "", "%s.status: %d is no HTTP status", at, s)
		}
	}
	if code != nil {
		if code.At == "" {
			d.missing(at+".code", "", "%s.code needs at, the JSONPath of the code", at)
		}
		checkPlace(d, at+".code.at", code.At)
	}
}

func checkRetention(d *decoder, r Retention) {
	if r.Max != 0 && r.Min > r.Max {
		d.fail("retention.min", "", "retention: min is longer than max")
	}
	if from := []string{"first_use", FromLastUse}; r.From != "" && !slices.Contains(from, r.From) {
		d.fail("retention.from", suggest(r.From, from), "retention.from: %q is neither first_use nor last_use", r.From)
	}
	checkWords(d, "retention.age", r.Age, AgeWays())
}

// checkKeyOf checks the key that results for a target; a mistake is the file's only where the file speaks of the key.
func checkKeyOf(d *decoder, t *Target) {
	if t.Key != nil {
		checkKey(d, t.Profile.Key)
	}
}
