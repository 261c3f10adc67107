package targets_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func limited(o *targets.SenderOptions) { o.Rate = 20 }

func TestTakeSpacesRequestsEvenly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, began := sender(limited), time.Now()
		require.NoError(t, s.Take(t.Context(), 1))
		assert.Zero(t, time.Since(began), "the first goes at once")
		require.NoError(t, s.Take(t.Context(), 10))
		assert.Equal(t, 500*time.Millisecond, time.Since(began))
	})
}

func TestTakeWithoutALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, sender().Take(t.Context(), 1000000))
		assert.Zero(t, time.Since(began))
	})
}

func TestTakeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sender(limited)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(120*time.Millisecond, cancel)
		assert.ErrorIs(t, s.Take(ctx, 100), context.Canceled)
		assert.ErrorIs(t, sender().Take(ctx, 1), context.Canceled)

		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		assert.ErrorContains(t, s.Take(ctx, 100), "the rate limit leaves no time")
	})
}

func TestSendWithNoTimeLeftIsNotSent(t *testing.T) {
	t.Parallel()
	p := listen(t, answers(okAnswer))
	s := sender(func(o *targets.SenderOptions) { o.Rate = 0.001 })
	require.Equal(t, 200, send(t, s, create(p.url())).Status)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	x := s.Send(ctx, create(p.url()))
	assert.Equal(t, targets.FailureNotSent, x.Failure)
	assert.Equal(t, 1, p.connections())

	ctx, cancel = context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	x = sender().Send(ctx, create(p.url()))
	assert.Equal(t, targets.FailureNotSent, x.Failure)
	assert.Equal(t, "there was no time left for this request", x.Err)
}
