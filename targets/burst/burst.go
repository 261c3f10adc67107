// Package burst sends several requests so that a target has them all at once. A check-then-insert race is open for
// microseconds; requests that leave milliseconds apart prove nothing about it.
package burst

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// prepareLimit bounds how long the requests that are ready wait for those that are not: a target gives up on a request
// that is held open for too long.
const prepareLimit = 5 * time.Second

// settleTime is between the last preparation and the release: everything but the last bytes has then arrived, and the
// handlers wait for them.
const settleTime = 2 * time.Millisecond

// The techniques, as the report names them. The gate is the byte that is withheld until the release.
const (
	HTTP1BodyGate   = "HTTP/1.1, a connection for each request, last body byte withheld"
	HTTP1HeaderGate = "HTTP/1.1, a connection for each request, last header byte withheld"
	HTTP2BodyGate   = "HTTP/2, a connection for each request, last body byte withheld"
	HTTP2WholeGate  = "HTTP/2, a connection for each request, whole request withheld"
	Mixed           = "several protocols, a connection for each request"
)

// Burst is what became of requests that were sent at once.
type Burst struct {
	Exchanges []targets.Exchange // in the order of the attempts; Seq counts from 1 in it
	Technique string             // how they were withheld; empty when none was written
	Spread    time.Duration      // from before the first of the last writes until after the last: never the spread of the arrivals
}

// Overlapped reports whether at least two requests were wholly written before any answer byte of either arrived.
// Without that the burst was not concurrent and proves nothing.
func (b Burst) Overlapped() bool {
	for i, x := range b.Exchanges {
		for _, y := range b.Exchanges[i+1:] {
			if x.Overlaps(y) {
				return true
			}
		}
	}
	return false
}

// Send sends attempts at once: each on a connection of its own, all written up to their last byte, all last bytes
// released together. It waits first until the rate limit allows all of them. An attempt that cannot be prepared
// carries its failure and does not keep the others back.
func Send(ctx context.Context, s *targets.Sender, attempts []targets.Attempt) Burst {
	if err := s.Take(ctx, len(attempts)); err != nil {
		return notSent(s, attempts, err)
	}
	held := prepare(ctx, s, attempts)
	pause(ctx, settleTime)
	spread := release(held)
	b := Burst{Exchanges: finish(ctx, held), Spread: spread}
	b.Technique = technique(b.Exchanges)
	return b
}

// notSent is a burst that the rate limit or the context does not let go.
func notSent(s *targets.Sender, attempts []targets.Attempt, err error) Burst {
	exchanges := make([]targets.Exchange, len(attempts))
	for i, a := range attempts {
		exchanges[i] = s.NotSent(a, err)
		exchanges[i].Seq = i + 1
	}
	return Burst{Exchanges: exchanges}
}

// prepare prepares all attempts at the same time.
func prepare(ctx context.Context, s *targets.Sender, attempts []targets.Attempt) []*targets.Prepared {
	ctx, cancel := context.WithTimeout(ctx, prepareLimit)
	defer cancel()
	held := make([]*targets.Prepared, len(attempts))
	each(len(attempts), func(i int) { held[i] = s.Prepare(ctx, attempts[i]) })
	return held
}

// release writes all last bytes from one goroutine that has its thread for itself, so that nothing is scheduled
// between two of them.
func release(held []*targets.Prepared) time.Duration {
	spread := make(chan time.Duration)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		began := time.Now()
		for _, p := range held {
			p.Release()
		}
		spread <- time.Since(began)
	}()
	return <-spread
}

// finish reads all answers at the same time.
func finish(ctx context.Context, held []*targets.Prepared) []targets.Exchange {
	exchanges := make([]targets.Exchange, len(held))
	each(len(held), func(i int) {
		exchanges[i] = held[i].Finish(ctx)
		exchanges[i].Seq = i + 1
	})
	return exchanges
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

// technique names how the requests that were written were withheld.
func technique(exchanges []targets.Exchange) string {
	name := ""
	for _, x := range exchanges {
		switch own := gate(x); {
		case own == "" || own == name:
		case name == "":
			name = own
		default:
			return Mixed
		}
	}
	return name
}

// gate names how one request was withheld; empty when it was not written.
func gate(x targets.Exchange) string {
	http2, body := x.Proto == "HTTP/2.0", len(x.Body) > 0
	switch {
	case x.Wrote.IsZero():
		return ""
	case http2 && body:
		return HTTP2BodyGate
	case http2:
		return HTTP2WholeGate
	case body:
		return HTTP1BodyGate
	}
	return HTTP1HeaderGate
}
