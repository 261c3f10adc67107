package steps

import (
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// SituationPermit is what a case permits in one of its situations, in words.
type SituationPermit struct {
	Situation string
	Text      string
}

// Permits says what each situation in a case permits on a target, and what the profile documents about it.
func Permits(c Case, t *targets.Target) []SituationPermit {
	language, err := scenarios.Compile(Verbs())
	if err != nil {
		return nil
	}
	var list []SituationPermit
	seen := map[string]bool{}
	for _, text := range c.Steps {
		m, err := language.Recognise(text)
		if err == nil && m.Verb.Name == "retry_schedule" {
			list = append(list, SituationPermit{"the retry schedule", scheduleText(t)})
		}
		if err != nil || m.Verb.Name != "handled" || seen[m.Args["situation"]] {
			continue
		}
		situation := m.Args["situation"]
		seen[situation] = true
		facts := judge.Facts{Approvals: t.Approve != nil && t.Held != nil, Revision: t.Revision, Prior: priorOf(situation)}
		list = append(list, SituationPermit{situation, permitText(judge.Permitted(judge.Situation(situation), t.Profile, facts))})
	}
	return list
}

// priorOf gives what a retry after a failure mostly follows; the run itself looks at what really came.
func priorOf(situation string) reports.Disposition {
	if situation == string(judge.Corrected) {
		return reports.Rejected
	}
	return ""
}

func permitText(p judge.Permit) string {
	var words []string
	for _, d := range p.Dispositions {
		words = append(words, string(d))
	}
	text := strings.Join(words, " or ")
	c := p.Clause
	if len(c.Status) > 0 {
		text += fmt.Sprintf("; documented status %v", []int(c.Status))
	}
	if c.Level != "" {
		text += fmt.Sprintf(" (%s, %s", c.Level, c.Provenance)
		if c.Source != "" {
			text += ", " + c.Source
		}
		text += ")"
	}
	return text
}
