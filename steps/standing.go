package steps

import (
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// unfit gives the outcome of a case that is not to be started; nil when it is.
func (e *engine) unfit(c *Case) *reports.CaseEnded {
	if why := e.missing[c.ID]; why != "" {
		return &reports.CaseEnded{Verdict: reports.NotApplicable, Reason: why}
	}
	if c.After == "" {
		return nil
	}
	e.mu.Lock()
	v, known := e.verdicts[c.After]
	lived := e.lived[c.After]
	e.mu.Unlock()
	if known && (v == reports.Pass || v == reports.Fail && lived) {
		return nil
	}
	return &reports.CaseEnded{Verdict: reports.NotRun, Reason: fmt.Sprintf("%s did not pass (%s)", c.After, v)}
}

func (e *engine) setVerdict(id string, v reports.Verdict) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.verdicts[id] = e.verdicts[id].Worse(v)
}

// liveWith notes a case that failed in nothing but what is known: what stands on it is run all the same.
func (e *engine) liveWith(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lived[id] = true
}
