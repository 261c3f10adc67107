package observe_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// clock is a time that passes only while someone waits.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	return ctx.Err()
}

// send is a sender good enough for a test server: one request, no redirects.
func send(ctx context.Context, a targets.Attempt) targets.Exchange {
	x := targets.Exchange{Attempt: a}
	r, err := http.NewRequestWithContext(ctx, a.Method, a.URL, bytes.NewReader(a.Body))
	if err != nil {
		x.Failure, x.Err = targets.FailureNotSent, err.Error()
		return x
	}
	r.Header = a.Header.Clone()
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		x.Failure, x.Err = targets.FailureUnreachable, "connection refused"
		return x
	}
	defer func() { _ = answer.Body.Close() }()
	x.Status, x.Answer = answer.StatusCode, answer.Header
	if x.Content, err = io.ReadAll(answer.Body); err != nil {
		x.Failure, x.Err = targets.FailureClosed, "the connection ended"
	}
	return x
}

func open(t *testing.T, spec targets.Observer, d observe.Deps) observe.Observer {
	t.Helper()
	o, err := observe.Open(t.Context(), spec, d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, o.Close()) })
	return o
}

// marked is a query for a marker.
func marked(marker string) observe.Query {
	return observe.Query{Vars: targets.Vars{"marker": marker, "tenant": "T1"}}
}

func contextAfter(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
