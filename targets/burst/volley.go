package burst

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// maxThreads bounds the threads of a volley: more of them wait for each other more than they write.
const maxThreads = 4

// volley releases parts from as many threads as there are processors, up to maxThreads. Each has its thread for itself, so that the
// scheduler of Go moves nothing between two writes, and takes the next part that is left: the system, which wakes up the
// target with the first write, may stop one of them for it on the spot, and the others go on. It gives the time before
// the first write, and the time from then until after the last.
func volley(parts []part) (began time.Time, took time.Duration) {
	v := &volleys{parts: parts, ends: make([]time.Time, max(1, min(len(parts), runtime.GOMAXPROCS(0), maxThreads)))}
	var all sync.WaitGroup
	for i := range len(v.ends) - 1 {
		all.Go(func() { v.wait(i + 1) })
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v.gather(len(v.ends) - 1)
	began = time.Now()
	v.start.Store(true)
	v.write(0)
	all.Wait()
	for _, end := range v.ends {
		took = max(took, end.Sub(began))
	}
	return began, took
}

// volleys is what the threads of a volley share.
type volleys struct {
	parts []part
	ready atomic.Int32
	start atomic.Bool
	next  atomic.Int32
	ends  []time.Time // of each thread
}

// spinLimit bounds how long a thread keeps its processor busy while it waits for another: asleep it would take longer
// to come back than a volley takes.
const spinLimit = time.Millisecond

// gather waits for the other threads, unless the system does not let them run.
func (v *volleys) gather(others int) {
	for began := time.Now(); v.ready.Load() < int32(others) && time.Since(began) < spinLimit; {
	}
}

// wait takes part as soon as the volley starts.
func (v *volleys) wait(thread int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v.ready.Add(1)
	for began := time.Now(); !v.start.Load() && time.Since(began) < spinLimit; {
	}
	for !v.start.Load() {
		runtime.Gosched()
	}
	v.write(thread)
}

// write releases what is left.
func (v *volleys) write(thread int) {
	for {
		i := int(v.next.Add(1)) - 1
		if i >= len(v.parts) {
			break
		}
		v.parts[i].release()
	}
	v.ends[thread] = time.Now()
}
