package crash

import (
	"context"
	"fmt"
	"sync"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// gate keeps all connections waiting while a point is being dealt with: what the rest of a dying target still says must
// not reach the database, and what the database says must not reach it.
type gate struct{ opened chan struct{} }

// Armed is a point that waits for its unit.
type Armed struct {
	p       *Proxy
	point   targets.Point
	then    Then
	atPoint func()

	seen    int  // units with the label; under the proxy's lock, as the next two
	unit    Unit // the one that matched
	reached bool // it fires

	once sync.Once
	done chan struct{}
	err  error // why it has not fired; to be read after done
}

// Arm waits for a point. When it is reached, everything stands still, atPoint is called (it kills the target and waits
// until it is reaped), and then the connections are dealt with. It fires at most once. Only one point can be armed at a
// time: another one before is disarmed.
func (p *Proxy) Arm(pt targets.Point, then Then, atPoint func()) *Armed {
	a := &Armed{p: p, point: pt, then: then, atPoint: atPoint, done: make(chan struct{})}
	p.mu.Lock()
	before, closed := p.armed, p.closed
	if p.armed = a; closed {
		p.armed = nil
	}
	p.mu.Unlock()
	if before != nil {
		before.end(ErrDisarmed)
	}
	if closed {
		a.end(ErrClosed)
	}
	return a
}

// Fired reports whether the point was reached and everything is done.
func (a *Armed) Fired() bool {
	select {
	case <-a.done:
		return a.err == nil
	default:
		return false
	}
}

// Done is closed when the point was reached and everything is done, or when it cannot fire any more.
func (a *Armed) Done() <-chan struct{} { return a.done }

// Wait waits until the point was reached and everything is done, and gives the unit at which it was. An error says why
// it cannot fire any more, or that the context has ended.
func (a *Armed) Wait(ctx context.Context) (Unit, error) {
	select {
	case <-a.done:
	case <-ctx.Done():
		select {
		case <-a.done: // both: what has happened counts
		default:
			return Unit{}, fmt.Errorf("wait for %s: %w", a.point, ctx.Err())
		}
	}
	if a.err != nil {
		return Unit{}, fmt.Errorf("wait for %s: %w", a.point, a.err)
	}
	return a.unit, nil
}

// Disarm gives the point up, unless it has been reached already: then it waits until everything is done. It reports
// whether the point has fired.
func (a *Armed) Disarm() bool {
	a.p.mu.Lock()
	waiting := a.p.armed == a
	a.p.mu.Unlock()
	if waiting {
		a.end(ErrDisarmed)
	}
	<-a.done
	return a.err == nil
}

// takes counts a unit and says whether it is the one. The proxy's lock is held.
func (a *Armed) takes(u Unit) bool {
	if u.Label != a.point.Label {
		return false
	}
	a.seen++
	if a.seen != a.point.Occurrence {
		return false
	}
	a.unit = u
	return true
}

// end gives the point up, unless it has been reached.
func (a *Armed) end(why error) {
	a.p.mu.Lock()
	reached := a.reached
	if a.p.armed == a {
		a.p.armed = nil
	}
	a.p.mu.Unlock()
	if !reached {
		a.finish(why)
	}
}

// finish is the end of it, whichever way.
func (a *Armed) finish(err error) {
	a.once.Do(func() {
		a.err = err
		close(a.done)
	})
}

// reached is called where the point is. It reports whether the unit, or its reply, is to go on.
func (p *Proxy) reached(a *Armed) (goOn bool) {
	p.mu.Lock()
	if p.armed != a {
		p.mu.Unlock()
		return true // given up meanwhile
	}
	p.armed = nil
	a.reached = true
	g := &gate{opened: make(chan struct{})}
	p.gate.Store(g)
	p.mu.Unlock()
	if a.atPoint != nil {
		a.atPoint()
	}
	if a.then != Resume {
		p.cut(a.then)
	}
	p.gate.Store(nil)
	close(g.opened)
	a.finish(nil)
	return a.then == Resume
}
