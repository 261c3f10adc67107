package steps

import (
	"context"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
)

// settleArgs are the arguments of the verb settle.
type settleArgs struct {
	As    string `arg:"as" doc:"a name for the attempt that settles"`
	KeyOf string `arg:"key_of" doc:"an attempt whose key is sent again; default: the first one's"`
}

// settle sends again until the target no longer says that it is busy with the first attempt. An answer that is still
// in-progress at the end of the bound stays in the history as what it is; the judge calls it stuck.
func (w *world) settle(ctx context.Context, a settleArgs) error {
	bound := w.Now().Add(w.settleBound())
	var waiting []*sent
	for {
		args := sendArgs{As: a.As, Key: "same", KeyOf: a.KeyOf}
		s, err := w.sendOne(ctx, args)
		if err != nil {
			return err
		}
		if s.disposition != reports.InProgress {
			w.observeProgress(waiting, s)
			return nil
		}
		waiting = append(waiting, s)
		pause := w.retryPause(s, 200*time.Millisecond)
		if w.Now().Add(pause).After(bound) {
			return nil
		}
		if err := w.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// retryPause is how long to wait before an attempt is sent again. The target's answer says so in whole seconds; where its
// file declares how long a lock lives, nobody has to wait for one any longer than that.
func (w *world) retryPause(s *sent, otherwise time.Duration) time.Duration {
	pause := retryAfter(s.Exchange, otherwise, 2*time.Second)
	if lock := w.target.Lock.Std(); lock > 0 && s.disposition == reports.InProgress {
		return min(pause, lock)
	}
	return pause
}

func (w *world) settleBound() time.Duration {
	if d := w.target.Settles.Std(); d > 0 {
		return d
	}
	return 15 * time.Second
}

// changedArgs are the arguments of the verb changed.
type changedArgs struct{}

// eachMember sends the operation once for each material member, with that member changed, under the first key.
func (w *world) eachMember(ctx context.Context, _ changedArgs) error {
	for _, member := range mainOperation(w.target).Material {
		if strings.HasPrefix(member, "?") {
			continue // the verb compare has the query
		}
		name := "changed " + member
		if _, err := w.sendOne(ctx, sendArgs{As: name, Key: "same", Body: "changed:" + member}); err != nil {
			return err
		}
		if err := w.expectHandled(ctx, handledArgs{As: name, Situation: string(judge.Mismatch)}); err != nil {
			return err
		}
	}
	return nil
}

// readArgs are the arguments of the verb read.
type readArgs struct {
	Label string `arg:"label" doc:"a name for this reading"`
}

func (w *world) read(ctx context.Context, a readArgs) error {
	w.readAll(ctx, a.Label)
	return nil
}
