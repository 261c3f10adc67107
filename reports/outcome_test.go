package reports

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func outcomeCase(id string, level targets.Level, v Verdict, broken targets.Level, findings ...Finding) Case {
	return Case{CasePlanned: CasePlanned{ID: id, Level: level}, CaseEnded: CaseEnded{Verdict: v, Broken: broken}, Findings: findings}
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	const must, should, may = targets.Must, targets.Should, targets.May
	duplicate := Finding{Kind: Duplicate, Level: must}
	knownDuplicate := Finding{Kind: Duplicate, Level: must, Known: "ORD-1234"}
	status := Finding{Kind: WrongStatus, Level: should}
	held := outcomeCase("K1", must, Pass, "")
	inferred := held
	inferred.ID, inferred.Inferred = "K2", true
	trusted := &Preflight{Trusted: true}
	for _, tt := range []struct {
		name   string
		report Report
		exit   int
		reason string
	}{
		{"a must held", Report{Cases: []Case{held}}, 0, "1 must held, by count of records"},
		{"beside one that was inferred", Report{Cases: []Case{held, inferred}}, 0, "1 must held"},
		{"beside one that does not apply", Report{Cases: []Case{held, outcomeCase("K6", must, NotApplicable, "")}}, 0, "1 must held"},
		{"beside open cases of lower levels", Report{Cases: []Case{held, outcomeCase("a", should, Error, ""), outcomeCase("b", may, NotRun, "")}}, 0, "1 must held"},
		{"beside a broken should", Report{Cases: []Case{held, outcomeCase("a", should, Fail, should, status)}}, 0, "1 must held"},
		{"beside a must case that broke a should", Report{Cases: []Case{held, outcomeCase("a", must, Fail, should, status)}}, 0, "1 must held"},
		{"beside a known failure", Report{Cases: []Case{held, outcomeCase("K4", must, Fail, must, knownDuplicate)}}, 0, "1 must held"},

		{"a must broken", Report{Cases: []Case{held, outcomeCase("K4", must, Fail, must, duplicate, status)}}, 1, "1 must broken: K4 (duplicate)"},
		{"a must broken in a should case", Report{Cases: []Case{held, outcomeCase("a", should, Fail, must, duplicate)}}, 1, "1 must broken: a (duplicate)"},
		{"the finding is stricter than what was said", Report{Cases: []Case{held, outcomeCase("a", should, Fail, should, duplicate)}}, 1, "1 must broken: a"},
		{"a fail that does not say what it broke", Report{Cases: []Case{held, outcomeCase("a", must, Fail, "")}}, 1, "1 must broken: a"},
		{"a fail without any level", Report{Cases: []Case{held, outcomeCase("a", "", Fail, "")}}, 1, "1 must broken: a"},
		{"more than a known failure", Report{Cases: []Case{held, outcomeCase("K4", must, Fail, must, knownDuplicate, Finding{Kind: Leaked, Level: must})}}, 1, "1 must broken: K4 (leaked)"},
		{"a broken should, strict", Report{About: RunStarted{Strict: true}, Cases: []Case{held, outcomeCase("a", should, Fail, should, status)}}, 1, "1 should broken (strict): a (wrong-status)"},
		{"a broken may, strict", Report{About: RunStarted{Strict: true}, Cases: []Case{held, outcomeCase("a", may, Fail, may)}}, 0, "1 must held"},
		{"both, strict", Report{About: RunStarted{Strict: true}, Cases: []Case{outcomeCase("K4", must, Fail, must), outcomeCase("a", should, Fail, should)}}, 1, "1 must broken: K4; 1 should broken (strict): a"},
		{"many", Report{Cases: []Case{outcomeCase("a", must, Fail, must), outcomeCase("b", must, Fail, must), outcomeCase("c", must, Fail, must), outcomeCase("d", must, Fail, must)}}, 1, "4 musts broken: a, b, c and 1 more"},
		{"a target that collapses everything", Report{Preflight: &Preflight{Trusted: true, Finding: &Finding{Kind: Lost, Level: must}}, Cases: []Case{held}}, 1, "1 must broken: preflight (lost)"},
		{"broken and interrupted", Report{Stopped: "interrupted by the user", Cases: []Case{outcomeCase("K4", must, Fail, must)}}, 1, "1 must broken: K4"},
		{"broken and untrusted", Report{Preflight: &Preflight{}, Cases: []Case{outcomeCase("K4", must, Fail, must)}}, 1, "1 must broken: K4"},

		{"nothing selected", Report{}, 2, "no case was selected"},
		{"nothing selected, interrupted", Report{Stopped: "interrupted by the user"}, 3, "could not tell: interrupted by the user"},

		{"a must not run", Report{Cases: []Case{held, outcomeCase("a", must, NotRun, "")}}, 3, "could not tell: 1 must is not run: a"},
		{"a must inconclusive", Report{Cases: []Case{held, outcomeCase("a", must, Inconclusive, ""), outcomeCase("b", must, NotRun, "")}}, 3, "could not tell: 1 must is inconclusive: a"},
		{"a must in error", Report{Cases: []Case{held, outcomeCase("a", must, Inconclusive, ""), outcomeCase("b", must, Error, ""), outcomeCase("c", must, Error, "")}}, 3, "could not tell: 2 musts are in error: b, c"},
		{"a case nobody planned", Report{Cases: []Case{held, outcomeCase("a", "", Error, "")}}, 3, "could not tell: 1 must is in error: a"},
		{"only inferred passes", Report{Cases: []Case{inferred, outcomeCase("a", should, Pass, "")}}, 3, "could not tell: the musts passed on the answers alone; add an observer that counts records"},
		{"no must applies", Report{Cases: []Case{outcomeCase("a", must, NotApplicable, "")}}, 3, "could not tell: no must could be counted on this target"},
		{"no must selected", Report{Cases: []Case{outcomeCase("a", should, Pass, "")}}, 3, "could not tell: no must was among the cases"},
		{"only a known failure", Report{Cases: []Case{outcomeCase("K4", must, Fail, must, knownDuplicate)}}, 3, "could not tell: no must could be counted on this target"},
		{"unreachable", Report{Preflight: &Preflight{Stop: true, Reason: "connection refused"}, Cases: []Case{outcomeCase("a", must, NotRun, "")}}, 3, "could not tell: connection refused"},
		{"untrusted", Report{Preflight: &Preflight{Reason: "the observer tasks always answers 1"}, Cases: []Case{held}}, 3, "could not tell: the observer tasks always answers 1"},
		{"untrusted without a word", Report{Preflight: &Preflight{}, Cases: []Case{held}}, 3, "could not tell: the observers are not trusted"},
		{"interrupted", Report{Stopped: "interrupted by the user", Cases: []Case{held}}, 3, "could not tell: interrupted by the user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.report.Complete = true
			if tt.report.Preflight == nil {
				tt.report.Preflight = trusted
			}
			got := ExitStatus(tt.report)
			assert.Equal(t, tt.exit, got.Exit)
			assert.Contains(t, got.Reason, tt.reason)
		})
	}
	assert.Equal(t, Outcome{3, "could not tell: the run was interrupted"}, ExitStatus(Report{Cases: []Case{held}}), "a stream without an end")
}
