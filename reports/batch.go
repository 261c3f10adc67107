package reports

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

// batch is how many parts of a report are made at a time.
const batch = 64

// writeBatches writes n parts in their order. A batch of them is made on all processors and written before the next one is
// begun, so that the memory does not grow with their number.
func writeBatches(w io.Writer, n int, one func(w *bytes.Buffer, i int) error) error {
	made := make([]bytes.Buffer, min(batch, n))
	errs := make([]error, len(made))
	for first := 0; first < n; first += batch {
		size := min(batch, n-first)
		var running sync.WaitGroup
		workers := min(runtime.GOMAXPROCS(0), size)
		for worker := range workers {
			running.Go(func() {
				for i := worker; i < size; i += workers {
					made[i].Reset()
					errs[i] = one(&made[i], first+i)
				}
			})
		}
		running.Wait()
		for i := range size {
			if errs[i] != nil {
				return errs[i]
			}
			if _, err := made[i].WriteTo(w); err != nil {
				return err
			}
		}
	}
	return nil
}
