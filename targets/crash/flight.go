package crash

import (
	"errors"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// errPending says that a connection sends ever more without waiting for replies.
var errPending = errors.New("too many units wait for their replies")

// depart is called with a unit before anything of it that counts is passed on. With an error it must not be.
func (l *link) depart(label string, size int, reply replyKind) error {
	if err := l.settle(); err != nil {
		return err
	}
	u, a, g := l.p.see(l, label, size)
	for g != nil {
		if err := l.wait(g); err != nil {
			return err
		}
		u, a, g = l.p.see(l, label, size)
	}
	if a != nil && a.point.Side == targets.Before {
		if !l.p.reached(a) {
			return errCut
		}
		a = nil
	}
	return l.push(flight{unit: u, armed: a, reply: reply})
}

// settle waits while the reply of the unit before is the point: what a client sends without waiting for it must not
// reach the database, or its state would be another.
func (l *link) settle() error {
	if l.holds.Load() == 0 {
		return nil
	}
	l.mu.Lock()
	settled := l.settled
	l.mu.Unlock()
	if settled != nil {
		<-settled
	}
	return l.alive()
}

// pass waits while a point is being dealt with.
func (l *link) pass() error {
	if g := l.p.gate.Load(); g != nil {
		return l.wait(g)
	}
	return nil
}

func (l *link) wait(g *gate) error {
	<-g.opened
	return l.alive()
}

// alive says whether the target's side is still there.
func (l *link) alive() error {
	if l.gone.Load() {
		return errCut
	}
	return nil
}

func (l *link) push(f flight) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) >= maxPending {
		return errPending
	}
	l.pending = append(l.pending, f)
	if f.armed != nil {
		l.settled = make(chan struct{})
		l.holds.Store(1)
	}
	return nil
}

// head gives the unit whose reply comes next.
func (l *link) head() (flight, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) == 0 {
		return flight{}, false
	}
	return l.pending[0], true
}

// pop takes the unit whose reply is complete.
func (l *link) pop() (flight, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) == 0 {
		return flight{}, false
	}
	f := l.pending[0]
	if l.pending = l.pending[1:]; len(l.pending) == 0 {
		l.pending = nil
	}
	return f, true
}

// settleHold lets the units behind the held one go on.
func (l *link) settleHold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled != nil {
		l.holds.Store(0)
		close(l.settled)
		l.settled = nil
	}
}

// abandon gives up a point whose reply will not come any more.
func (l *link) abandon() {
	for f, ok := l.pop(); ok; f, ok = l.pop() {
		if f.armed != nil {
			f.armed.end(ErrLost)
		}
	}
	l.settleHold()
}

// waitsFor gives the label of a unit that waits for its reply.
func (l *link) waitsFor(ignore map[string]bool) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.pending {
		if !ignore[f.unit.Label] {
			return f.unit.Label, true
		}
	}
	return "", false
}
