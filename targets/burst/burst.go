// Package burst sends several requests so that a target has them all at once. A check-then-insert race is open for
// microseconds; requests that leave milliseconds apart prove nothing about it.
package burst

import (
	"context"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Options say how a burst is sent. The zero value is good.
type Options struct {
	// Technique is forced where it is not empty. One that is impossible sends nothing: every exchange is
	// targets.FailureNotSent, with the reason. Empty: over HTTP/2, HTTP2SingleWrite, or HTTP2Burst for requests without a
	// body; over HTTP/1.1, HTTP1BodyGate, or HTTP1HeaderGate for requests without a body.
	Technique Technique
	// Warm is how many probes go over each connection before its requests: they wake up what is lazy on the way, and
	// measure the round trips. They do not count against the sender's rate limit. 0: none.
	Warm int
	// Probe is a harmless request to the same host as the attempts, for Warm. Without one, connections of HTTP/2 are
	// probed by PING and those of HTTP/1.1 not at all.
	Probe *targets.Attempt
}

// Burst is what became of requests that were sent at once.
type Burst struct {
	Exchanges []targets.Exchange // in the order of the attempts; Seq counts from 1 in it
	Technique Technique          // how they were withheld; empty when none was written
	Reason    string             // why the technique was chosen, and what fell back, in words
	Spread    time.Duration      // from before the first of the last writes until after the last: never the spread of the arrivals
	Shape     Shape
	Held      time.Duration // from the end of the last prelude until the release: how long the bodies were held open
	RTTMin    time.Duration // of the probes, without the first of each connection where there are more; zero: not measured
	RTTMedian time.Duration
	RTTMax    time.Duration
}

// Shape is what the release put on the wire. What goes out in one segment has no part of the network in its spread.
type Shape struct {
	Bytes        int // written at the release, with what TLS adds
	Segments     int // of TCP; -1: the system does not say
	Connections  int
	Acknowledged bool // the other side's system, or its HTTP/2, had all that goes before when the release began
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

// Send sends attempts at once: all of them written up to a gate, and what is behind the gates released together. It
// waits first until the rate limit allows all of them. An attempt that cannot be prepared carries its failure and does
// not keep the others back. No attempt is ever sent a second time.
//
// Around the release, Send stops the garbage collector of the process, for some milliseconds.
func Send(ctx context.Context, s *targets.Sender, attempts []targets.Attempt, o Options) Burst {
	if err := s.Take(ctx, len(attempts)); err != nil {
		return notSent(s, attempts, err)
	}
	r := &run{ctx: ctx, sender: s, attempts: attempts, o: o, began: s.Now()}
	r.b = Burst{Exchanges: make([]targets.Exchange, len(attempts)), Shape: Shape{Segments: -1}}
	if err := r.plan(); err != nil {
		return notSent(s, attempts, err)
	}
	r.open()
	r.warm()
	r.fire()
	r.finish()
	return r.b
}

// notSent is a burst that does not go out.
func notSent(s *targets.Sender, attempts []targets.Attempt, err error) Burst {
	exchanges := make([]targets.Exchange, len(attempts))
	for i, a := range attempts {
		exchanges[i] = s.NotSent(a, err)
		exchanges[i].Seq = i + 1
	}
	return Burst{Exchanges: exchanges, Shape: Shape{Segments: -1}, Reason: exchangeErr(exchanges)}
}

// exchangeErr is why nothing was sent.
func exchangeErr(exchanges []targets.Exchange) string {
	if len(exchanges) == 0 {
		return "there was nothing to send"
	}
	return exchanges[0].Err
}
