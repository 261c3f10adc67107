package steps

import (
	"context"
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// How long a case waits at most for what an attempt without an answer may still be about to write, and between two
// readings. A target may acknowledge a repeat of what it is only working on.
const (
	lateBound = 3 * time.Second
	latePause = 100 * time.Millisecond
)

// countAtLeast counts, and counts again while records are missing that an attempt may still be writing: nothing is lost
// that comes a moment later.
func (w *world) countAtLeast(ctx context.Context, o watcher, sc scope, label string, least int) targets.Reading {
	r := w.count(ctx, o, sc, label)
	for r.Err == "" && r.Count < least && w.late < min(lateBound, w.settleBound()) && w.mayStillRun(o, sc) {
		if w.Wait(ctx, latePause) != nil {
			break
		}
		w.late += latePause
		list := w.readings[label][sc]
		w.readings[label][sc] = list[:len(list)-1] // what counts is the reading after it
		r = w.count(ctx, o, sc, label)
	}
	return r
}

// mayStillRun reports whether an attempt in a scope had no answer, and the target was not killed while it worked on it.
func (w *world) mayStillRun(o watcher, sc scope) bool {
	if slices.Contains(w.c.Needs, targets.NeedCrash) {
		return false
	}
	return slices.ContainsFunc(w.history, func(s *sent) bool {
		return s.Operation == sc.operation && (s.scope() == sc || !o.scoped) && s.disposition == reports.NoAnswer
	})
}
