package discover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// clause is one behaviour as it is documented and as it was seen.
type clause struct {
	name             string
	documented, seen targets.Clause
}

// differences lists what the vendor was seen to do otherwise than it documents. What was not seen, or is not documented,
// is no difference.
func differences(documented, seen targets.Profile) []string {
	var out []string
	if d, s := documented.Key.Quoting, seen.Key.Quoting; d != "" && s != d {
		out = append(out, fmt.Sprintf("key: documented %s, taken %s", d, s))
	}
	if d, s := documented.Key.MaxLength, seen.Key.MaxLength; d > 0 && s > 0 && s < d {
		out = append(out, fmt.Sprintf("key: documented up to %d characters, longer than %d is refused", d, s))
	}
	for _, c := range []clause{
		{"replay", documented.Replay, seen.Replay},
		{"mismatch", documented.Mismatch, seen.Mismatch},
		{"in flight", documented.InFlight, seen.InFlight},
		{"no key", documented.Missing, seen.Missing},
		{"refused body", documented.Failures.Validation, seen.Failures.Validation},
	} {
		out = append(out, c.differs()...)
	}
	return out
}

func (c clause) differs() []string {
	if c.documented.Provenance != targets.Documented || len(c.seen.Mode) == 0 {
		return nil
	}
	var out []string
	say := func(what, want, got string) {
		out = append(out, fmt.Sprintf("%s: documented %s %s, seen %s", c.name, what, want, got))
	}
	if len(c.documented.Mode) > 0 && !slices.ContainsFunc(c.seen.Mode, c.documented.Has) {
		say("is", strings.Join(c.documented.Mode, " or "), strings.Join(c.seen.Mode, " and "))
		return out // its status and code are those of another behaviour
	}
	for _, status := range c.seen.Status {
		if len(c.documented.Status) > 0 && !c.documented.HasStatus(status) {
			say("is status", strings.Trim(fmt.Sprint([]int(c.documented.Status)), "[]"), fmt.Sprint(status))
		}
	}
	if d, s := c.documented.Code, c.seen.Code; d != nil && len(c.seen.Status) > 0 && (s == nil || s.At != d.At || !slices.Contains(d.In, s.In[0])) {
		got := "none"
		if s != nil {
			got = s.At + " " + printable(s.In[0], 60)
		}
		say("has the code "+d.At, strings.Join(d.In, " or "), got)
	}
	if m := c.documented.Marker; m != nil && m.Provenance == targets.Documented && (c.seen.Marker == nil || !strings.EqualFold(c.seen.Marker.Name, m.Name)) {
		say("is the header", m.Name, "none")
	}
	return out
}
