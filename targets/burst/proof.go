package burst

import (
	"sync/atomic"
	"time"
)

// proof is what is known of a write that has not come back yet. The time of a write is taken after it; but a system that
// has woken up the target with it, on the same machine, often lets the target run first, and another answer arrives
// before the time is taken. Whether the write had left by then, TCP knows.
type proof struct {
	size    int          // of what is released, in bytes
	before  int          // segments that were sent before it; -1: not known
	writing atomic.Bool  // the write has begun and not come back
	left    atomic.Int64 // when it was seen to have left, in nanoseconds from the beginning of the burst; 0: it was not
}

// What is released in one segment has left when the system counts one more. The answer must come so soon that it is as
// exact as the time of an arrival.
const (
	oneSegment = 500
	proofTime  = 20 * time.Microsecond
)

// arrived looks, at the arrival of a first answer byte, at the writes that are under way.
func (r *run) arrived(at time.Time) {
	for _, p := range r.parts {
		own, ok := p.(*single)
		if !ok || !own.proof.writing.Load() || own.proof.left.Load() != 0 || own.proof.before < 0 {
			continue
		}
		info, ok := readTCP(own.socket)
		if ok && info.segments > own.proof.before && r.sender.Now().Sub(at) < proofTime {
			own.proof.left.Store(int64(at.Sub(r.began)))
		}
	}
}

// wrote corrects the time of a write, to just before the arrival at which it was seen to have left.
func (p *single) wrote(at time.Time) time.Time {
	left := p.proof.left.Load()
	if left == 0 || at.IsZero() || p.proof.size > oneSegment {
		return at
	}
	if seen := p.run.began.Add(time.Duration(left) - 1); seen.Before(at) {
		return seen
	}
	return at
}
