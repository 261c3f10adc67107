package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// effectsArgs are the arguments of the verb effects.
type effectsArgs struct {
	Count     int    `arg:"count" doc:"how many effects are right; default: one for each event"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where they are counted, in place of the target's own namespace"`
}

// expectEffects expects a number of records made by events.
func (w *world) expectEffects(ctx context.Context, a effectsArgs) error {
	sc := w.effectScope(a.Namespace)
	count := a.Count
	if count == 0 {
		count = w.eventsIn(sc)
	}
	w.expectIn(ctx, sc, judge.Exactly(count))
	w.readEffects(sc, count)
	return nil
}

// effectScope is where the effects of events are counted.
func (w *world) effectScope(namespace string) scope {
	return scope{w.target.Receiver.Operation, namespace}
}

// expectIn holds a scope against what is right there.
func (w *world) expectIn(ctx context.Context, sc scope, want judge.Expectation) {
	w.touch(sc)
	w.expect[sc] = want
	w.judgeCounts(ctx, "expected")
}

// eventsIn counts the events that were delivered to a scope.
func (w *world) eventsIn(sc scope) int {
	ids := map[string]bool{}
	for _, s := range w.history {
		if s.scope() == sc {
			ids[s.Key] = true
		}
	}
	return len(ids)
}

// eachPartArgs are the arguments of the verb each_part.
type eachPartArgs struct {
	First string `arg:"first" doc:"the delivery whose event the others share all parts with but one"`
}

// eachPart delivers, for each part of a compound event id, an event that differs from the first in that part alone. It
// tells of another fact: two events for one fact are a case of their own.
func (w *world) eachPart(ctx context.Context, a eachPartArgs) error {
	first, err := w.find(a.First)
	if err != nil {
		return err
	}
	sent := 0
	for i, part := range w.target.Receiver.EventID {
		differs, err := w.deliverOtherPart(ctx, first, i)
		if err != nil {
			return err
		}
		if differs {
			sent++
		} else {
			w.note(true, "%s is the same in every event, so that it was not changed: give another value (receiver.other)", part)
		}
	}
	if sent == 0 {
		return unclear("no part of the event id could be changed by itself (receiver.other)")
	}
	return nil
}

func (w *world) deliverOtherPart(ctx context.Context, first *sent, part int) (differs bool, err error) {
	r := w.target.Receiver
	s, err := w.prepareEvent(sendArgs{As: "other " + r.EventID[part], Key: "own", Event: fmt.Sprintf("E31%d", part)})
	if err != nil {
		return false, err
	}
	if differs, err = r.ShareAllBut(first.Attempt, &s.Attempt, part); err != nil || !differs {
		return false, err
	}
	s.payload, s.keyWords = meaning(s.Attempt), "the first event's but for "+r.EventID[part]
	if err := w.seal(s, s.Key); err != nil {
		return false, err
	}
	return true, w.sendCounted(ctx, s)
}

// oneFactArgs are the arguments of the verb one_fact.
type oneFactArgs struct {
	First  string `arg:"first" doc:"the delivery of one event"`
	Second string `arg:"second" doc:"that of another event for the same fact"`
}

// oneFact expects one effect of two events, where the target file says what a fact is. Else their number is noted.
func (w *world) oneFact(ctx context.Context, a oneFactArgs) error {
	first, err := w.find(a.First)
	if err != nil {
		return err
	}
	second, err := w.find(a.Second)
	if err != nil {
		return err
	}
	r, sc := w.target.Receiver, w.effectScope("")
	if len(r.Fact) == 0 {
		w.expectIn(ctx, sc, judge.Expectation{Min: 1, Max: 2})
		w.note(false, "two events that differ in nothing but their id had %d effects; the target file does not say what a fact is "+
			"(receiver.fact), so that either is right", w.foundIn(sc, "expected"))
		return nil
	}
	if one, other := r.PartsOf(first.Attempt, r.Fact), r.PartsOf(second.Attempt, r.Fact); !slices.Equal(one, other) {
		return unclear("the two events do not tell of one fact: %v and %v; let no {{event_id}} stand in receiver.fact", one, other)
	}
	w.expectIn(ctx, sc, judge.Exactly(1))
	w.readFact(sc, second)
	return nil
}

// foundIn is what the first observer counted in a scope under a label; what could not be counted is 0.
func (w *world) foundIn(sc scope, label string) int {
	if !w.countedIn(sc, label) {
		return 0
	}
	return w.readings[label][sc][0].Count
}

// countedIn reports whether the first observer could count in a scope under a label.
func (w *world) countedIn(sc scope, label string) bool {
	list := w.readings[label][sc]
	return len(list) > 0 && list[0].Err == ""
}

// judgeDeliveries judges the answers to deliveries that came at the same moment. All but the first are repeats.
func (w *world) judgeDeliveries(ctx context.Context) error {
	for _, s := range w.history {
		if !s.limited() {
			w.judgeDelivery(s)
		}
	}
	for _, sc := range w.scopes {
		w.expect[sc] = judge.Exactly(1)
	}
	return w.expectOneRecord(ctx, oneRecordArgs{})
}

// receives reports whether events can be delivered and what they make can be counted.
func receives(t *targets.Target) bool { return t.Receiver != nil && counts(t, t.Receiver.Operation) }
