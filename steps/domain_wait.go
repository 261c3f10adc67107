package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// waitArgs are the arguments of the verb wait_until: a number of records, or a value in the record of an attempt.
type waitArgs struct {
	Count     int    `arg:"records" doc:"how many records there are then, as the first observer counts them"`
	As        string `arg:"as" doc:"the attempt whose record is read, in place of counting"`
	At        string `arg:"at" doc:"where in the record: a JSON pointer or a JSONPath"`
	Is        string `arg:"is" json:"true" doc:"the value that stands there then"`
	Within    string `arg:"within" doc:"how long at most: a Go duration, up to 10m"`
	Every     string `arg:"every" doc:"how often it is looked; default 200ms"`
	Operation string `arg:"operation" of:"operation" open:"true" doc:"whose records: main, other, or the name of any operation of the target"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where they are counted, in place of the target's own namespace"`
}

const longestWait = 10 * time.Minute

func (a waitArgs) check() error {
	d, err := time.ParseDuration(a.Within)
	if err != nil || d <= 0 || d > longestWait {
		return fmt.Errorf("within: expected a duration up to %s such as 5s, found %q", longestWait, a.Within)
	}
	if d, err := time.ParseDuration(pick(a.Every, "1s")); err != nil || d < 10*time.Millisecond {
		return fmt.Errorf("every: expected a duration of at least 10ms, found %q", a.Every)
	}
	if a.As != "" {
		return checkSpot(a.At)
	}
	return nil
}

// waitUntil looks again and again until a condition holds. That it does not in time is no finding by itself: what is
// right then is for the steps that follow to say. But they cannot show what was meant, so that without one the case is
// inconclusive.
func (w *world) waitUntil(ctx context.Context, a waitArgs) error {
	within, _ := time.ParseDuration(a.Within)
	every, err := time.ParseDuration(pick(a.Every, "200ms"))
	if err != nil {
		return err
	}
	end := w.Now().Add(within)
	for {
		saw, holds, err := w.look(ctx, a)
		if err != nil || holds {
			return err
		}
		if !w.Now().Add(every).Before(end) {
			return unclear("it was waited for %s, and there was still %s", a.Within, saw)
		}
		if err := w.Wait(ctx, every); err != nil {
			return err
		}
	}
}

// look looks once, and says what there is.
func (w *world) look(ctx context.Context, a waitArgs) (saw string, holds bool, err error) {
	if a.As != "" {
		return w.lookAtRecord(ctx, a)
	}
	op, err := w.operation(a.Operation)
	if err != nil {
		return "", false, err
	}
	sc := scope{op.Name, a.Namespace}
	i := slices.IndexFunc(w.watch, func(o watcher) bool { return o.operation == sc.operation && (o.scoped || sc.namespace == "") })
	if i < 0 {
		return "", false, unclear("no observer counts the records of %s there, so that they cannot be waited for", op.Name)
	}
	w.touch(sc)
	r := w.count(ctx, w.watch[i], sc, "while waiting")
	if r.Err != "" {
		return r.Err, false, nil
	}
	return fmt.Sprintf("%d where %d was waited for", r.Count, a.Count), r.Count == a.Count, nil
}

func (w *world) lookAtRecord(ctx context.Context, a waitArgs) (saw string, holds bool, err error) {
	s, err := w.find(a.As)
	if err != nil {
		return "", false, err
	}
	if s.id == "" || w.target.Operations.Named(s.Operation).Read == "" {
		return "", false, unclear("the record of %q cannot be read (operations.<name>.read), so that it cannot be waited for", a.As)
	}
	x, err := w.readBack(ctx, s)
	if err != nil {
		return "", false, err
	}
	value, there := spot(x, a.At)
	if !there {
		value = "nothing"
	}
	return value + " at " + a.At, there && sameValue(a.Is, value), nil
}

// sideEffectsArgs are the arguments of the verb expect_effects.
type sideEffectsArgs struct {
	Observer string `arg:"observer" doc:"the observer that counts the side effect"`
	Count    int    `arg:"count" doc:"how many side effects are right"`
}

// expectSideEffects says how many side effects of one kind are right. Where a scenario says nothing, it is one for each
// record.
func (w *world) expectSideEffects(ctx context.Context, a sideEffectsArgs) error {
	i := slices.IndexFunc(w.watch, func(o watcher) bool { return o.observer.Name() == a.Observer })
	switch {
	case i < 0:
		var known []string
		for _, o := range w.watch {
			known = append(known, o.observer.Name())
		}
		return unclear("the target has no observer %q (it has: %s)", a.Observer, strings.Join(known, ", "))
	case !w.watch[i].sideEffect:
		return fmt.Errorf("the observer %q counts the record itself; see the verb records", a.Observer)
	}
	w.effects[a.Observer] = a.Count
	w.touch(scope{w.watch[i].operation, ""})
	w.judgeCounts(ctx, "effects")
	return nil
}

// pauseArgs are the arguments of the verb pause.
type pauseArgs struct {
	For string `arg:"for" doc:"how long: a Go duration, up to 10m"`
}

func (a pauseArgs) check() error {
	if d, err := time.ParseDuration(a.For); err != nil || d <= 0 || d > longestWait {
		return fmt.Errorf("expected a duration up to %s such as 5s, found %q", longestWait, a.For)
	}
	return nil
}

// pause lets time pass, for example past the retry schedule of a sender.
func (w *world) pause(ctx context.Context, a pauseArgs) error {
	d, err := time.ParseDuration(a.For)
	if err != nil {
		return err
	}
	return w.Wait(ctx, d)
}
