package burst

import (
	"runtime/debug"
	"sync"
)

// collector stops the garbage collector of the process around a release: its pauses are as long as the races that are
// looked for. Several bursts at once share one stop, and the last one restores what was set before the first. Whoever
// else changes the setting in between loses the change.
var collector struct {
	sync.Mutex
	bursts  int
	percent int
}

// pauseGC waits for a collection that is under way, and lets none begin until resume is called.
func pauseGC() (resume func()) {
	collector.Lock()
	defer collector.Unlock()
	if collector.bursts++; collector.bursts == 1 {
		collector.percent = debug.SetGCPercent(-1)
	}
	return func() {
		collector.Lock()
		defer collector.Unlock()
		if collector.bursts--; collector.bursts == 0 {
			debug.SetGCPercent(collector.percent)
		}
	}
}
