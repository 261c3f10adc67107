package crash

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// A target that answers at once whether the point is reached is asked again after the first of these times, then after
// twice as long, and in the end every last of them: nothing is lost by being late, since it stands still.
const (
	firstPoll = 2 * time.Millisecond
	lastPoll  = 50 * time.Millisecond
)

// releaseWithin bounds how long a target is given to let go of a point.
const releaseWithin = 5 * time.Second

// namedPoint is a point that waits in the target.
type namedPoint struct {
	named   *namedSteps
	point   targets.Point
	fault   targets.PointFault
	atPoint func()
	cancel  context.CancelFunc // ends the asking

	mu       sync.Mutex
	reached  bool // it is being dealt with, or was
	givenUp  bool
	released bool // the target has been told to go on

	once  sync.Once
	done  chan struct{}
	fired bool // to be read after done
}

// vars are the values that the target's requests may name.
func (a *namedPoint) vars() targets.Vars {
	return targets.Vars{"label": a.point.Label, "occurrence": strconv.Itoa(a.point.Occurrence), "side": string(a.point.Side)}
}

// watch asks until the point is reached, and then has the fault done. A target that does not answer any more, or refuses
// to, will not say that it stands at the point, and so the point cannot fire.
func (a *namedPoint) watch(ctx context.Context) {
	defer a.cancel()
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		began := time.Now()
		x, err := a.named.ask(ctx, a.named.section.Reached.Request, a.vars())
		if err == nil && a.says(x) {
			break
		}
		if err != nil || rest(ctx, max(0, pause-time.Since(began))) != nil {
			a.settle(false)
			return
		}
	}
	if !a.take() {
		a.settle(false)
		return
	}
	a.atPoint()
	if a.fault == targets.Disconnect {
		a.release(ctx)
	}
	a.settle(true)
}

// says reports whether an answer says that the point is reached.
func (a *namedPoint) says(x targets.Exchange) bool {
	hits, err := targets.Query(a.named.section.Reached.When, x.Content)
	return err == nil && len(hits) > 0 && hits[0] == true
}

// take makes the point one that is being dealt with, unless it was given up.
func (a *namedPoint) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reached = !a.givenUp
	return a.reached
}

// settle is the end of it, whichever way.
func (a *namedPoint) settle(fired bool) {
	a.once.Do(func() {
		a.fired = fired
		close(a.done)
	})
}

// Done is closed when the point has fired and the fault is done, or when it cannot fire any more.
func (a *namedPoint) Done() <-chan struct{} { return a.done }

// Disarm gives the point up, unless it is being reached: then it waits until everything is done. It reports whether the
// point has fired. The target is told to let go, unless it was killed.
func (a *namedPoint) Disarm() bool {
	a.mu.Lock()
	a.givenUp = !a.reached
	if a.givenUp {
		a.cancel()
	}
	a.mu.Unlock()
	<-a.done
	if !a.fired || a.fault != targets.Kill {
		a.release(context.Background())
	}
	return a.fired
}

// release tells the target once to go on. That it does not answer is no news: it may be dead. The time that the point
// itself was given may be over by now.
func (a *namedPoint) release(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	a.released = a.named.release(ctx) == nil
}
