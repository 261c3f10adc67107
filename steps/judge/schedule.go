package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Schedule holds a sender's retry schedule, delays counted from the first attempt, against the documented retention. It
// names the first attempt that comes when the key need not be known any more: at the floor or later; without a floor, at
// the ceiling.
func Schedule(delays []time.Duration, p targets.Profile, level targets.Level) Opinion {
	r := p.Retention
	if p.Expired.Provenance == targets.Documented && p.Expired.Has(targets.ModeNever) {
		return Opinion{Notes: []reports.Note{{Text: "keys never expire, so that no retry comes too late"}}}
	}
	end := r.Min.Std()
	if end == 0 {
		end = r.Max.Std()
	}
	before := time.Duration(0)
	for i, delay := range delays {
		age := delay
		if r.From == targets.FromLastUse {
			age, before = delay-before, delay
		}
		if age < end {
			continue
		}
		f := reports.Finding{
			Kind: reports.KeyIgnored, Question: reports.QuestionOther, Level: level, Provenance: targets.Documented, Source: r.Source,
			Message: fmt.Sprintf("attempt %d of the retry schedule, %s after the first, falls outside the retention of %s: %s",
				i+2, Spell(delay), Spell(end), afterwards(p.Expired)),
			Expected: "every attempt within " + Spell(end), Found: fmt.Sprintf("attempt %d after %s", i+2, Spell(delay)),
		}
		if r.Provenance != targets.Documented {
			return byClaim(f, r.Claim, "", "")
		}
		return Opinion{Findings: []reports.Finding{f}}
	}
	return Opinion{}
}

// afterwards says what becomes of a retry whose key is gone.
func afterwards(expired targets.Clause) string {
	switch {
	case expired.Provenance != targets.Documented || len(expired.Mode) == 0:
		return "what then becomes of it is not documented"
	case expired.Has(targets.ModeNewRecord):
		return "it makes a second record"
	case expired.Has(targets.ModeReject):
		return "it is refused, and its sender never learns the outcome"
	}
	return "what then becomes of it is not documented"
}

// Spell writes a duration without its zero parts: 24h, 6m, 1h30m.
func Spell(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}
