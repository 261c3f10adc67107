package burst

import (
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The collector is stopped by the first of several bursts, and goes on after the last. Not parallel: others stop it too.
func TestTheCollectorIsRestored(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			resume := pauseGC()
			defer resume()
			collector.Lock()
			defer collector.Unlock()
			assert.Positive(t, collector.bursts)
		})
	}
	all.Wait()
	assert.Equal(t, 77, debug.SetGCPercent(77))
}

func TestResolved(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		n, rounds           int
		jitter, floor, want time.Duration
	}{
		{10, 20, 6 * time.Millisecond, 0, 204 * time.Microsecond},
		{50, 20, 6 * time.Millisecond, 0, 41 * time.Microsecond},
		{2, 20, 6 * time.Millisecond, 0, 952 * time.Microsecond},
		{10, 20, 0, 14 * time.Microsecond, 14 * time.Microsecond},
		{10, 20, 6 * time.Millisecond, time.Millisecond, time.Millisecond},
		{1, 20, 6 * time.Millisecond, time.Millisecond, 0},
		{2, 0, 6 * time.Millisecond, time.Millisecond, 0},
	} {
		assert.InDelta(t, row.want, Resolved(row.n, row.rounds, row.jitter, row.floor), float64(time.Microsecond))
	}
}

// Every request is on one connection, no connection has too many, and no share is much larger than another.
func TestShareOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 250).Draw(t, "most")
		next, small, large := 0, n, 0
		for _, share := range shareOut(n, most) {
			size := share[1] - share[0]
			if share[0] != next || size < 1 || size > most {
				t.Fatalf("share %v", share)
			}
			next, small, large = share[1], min(small, size), max(large, size)
		}
		if next != n || large-small > 1 {
			t.Fatalf("%d of %d, shares from %d to %d", next, n, small, large)
		}
	})
}

func TestEveryTechniqueHasWords(t *testing.T) {
	t.Parallel()
	for _, technique := range append(Techniques(), Mixed) {
		assert.NotEmpty(t, technique.Words())
	}
	assert.Empty(t, Technique("").Words())
	assert.Len(t, words, len(Techniques())+1)
}
