package steps

import (
	"context"

	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// forgeArgs are the arguments of the verb forge.
type forgeArgs struct {
	As string `arg:"as" doc:"a name for the delivery"`
}

// forge delivers an event with the signature of somebody who does not know the secret.
func (w *world) forge(ctx context.Context, a forgeArgs) error {
	s, err := w.prepareEvent(sendArgs{As: a.As})
	if err != nil {
		return err
	}
	s.situation = judge.Refused
	if err := w.target.Receiver.Sign.Forged().Seal(&s.Attempt, w.firstKey, w.targetTime()); err != nil {
		return err
	}
	return w.sendCounted(ctx, s)
}

// turnedAwayArgs are the arguments of the verb not_acknowledged.
type turnedAwayArgs struct {
	As string `arg:"as" doc:"the forged delivery"`
}

func (w *world) expectTurnedAway(_ context.Context, a turnedAwayArgs) error {
	s, err := w.find(a.As)
	if err == nil {
		w.readForgery(s)
		w.take(judge.Forgery(judge.Delivered{Exchange: s.Exchange, Ack: w.target.Receiver.Ack, Level: w.c.Level}))
	}
	return err
}
