package observe

import (
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Reconcile compares side effects with the records they belong to, by their ids: every effect must name one of the
// records, and every record must be named exactly once. Two mails for one task and none for another have the right
// count and are still wrong. It returns one sentence for each break, those about effects first, in the order of the
// readings; nil when there is none.
//
// There is nothing to compare, and nothing is returned, when a reading has an error, when the effects have no Refs
// (nil; an empty slice means that none were found), or when records were counted without ids.
func Reconcile(records, effects targets.Reading) []string {
	if records.Err != "" || effects.Err != "" || effects.Refs == nil || (records.IDs == nil && records.Count > 0) {
		return nil
	}
	named, out := strays(records, effects)
	seen := map[string]bool{}
	for _, id := range records.IDs {
		if seen[id] {
			continue // one record listed twice is a finding of its own, not of its effects
		}
		seen[id] = true
		switch n := len(named[id]); {
		case n == 0:
			out = append(out, fmt.Sprintf("%s: record %s has none", effects.Observer, id))
		case n > 1:
			out = append(out, fmt.Sprintf("%s: record %s has %d: %s", effects.Observer, id, n, strings.Join(named[id], ", ")))
		}
	}
	return out
}

// strays sorts the effects by the record they name, and says which ones name none.
func strays(records, effects targets.Reading) (named map[string][]string, out []string) {
	known := map[string]bool{}
	for _, id := range records.IDs {
		known[id] = true
	}
	named = map[string][]string{}
	for i, ref := range effects.Refs {
		name := effectName(effects, i)
		switch {
		case ref == "":
			out = append(out, fmt.Sprintf("%s: %s names no record", effects.Observer, name))
		case !known[ref]:
			out = append(out, fmt.Sprintf("%s: %s belongs to record %s, which %s does not show",
				effects.Observer, name, ref, records.Observer))
		default:
			named[ref] = append(named[ref], name)
		}
	}
	return named, out
}

// effectName is the effect's id, or its number from 1 where the observer gives none.
func effectName(effects targets.Reading, i int) string {
	if i < len(effects.IDs) && effects.IDs[i] != "" {
		return effects.IDs[i]
	}
	return fmt.Sprintf("#%d", i+1)
}
