package judge

import (
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Evidence is all that a case came to.
type Evidence struct {
	Findings []reports.Finding
	Unclear  []string // why something that was asked could not be told
	Errors   []string // what went wrong on our side
	Judged   bool     // something could have failed: a count was taken or an answer was compared
	Missing  string   // a need that the target does not meet
	NotRun   string   // why the case was never started
}

// Verdict gives the verdict of a case with its reason in one line, and the strictest level among its findings. A
// finding outranks everything: a proven duplicate stays a fail whatever happens later. Where all findings are known and
// nothing else went wrong, the case fails and breaks no level.
func Verdict(e Evidence) (v reports.Verdict, reason string, broken targets.Level) {
	worst, known := -1, -1
	for i, f := range e.Findings {
		if f.Known != "" {
			known = i
			continue
		}
		if worst < 0 || f.Level.Stricter(e.Findings[worst].Level) {
			worst = i
		}
	}
	switch {
	case worst >= 0:
		f := e.Findings[worst]
		return reports.Fail, string(f.Kind) + ": " + f.Message, f.Level
	case len(e.Errors) > 0:
		return reports.Error, e.Errors[0], ""
	case e.NotRun != "":
		return reports.NotRun, e.NotRun, ""
	case e.Missing != "":
		return reports.NotApplicable, e.Missing, ""
	case len(e.Unclear) > 0:
		return reports.Inconclusive, e.Unclear[0], ""
	case known >= 0:
		f := e.Findings[known]
		return reports.Fail, string(f.Kind) + ": " + f.Message, ""
	case !e.Judged:
		return reports.NotApplicable, "nothing in this case could fail on this target", ""
	}
	return reports.Pass, "", ""
}
