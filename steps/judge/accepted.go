package judge

import (
	"strconv"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// told is the answer that says how an attempt went.
func (a Attempted) told() targets.Exchange {
	if a.Result != nil {
		return *a.Result
	}
	return a.Exchange
}

// accepted holds the answer to a write that creates a record against what is documented of writes that are only accepted:
// it has their status and names the job. One without a key comes without the headers that go with it, too, which may be
// those that ask for a job.
func accepted(a Attempted) Opinion {
	d := a.Async
	if d == nil || a.Exchange.Key == "" {
		return Opinion{}
	}
	found := strconv.Itoa(a.Exchange.Status)
	if !(targets.Clause{Status: d.Status}).HasStatus(a.Exchange.Status) {
		return byClaim(answerFinding(reports.WrongStatus, a, "the documented status of a write that is accepted", numbers(d.Status), found),
			d.Claim, "async.status", found)
	}
	o := agreed(a, "async.status", d.Claim, found)
	if d.JobOf(a.Exchange) == "" {
		o = o.with(byClaim(answerFinding(reports.WrongStatus, a, "the address of its job", d.Job, "nothing"), d.Claim, "async.job", "nothing"))
	}
	return o
}
