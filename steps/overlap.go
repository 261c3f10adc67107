package steps

import (
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// measure is what the sender measured of all rounds of a double send.
type measure struct {
	used    burst.Technique
	spreads []time.Duration
	rtts    []time.Duration // the extremes of each round
}

// measured adds what the sender measured of one round.
func (w *world) measured(a togetherArgs, b burst.Burst) {
	o, m := w.overlap, &w.measure
	o.Rounds++
	if w.met() {
		o.Overlapped++
	}
	o.InProgress += w.inProgress()
	o.Technique, o.Reason = b.Technique.Words(), b.Reason
	o.Bytes, o.Segments, o.Connections = b.Shape.Bytes, b.Shape.Segments, b.Shape.Connections
	m.used = b.Technique
	m.spreads = append(m.spreads, b.Spread)
	if b.RTTMax > 0 {
		m.rtts = append(m.rtts, b.RTTMin, b.RTTMax)
	}
	o.SpreadUS = micros(median(m.spreads))
	jitter := time.Duration(0)
	if len(m.rtts) > 0 {
		low, high := slices.Min(m.rtts), slices.Max(m.rtts)
		o.RTTMinUS, o.RTTMaxUS = micros(low), micros(high)
		if b.Shape.Connections > 1 {
			jitter = high - low
		}
	}
	if o.Overlapped > 0 {
		o.ResolvedUS = micros(burst.Resolved(a.Count, o.Overlapped, jitter, burst.Floor(median(m.spreads), o.Overlapped)))
	}
}

// raced reports whether a round left more records than are right.
func (w *world) raced() bool {
	return slices.ContainsFunc(w.evidence.Findings, func(f reports.Finding) bool { return f.Kind == reports.Duplicate || f.Kind == reports.Phantom })
}

// technique says how a round is sent. The variation of a technique is known once a first round was sent; it withholds
// another byte, which matters for targets that decide before they have read the body.
func (w *world) technique(a togetherArgs) burst.Options {
	o := burst.Options{Warm: warmUps, Probe: w.probe(), Technique: w.Technique}
	if w.target.Limits.Rate > 0 {
		o.Warm = 0 // probes would use up what the target grants
	}
	if a.Way != "" && w.Technique == "" {
		o.Technique = variations[w.measure.used]
	}
	return o
}

// warmUps is how often each connection is probed before a round: the first wakes it up, the second measures.
const warmUps = 2

var variations = map[burst.Technique]burst.Technique{
	burst.HTTP1BodyGate:    burst.HTTP1HeaderGate,
	burst.HTTP1HeaderGate:  burst.HTTP1HeaderGate,
	burst.HTTP2SingleWrite: burst.HTTP2Burst,
	burst.HTTP2Burst:       burst.HTTP2Burst,
}

// probe is a harmless request to the target: its base address, which may well answer 404.
func (w *world) probe() *targets.Attempt {
	a, err := targets.Request{Line: "GET /"}.Build(w.Endpoint.URL, w.target.Headers, nil)
	if err != nil {
		return nil
	}
	a.Timeout = w.target.Timeout.Std()
	return &a
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
