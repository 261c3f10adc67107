package burst

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// What the requests that are ready wait for those that are not: connections that nothing was written to can wait longer
// than requests that are held open, which a target gives up at some time.
const (
	openLimit    = 15 * time.Second
	prepareLimit = 5 * time.Second
)

// settleTime is at least between the last preparation and the release: the handlers are then inside and wait.
const settleTime = 2 * time.Millisecond

// part is what one write releases: a request on a connection of its own, or the streams of an HTTP/2 connection.
type part interface {
	// warm probes the connection.
	warm(ctx context.Context) []time.Duration
	// small reports whether the prelude fits into any socket, so that writing it does not wait.
	small() bool
	// prelude writes everything that goes before the gates.
	prelude(ctx context.Context)
	// seen waits until the other side's HTTP/2 has the prelude, and reports whether it has. Where that cannot be asked
	// it reports false at once.
	seen(ctx context.Context) bool
	// arm readies what is withheld, and gives its size in bytes.
	arm() int
	// release writes what is withheld, as far as the socket takes it.
	release()
	// rest reports whether something is left to write.
	rest() bool
	// flush writes it.
	flush(ctx context.Context)
	// await waits for the answers as long as the context lasts.
	await(ctx context.Context)
	// finish reads the answers into their places.
	finish(ctx context.Context, into []targets.Exchange)
	// tcp is the socket; nil: there is none.
	tcp() net.Conn
}

// run is one burst on its way.
type run struct {
	ctx        context.Context
	sender     *targets.Sender
	attempts   []targets.Attempt
	o          Options
	techniques []Technique // of each attempt
	groups     []*planned
	mu         sync.Mutex // of the reason
	parts      []part
	began      time.Time // by the sender's clock
	b          Burst
}

// open connects everything, at the same time.
func (r *run) open() {
	parts := make([][]part, len(r.groups))
	each(len(r.groups), func(i int) {
		if g := r.groups[i]; g.http2 && g.err == nil {
			parts[i] = r.openShared(g)
		} else {
			parts[i] = r.openSingle(g)
		}
	})
	r.parts = slices.Concat(parts...)
}

// warm probes all connections at the same time.
func (r *run) warm() {
	if r.o.Warm <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, prepareLimit)
	defer cancel()
	all := make([][]time.Duration, len(r.parts))
	each(len(r.parts), func(i int) {
		all[i] = r.parts[i].warm(ctx)
		if len(all[i]) > 1 {
			all[i] = all[i][1:] // the first one also pays for what the target does once for a connection
		}
	})
	trips := slices.Concat(all...)
	if len(trips) == 0 {
		return
	}
	slices.Sort(trips)
	r.b.RTTMin, r.b.RTTMedian, r.b.RTTMax = trips[0], trips[len(trips)/2], trips[len(trips)-1]
}

// fire writes the preludes, waits until the target has them, and releases.
func (r *run) fire() {
	ctx, cancel := context.WithTimeout(r.ctx, prepareLimit)
	defer cancel()
	r.preludes(ctx)
	ready := time.Now()
	resume := pauseGC()
	r.settle(ctx)
	conns := r.sockets()
	r.b.Shape.Connections = len(conns)
	for _, p := range r.parts {
		r.b.Shape.Bytes += p.arm()
	}
	r.release(conns, ready)
	r.flush()
	r.await()
	resume()
}

// flush writes what the release has left, at the same time.
func (r *run) flush() {
	var rest sync.WaitGroup
	for _, p := range r.parts {
		if p.rest() {
			rest.Go(func() { p.flush(r.ctx) })
		}
	}
	rest.Wait()
}

// quiet is how long nothing else is done after a release while answers are still out: no reading, closing, collecting.
// On the machine of the sender, and often of the target, it would keep requests from being handled while others are.
const quiet = 20 * time.Millisecond

// await waits for the answers, but not for long.
func (r *run) await() {
	ctx, cancel := context.WithTimeout(r.ctx, quiet)
	defer cancel()
	for _, p := range r.parts {
		p.await(ctx)
	}
}

// preludes writes them back to back where none can wait for another, because handlers that act before they read the body
// are released by them already.
func (r *run) preludes(ctx context.Context) {
	if slices.ContainsFunc(r.parts, func(p part) bool { return !p.small() }) {
		each(len(r.parts), func(i int) { r.parts[i].prelude(ctx) })
		return
	}
	for _, p := range r.parts {
		p.prelude(ctx)
	}
}

// settle waits until the preludes have been acknowledged, and then for the handlers to begin.
func (r *run) settle(ctx context.Context) {
	seen := make([]bool, len(r.parts))
	each(len(r.parts), func(i int) { seen[i] = r.parts[i].seen(ctx) })
	r.b.Shape.Acknowledged = !slices.Contains(seen, false) || acknowledged(ctx, r.sockets())
	pause(ctx, max(settleTime, 2*(r.b.RTTMax-r.b.RTTMin)+r.b.RTTMedian))
}

// sockets are the connections that there are.
func (r *run) sockets() []net.Conn {
	var conns []net.Conn
	for _, p := range r.parts {
		if conn := p.tcp(); conn != nil {
			conns = append(conns, conn)
		}
	}
	return conns
}

// release writes everything that is withheld.
func (r *run) release(conns []net.Conn, ready time.Time) {
	before := segments(conns)
	if r.o.Technique == Plain {
		r.releasePlain()
	} else {
		began, took := volley(r.parts)
		r.b.Spread, r.b.Held = took, began.Sub(ready)
	}
	if after := segments(conns); before >= 0 && after >= 0 {
		r.b.Shape.Segments = after - before
	}
}

// releasePlain lets goroutines go that wait for a channel.
func (r *run) releasePlain() {
	start := make(chan struct{})
	var all sync.WaitGroup
	for _, p := range r.parts {
		all.Go(func() {
			<-start
			p.release()
		})
	}
	began := time.Now()
	close(start)
	all.Wait()
	r.b.Spread = time.Since(began)
}

// finish reads all answers at the same time.
func (r *run) finish() {
	each(len(r.parts), func(i int) { r.parts[i].finish(r.ctx, r.b.Exchanges) })
	for i := range r.b.Exchanges {
		x := &r.b.Exchanges[i]
		x.Seq = i + 1
		if x.Wrote.IsZero() {
			continue
		}
		switch own := r.techniques[i]; r.b.Technique {
		case "", own:
			r.b.Technique = own
		default:
			r.b.Technique = Mixed
		}
	}
}

// each does something n times at the same time.
func each(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// pause waits, or not when the context has ended.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
