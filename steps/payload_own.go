package steps

import (
	"slices"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// ownOfPayloads is how many more records of a scope are right because another payload under a used key made one of its own,
// where the profile documents that it does. A second record of one payload is one too many all the same.
func (w *world) ownOfPayloads(sc scope) int {
	if !judge.Permitted(judge.Mismatch, w.target.Profile, judge.Facts{}).Allows(reports.Created) {
		return 0
	}
	n := 0
	made := map[string]map[string]bool{}
	for _, s := range w.history {
		if s.scope() != sc || s.Key == "" || s.disposition != reports.Created {
			continue
		}
		if made[s.Key] == nil {
			made[s.Key] = map[string]bool{}
		} else if !made[s.Key][s.payload] {
			n++
		}
		made[s.Key][s.payload] = true
	}
	return n
}

// hasOwnRecord reports whether the payload of an attempt rightly made a record of its own under the key.
func (w *world) hasOwnRecord(s *sent) bool {
	return w.ownOfPayloads(s.scope()) > 0 && slices.ContainsFunc(w.history, func(old *sent) bool {
		return old.scope() == s.scope() && old.Key == s.Key && old.payload == s.payload && old.disposition == reports.Created
	})
}
