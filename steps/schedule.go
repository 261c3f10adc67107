package steps

import (
	"context"
	"time"

	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// scheduleArgs are the arguments of the verb retry_schedule.
type scheduleArgs struct{}

// judgeSchedule holds the declared retry schedule against the documented retention. Nothing is sent.
func (w *world) judgeSchedule(context.Context, scheduleArgs) error {
	w.take(judge.Schedule(delaysOf(w.target), w.target.Profile, w.c.Level))
	return nil
}

func delaysOf(t *targets.Target) []time.Duration {
	out := make([]time.Duration, len(t.Retry))
	for i, d := range t.Retry {
		out[i] = d.Std()
	}
	return out
}

// scheduleText says in one line how the declared retry schedule stands to the retention.
func scheduleText(t *targets.Target) string {
	if len(t.Retry) == 0 {
		return "no retry schedule is declared (retry)"
	}
	o := judge.Schedule(delaysOf(t), t.Profile, targets.Should)
	switch {
	case len(o.Findings) > 0:
		return o.Findings[0].Message
	case len(o.Notes) > 0:
		return o.Notes[0].Text
	}
	return "all attempts fall inside the retention"
}
