package steps

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// event in the place of an operation: what is sent is a delivery to the target's receiver.
const event = "event"

// deliverArgs are the arguments of the verb deliver.
type deliverArgs struct {
	As        string `arg:"as" doc:"a name for this delivery within the case"`
	ID        string `arg:"id" doc:"same: that of the first event; own: another one; default: own for the first delivery, else same"`
	Event     string `arg:"event" doc:"a symbol for the source event that it tells of, in place of the bundle's"`
	Revision  string `arg:"payload_revision" doc:"the payload revision, in place of the bundle's"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where it is delivered, in place of the target's own namespace"`
	To        string `arg:"to" of:"to" doc:"which instance of the service: replica for another one"`
	Fault     string `arg:"fault" of:"fault" doc:"what is done to the delivery on its way"`
	Switch    string `arg:"switch" of:"switch" doc:"a test switch of the target: slow, fail, refuse"`
}

// deliverEvent delivers an event once.
func (w *world) deliverEvent(ctx context.Context, a deliverArgs) error {
	s, err := w.sendOne(ctx, sendArgs{As: a.As, Operation: event, Key: a.ID, Event: a.Event, Revision: a.Revision,
		Namespace: a.Namespace, To: a.To, Fault: a.Fault, Switch: a.Switch})
	if err == nil && a.Switch == "fail" && s.Succeeded() {
		return unclear("%q was acknowledged: the fail switch had no effect", a.As)
	}
	return err
}

// prepareEvent builds a delivery and signs it.
func (w *world) prepareEvent(a sendArgs) (*sent, error) {
	s := &sent{bundle: w.bundle, revision: pick(a.Revision, w.revision), namespace: a.Namespace, event: true}
	s.bundle.Operation = w.target.Receiver.Operation
	s.bundle.Event, s.bundle.Record = pick(a.Event, s.bundle.Event), pick(a.Record, s.bundle.Record)
	if a.Switch == "refuse" || a.Switch == "fail" {
		s.situation = judge.Refused
	}
	id, err := w.chooseEventID(s, a.Key)
	if err != nil {
		return nil, err
	}
	base, headers := w.address(a)
	vars := w.vars(s).With(switchVars(a.Switch, a.Duration, "")).With(targets.Vars{"event_id": id})
	attempt, err := w.target.Receiver.Build(base, headers, vars)
	if err != nil {
		return nil, fmt.Errorf("build a delivery: %w", err)
	}
	attempt.Name, attempt.Operation, attempt.Fault = a.As, s.bundle.Operation, targets.FaultKind(a.Fault)
	attempt.Timeout = cmp.Or(w.target.Receiver.Ack.Within, w.target.Timeout).Std()
	s.payload, s.Attempt = meaning(attempt), attempt
	if err := w.number(s); err != nil {
		return nil, err
	}
	if a.Key == "own" && slices.ContainsFunc(w.history, func(old *sent) bool { return old.Key == s.Key }) {
		return nil, unclear("two events have the same id (%s): let {{event_id}} stand in a part of receiver.event_id", s.Key)
	}
	return s, w.seal(s, id)
}

// number writes the number of a delivery where its sender does, if it is known to.
func (w *world) number(s *sent) error {
	d := w.target.Profile.Delivery
	if d == nil || d.Attempt == "" {
		return nil
	}
	earlier := 0
	for _, old := range w.history {
		if old.Key == s.Key && old.namespace == s.namespace {
			earlier++
		}
	}
	return w.target.Receiver.Number(&s.Attempt, d.Attempt, earlier)
}

// seal signs a delivery. It is the last thing that is done to it.
func (w *world) seal(s *sent, id string) error {
	return w.target.Receiver.Sign.Seal(&s.Attempt, id, w.targetTime())
}

// chooseEventID gives what {{event_id}} stands for, and says how it relates to the earlier ones.
func (w *world) chooseEventID(s *sent, which string) (string, error) {
	if which != "own" && w.firstKey != "" {
		s.keyWords = "the first event's"
		return w.firstKey, nil
	}
	s.keyWords = "its own"
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := w.freshEventID()
	if err != nil {
		return "", fmt.Errorf("make the id of an event: %w", err)
	}
	if w.firstKey == "" {
		w.firstKey = id
	}
	return id, nil
}

