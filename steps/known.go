package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// CheckKnown refuses an entry of the target's known failures that can never come true: its finding is none, or no case
// of all is called so. The error names the line.
func CheckKnown(t *targets.Target, all []Case) error {
	for _, k := range t.Known {
		at := reports.KnownEntry{File: t.File, Line: k.Line}.Place()
		if !slices.Contains(reports.FindingKinds(), reports.FindingKind(k.Finding)) {
			return fmt.Errorf("%s: known: %q is no finding (there are: %v)", at, k.Finding, reports.FindingKinds())
		}
		ids, err := casesOf(k, all)
		if err != nil {
			return fmt.Errorf("%s: known: %w", at, err)
		}
		if len(ids) == 0 {
			return fmt.Errorf("%s: known: no case is called %q (idemcheck list shows them all)", at, k.Case)
		}
	}
	return nil
}

// casesOf gives the cases that an entry speaks of. Only a sweep has parts.
func casesOf(k targets.Known, cases []Case) ([]string, error) {
	base, _, parted := strings.Cut(k.Case, "/")
	var ids []string
	for _, c := range cases {
		ok, err := matches(base, c.ID)
		if err != nil {
			return nil, fmt.Errorf("read the glob %q: %w", k.Case, err)
		}
		if ok && (!parted || c.Long) {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}

// knownEntries gives the target's known failures as the reports know them, each with the planned cases that it speaks
// of. What cannot be read speaks of none.
func knownEntries(t *targets.Target, cases []Case) []reports.KnownEntry {
	var out []reports.KnownEntry
	for _, k := range t.Known {
		ids, _ := casesOf(k, cases)
		out = append(out, reports.KnownEntry{Case: k.Case, Finding: reports.FindingKind(k.Finding), Reason: k.Reason, Until: k.Until,
			File: t.File, Line: k.Line, Cases: ids})
	}
	return out
}

// knownReason gives the reasons for which all of the findings are known; empty where one of them is not.
func knownReason(findings []reports.Finding) string {
	var reasons []string
	for _, f := range findings {
		if f.Known == "" {
			return ""
		}
		if !slices.Contains(reasons, f.Known) {
			reasons = append(reasons, f.Known)
		}
	}
	return strings.Join(reasons, ", ")
}
