package steps

import (
	"maps"
	"net/http"
	"slices"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// This file says what a target file must hold for some of the needs.

// anotherCaller is the name of the credential that stands for another user of the same tenant.
const anotherCaller = "colleague"

// unauthorizedCaller finds the credential that lacks the main operation: without-<its name>.
func unauthorizedCaller(t *targets.Target) *targets.Caller {
	if c, ok := t.Callers["without-"+mainOperation(t).Name]; ok {
		return &c
	}
	return nil
}

// revocable finds the first credential, by name, that can be revoked.
func revocable(t *targets.Target) *targets.Caller {
	for _, name := range slices.Sorted(maps.Keys(t.Callers)) {
		if c := t.Callers[name]; c.Revoke != nil {
			return &c
		}
	}
	return nil
}

// textOperation finds the first operation with a plain text for its body whose records are counted.
func textOperation(t *targets.Target) *targets.Operation {
	for i, op := range t.Operations {
		if op.Body.IsText() && counts(t, op.Name) {
			return &t.Operations[i]
		}
	}
	return nil
}

// isolated reports whether a dimension of the scope is documented to part the keys.
func isolated(c targets.Clause) bool {
	return c.Provenance == targets.Documented && c.Has(targets.ModeIsolated) && !c.Has(targets.ModeShared)
}

func keyInHeader(t *targets.Target) bool {
	return t.Profile.Key.In == targets.InHeader || t.Profile.Key.In == ""
}

func keepsSpace(t *targets.Target) bool {
	return !keyInHeader(t) && t.Profile.Key.In != targets.InNone || keyInHeader(t) && t.Profile.Key.Quoting == targets.QuotingSFString
}

func hasKeyedDelete(t *targets.Target, _ Abilities) bool {
	return mainOperation(t).Delete != "" && slices.Contains(t.Profile.Key.Methods, http.MethodDelete)
}

// filterOutlivesKey reports whether equal content is still refused when its key is no longer kept.
func filterOutlivesKey(t *targets.Target) bool {
	f := t.Profile.ContentFilter
	return len(f.Members) > 0 && (f.Within == 0 || f.Within.Std() > endOfRetention(t.Profile))
}

func takesStatus(headers map[string]string) bool {
	for name, value := range headers {
		if (targets.Request{Headers: map[string]string{name: value}}).Mentions("status") {
			return true
		}
	}
	return false
}
