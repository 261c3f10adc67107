package crash

import (
	"context"
	"fmt"
	"time"
)

// recorder keeps the units of a dry run.
type recorder struct{ units []Unit }

// Record begins a dry run. The function that it gives ends it, with the units seen meanwhile.
func (p *Proxy) Record() (stop func() []Unit) {
	r := &recorder{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recorders[r] = struct{}{}
	return func() []Unit {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.recorders, r)
		return r.units
	}
}

// watch waits for silence.
type watch struct {
	ignore map[string]bool
	last   time.Time
	label  string // what was seen last
}

// Quiesce waits until for so long no unit was seen and none was waiting for its reply, apart from those whose labels are
// to be ignored. It must be called before a point is armed: what the target still does for the request before would
// otherwise trip it.
func (p *Proxy) Quiesce(ctx context.Context, quiet time.Duration, ignore map[string]bool) error {
	w := &watch{ignore: ignore, last: time.Now()}
	p.mu.Lock()
	p.watches[w] = struct{}{}
	p.mu.Unlock()
	defer p.unwatch(w)
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until the database is quiet (seen last: %q): %w", p.lastSeen(w), ctx.Err())
		case <-timer.C:
			left := p.left(w, quiet)
			if left <= 0 {
				return nil
			}
			timer.Reset(left)
		}
	}
}

func (p *Proxy) unwatch(w *watch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watches, w)
}

func (p *Proxy) lastSeen(w *watch) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return w.label
}

// left says for how long it must still be quiet.
func (p *Proxy) left(w *watch, quiet time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if label, waits := l.waitsFor(w.ignore); waits {
			w.last, w.label = time.Now(), label
		}
	}
	return quiet - time.Since(w.last)
}

// see notes a unit that is about to be passed on, and says whether it is the armed one. While another point is being
// dealt with nothing is noted, and the gate is to be waited for.
func (p *Proxy) see(l *link, label string, size int) (Unit, *Armed, *gate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.gate.Load(); g != nil {
		return Unit{}, nil, g
	}
	u := Unit{Label: label, Conn: l.id, Size: size}
	if len(p.recorders) == 0 && len(p.watches) == 0 && p.armed == nil {
		return u, nil, nil
	}
	u.At = p.options.Now()
	for r := range p.recorders {
		if len(r.units) < maxUnits {
			r.units = append(r.units, u)
		}
	}
	for w := range p.watches {
		if !w.ignore[label] {
			w.last, w.label = time.Now(), label
		}
	}
	if p.armed != nil && p.armed.takes(u) {
		return u, p.armed, nil
	}
	return u, nil, nil
}
