package main

import (
	"crypto/rand"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// BenchmarkCrashPoint holds what a crash point costs against what it cannot do without: one start-up of the target, the
// request that is cut, and the retry; and 10 ms. Each iteration is a full sweep over the ten points of the sound orders API,
// one after the other, and ten starts with two requests in the same minute, since other work on the machine slows both.
// The figures are medians.
func BenchmarkCrashPoint(b *testing.B) {
	e, err := process.Open(b.Context(), newOrders(b, "sound").target(b, func(t *targets.Target) { fully(t); inLanes(1)(t) }))
	require.NoError(b, err)
	defer e.Close()
	var points, starts, requests pace
	for b.Loop() {
		watched := &gaps{pace: &points}
		checkInto(b, e, time.Minute, reports.NewFolder(), watched, "crash")
		for range 10 {
			starts.add(startUp(b, e))
			requests.add(created(b, e) + created(b, e)) // the first one connects to the database
		}
	}
	least := starts.median() + requests.median() + 10
	b.ReportMetric(points.median(), "ms/point")
	b.ReportMetric(starts.median(), "ms/start-up")
	b.ReportMetric(requests.median()/2, "ms/request")
	b.ReportMetric(points.median()/least, "ratio")
	b.ReportMetric(0, "ns/op") // how long an iteration takes says nothing
}

// pace collects durations.
type pace []time.Duration

func (p *pace) add(d time.Duration) { *p = append(*p, d) }

// median is in milliseconds.
func (p *pace) median() float64 {
	slices.Sort(*p)
	return float64((*p)[len(*p)/2].Microseconds()) / 1000
}

// gaps measures from one row of the crash table to the next.
type gaps struct {
	*pace
	last time.Time
}

func (g *gaps) Event(e reports.Event) error {
	switch {
	case e.Kind == reports.KindProgress && e.Progress.Done == 0:
		g.last = e.At
	case e.Kind == reports.KindCrashPoint:
		g.add(e.At.Sub(g.last))
		g.last = e.At
	}
	return nil
}

// startUp measures a start until the target is ready.
func startUp(b *testing.B, e *targets.Endpoint) time.Duration {
	b.Helper()
	require.NoError(b, e.Kill(b.Context()))
	began := time.Now()
	require.NoError(b, e.Restart(b.Context()))
	return time.Since(began)
}

// created measures a create.
func created(b *testing.B, e *targets.Endpoint) time.Duration {
	b.Helper()
	began := time.Now()
	x := e.Sender.Send(b.Context(), targets.Attempt{
		Method: "POST", URL: e.URL + "/v1/orders", Timeout: 10 * time.Second, Body: []byte(`{"reference": "r", "customer": "c", "note": "n", "amount": 1}`),
		Header: http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {`"` + rand.Text() + `"`}},
	})
	took := time.Since(began)
	require.Equal(b, 201, x.Status, "%s %s", x.Err, x.Content)
	return took
}