// freshEventID makes the id of an event as its sender makes it, where the profile knows, and else a UUID.
func (w *world) freshEventID() (string, error) {
	if p := w.target.Profile; p.Role == targets.RoleReceiver && p.Key.In != targets.InNone {
		return p.Key.Fresh(w.Random)
	}
	return targets.Key{}.Fresh(w.Random)
}

// deliveredBefore gives the first other delivery of the same event to the same place that came to one of these; nil
// when there is none.
func (w *world) deliveredBefore(s *sent, to ...reports.Disposition) *sent {
	for _, old := range w.history {
		if old != s && old.Key == s.Key && old.namespace == s.namespace && slices.Contains(to, old.disposition) {
			return old
		}
	}
	return nil
}

// settleEvent derives what the target did with a delivery.
func (w *world) settleEvent(s *sent) {
	if s.Succeeded() {
		s.id = w.target.Receiver.RecordID(s.Exchange)
	}
	old := w.deliveredBefore(s, reports.Created, reports.Replayed, reports.NoAnswer)
	s.repeats = old != nil && (old.disposition != reports.NoAnswer || w.recordSeenBefore(s))
	s.disposition = judge.DeliveryDisposition(s.Exchange, s.repeats)
}

// acknowledgedArgs are the arguments of the verb acknowledged.
type acknowledgedArgs struct {
	As string `arg:"as" doc:"the delivery; *: each"`
}

func (w *world) expectAcknowledged(_ context.Context, a acknowledgedArgs) error {
	if a.As == "*" {
		for _, s := range w.history {
			w.judgeDelivery(s)
		}
		return nil
	}
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	w.judgeDelivery(s)
	return nil
}

// judgeDelivery judges the answer to a delivery. An earlier one that has failed makes it a repeat, too: its sender comes
// again because of that.
func (w *world) judgeDelivery(s *sent) {
	d := judge.Delivered{Exchange: s.Exchange, Ack: w.target.Receiver.Ack, Level: w.c.Level}
	old := w.deliveredBefore(s, reports.Created, reports.Replayed, reports.NoAnswer, reports.Failed)
	if old != nil && (old.Seq < s.Seq || old.Ended.After(s.Began)) {
		d.Repeat, d.Running = true, old.Ended.After(s.Began)
	}
	w.take(judge.Delivery(d))
	w.readDelivery(d, s)
}

// redeliverArgs are the arguments of the verb redeliver.
type redeliverArgs struct {
	As string `arg:"as" doc:"a name for the delivery that is acknowledged"`
}

// redeliver delivers the first event again until it is acknowledged, as a sender does, within the bound in which the
// target settles.
func (w *world) redeliver(ctx context.Context, a redeliverArgs) error {
	until := w.Now().Add(w.settleBound())
	for {
		s, err := w.sendOne(ctx, sendArgs{As: a.As, Operation: event, Key: "same"})
		if err != nil || s.Succeeded() {
			return err
		}
		pause := retryAfter(s.Exchange, 200*time.Millisecond, 2*time.Second)
		if w.Now().Add(pause).After(until) {
			return nil
		}
		if err := w.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// everyTryArgs are the arguments of the verb every_try.
type everyTryArgs struct{}

// everyTry delivers the event until its sender would give up, whatever is answered.
func (w *world) everyTry(ctx context.Context, _ everyTryArgs) error {
	for try := len(w.history) + 1; try <= w.target.Profile.Delivery.Tries; try++ {
		if _, err := w.sendOne(ctx, sendArgs{As: fmt.Sprintf("try %d", try), Operation: event, Key: "same"}); err != nil {
			return err
		}
	}
	return nil
}

// giveUpArgs are the arguments of the verb give_up.
type giveUpArgs struct {
	As string `arg:"as" doc:"a name for the delivery"`
}

// giveUp delivers an event to a slow target, whose acknowledgement comes too late for the sender.
func (w *world) giveUp(ctx context.Context, a giveUpArgs) error {
	s, err := w.prepareEvent(sendArgs{As: a.As, Switch: "slow"})
	if err != nil {
		return err
	}
	s.Timeout = slowness / 2
	if err := w.sendCounted(ctx, s); err != nil {
		return err
	}
	if s.Answered() {
		return unclear("%q was acknowledged in time: the slow switch had no effect", a.As)
	}
	return nil
}
