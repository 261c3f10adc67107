package crash

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestPointsThatCannotFire(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	never := func() { t.Error("it was reached") }

	a := p.Arm(pointAt("LARGE", 1, targets.After), Cut, never)
	require.NoError(t, x.query("large"), "too large a reply is passed on")
	_, err := a.Wait(t.Context())
	require.ErrorIs(t, err, ErrTooLarge)
	assert.EqualError(t, err, "wait for LARGE#1:after: the reply is too large to be held")
	assert.False(t, a.Fired())

	a = p.Arm(pointAt("DIE", 1, targets.After), Cut, never)
	x.say(&pgproto3.Query{String: "die"})
	m, err := x.Receive()
	require.NoError(t, err, "what the database has said is passed on")
	assert.IsType(t, &pgproto3.ErrorResponse{}, m)
	_, err = a.Wait(t.Context())
	require.ErrorIs(t, err, ErrLost)

	a = p.Arm(pointAt("BEGIN", 2, targets.After), Cut, never)
	b := p.Arm(pointAt("BEGIN", 2, targets.After), Cut, never)
	_, err = a.Wait(t.Context())
	require.ErrorIs(t, err, ErrDisarmed)
	require.NoError(t, dialTarget(t, p).query("BEGIN"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, b.Disarm())
	_, err = b.Wait(t.Context())
	require.ErrorIs(t, err, ErrDisarmed)
	require.NoError(t, dialTarget(t, p).query("BEGIN"))

	c := p.Arm(pointAt("BEGIN", 1, targets.After), Cut, never)
	require.NoError(t, p.Close())
	_, err = c.Wait(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	_, err = p.Arm(pointAt("BEGIN", 1, targets.After), Cut, never).Wait(t.Context())
	require.ErrorIs(t, err, ErrClosed)
}

func TestDisarmWhileHeld(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	a := p.Arm(pointAt("SILENCE", 1, targets.After), Cut, func() { t.Error("it was reached") })
	x.say(&pgproto3.Query{String: "silence"})
	soon(t, func() bool { return f.seen() == "Q(silence)" }, "it is on its way")
	assert.False(t, a.Disarm())
	p.Drop()
	require.Error(t, x.until("Z"))
}
