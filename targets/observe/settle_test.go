package observe_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// script answers list calls with one body after the other, the last one for ever. A body of "" is a 503.
type script struct {
	bodies []string
	calls  int
}

func (s *script) send(_ context.Context, a targets.Attempt) targets.Exchange {
	text := s.bodies[min(s.calls, len(s.bodies)-1)]
	s.calls++
	x := targets.Exchange{Attempt: a, Status: 200, Answer: http.Header{}, Content: []byte(text)}
	if text == "" {
		x.Status = 503
	}
	return x
}

func settled(t *testing.T, settle time.Duration, s *script) (targets.Reading, *clock) {
	t.Helper()
	k := newClock()
	o := open(t, targets.Observer{
		Name:   "tasks",
		List:   &targets.ListCall{Request: targets.Request{Line: "GET /"}, Items: "$", ID: "$.id"},
		Settle: targets.Duration(settle),
	}, observe.Deps{Send: s.send, Now: k.Now, Wait: k.Wait})
	q := marked("m")
	q.Base = "http://127.0.0.1"
	return o.Count(t.Context(), q), k
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settle time.Duration
		bodies []string
		count  int
		polls  int
		err    string
	}{
		"none":                {0, []string{`[]`, `[{"id":"a"}]`}, 0, 1, ""},
		"stable":              {2 * time.Second, []string{`[{"id":"a"}]`}, 1, 5, ""},
		"comes late":          {2 * time.Second, []string{`[]`, `[]`, `[{"id":"a"}]`}, 1, 7, ""},
		"same count, new ids": {2 * time.Second, []string{`[{"id":"a"}]`, `[{"id":"b"}]`}, 1, 6, ""},
		"order is free":       {2 * time.Second, []string{`[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`}, 2, 5, ""},
		"short":               {time.Millisecond, []string{`[]`}, 0, 2, ""},
		"outage":              {2 * time.Second, []string{`[]`, ``, `[]`}, 0, 7, ""},
		"down":                {2 * time.Second, []string{``}, 0, 51, "GET / answered 503 without a media type: (empty) (tried for 25s)"},
		"not transient":       {2 * time.Second, []string{`[]`, `oops`}, 0, 2, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := settled(t, c.settle, &script{bodies: c.bodies})
			assert.Equal(t, c.polls, got.Polls)
			assert.Equal(t, c.count, got.Count)
			if c.err == "" {
				assert.Empty(t, got.Err)
			}
			assert.Contains(t, got.Err, c.err)
		})
	}
}

func TestSettleGivesUp(t *testing.T) {
	t.Parallel()
	var s script
	for range 100 {
		s.bodies = append(s.bodies, `[]`, `[{"id":"a"}]`)
	}
	got, k := settled(t, time.Second, &s)
	assert.Equal(t, "the count was not stable for 1s within 15s: it changed 60 times and was 0 in the end", got.Err)
	assert.Equal(t, 61, got.Polls)
	for _, w := range k.waits {
		require.Equal(t, 250*time.Millisecond, w)
	}
}

// A clock that stands still must not hold a run up.
func TestSettleBoundsPolls(t *testing.T) {
	t.Parallel()
	s := &script{bodies: []string{`[]`}}
	o := open(t, targets.Observer{
		List:   &targets.ListCall{Request: targets.Request{Line: "GET /"}, Items: "$"},
		Settle: targets.Duration(time.Second),
	}, observe.Deps{
		Send: s.send,
		Now:  func() time.Time { return time.Time{} },
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	q := marked("m")
	q.Base = "http://127.0.0.1"
	got := o.Count(t.Context(), q)
	assert.NotEmpty(t, got.Err)
	assert.Equal(t, 61, got.Polls)
}

func TestSettleEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{bodies: []string{`[]`}}
	o := open(t, targets.Observer{
		List:   &targets.ListCall{Request: targets.Request{Line: "GET /"}, Items: "$"},
		Settle: targets.Duration(time.Hour),
	}, observe.Deps{Send: func(ctx context.Context, a targets.Attempt) targets.Exchange {
		cancel()
		return s.send(ctx, a)
	}})
	q := marked("m")
	q.Base = "http://127.0.0.1"
	assert.Equal(t, "wait for a stable count: context canceled", o.Count(ctx, q).Err)
}
