package steps

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// This file holds what is observed and never judged.

// observeRate notes whether a replay counted against a rate limit, where the target tells what is left of it: between two
// attempts that followed each other with no other request of the run between them.
func (w *world) observeRate(replay *sent) {
	for _, before := range w.history {
		if before.Conn == 0 || before.Conn+1 != replay.Conn || before.namespace != replay.namespace {
			continue
		}
		was, name, told := remaining(before.Exchange)
		is, _, still := remaining(replay.Exchange)
		switch {
		case !told || !still || is > was: // the window has begun anew
		case is == was:
			w.note(false, "the replay %q did not count against the rate limit: %s stayed at %d", replay.Name, name, is)
		default:
			w.note(false, "the replay %q counted against the rate limit: %s went from %d to %d", replay.Name, name, was, is)
		}
	}
}

// rateHeaders are the names under which targets tell what is left: the usual ones, and those of
// draft-ietf-httpapi-ratelimit-headers, early and late.
var rateHeaders = []string{"X-RateLimit-Remaining", "X-Rate-Limit-Remaining", "RateLimit-Remaining", "RateLimit"}

// remainingIn finds what is left in a RateLimit field: "default";r=50;t=30, or limit=100, remaining=50.
var remainingIn = regexp.MustCompile(`(?:^|[;,\s])(?:r|remaining)=(\d+)`)

// remaining reads how many requests an answer says are left, and in which header.
func remaining(x targets.Exchange) (n int, name string, ok bool) {
	for _, name := range rateHeaders {
		text := strings.TrimSpace(x.Answer.Get(name))
		if found := remainingIn.FindStringSubmatch(text); name == "RateLimit" && found != nil {
			text = found[1]
		}
		if n, err := strconv.Atoi(text); err == nil {
			return n, name, true
		}
	}
	return 0, "", false
}

// observeProgress notes how long in-progress answers lasted until one settled.
func (w *world) observeProgress(waiting []*sent, settled *sent) {
	if len(waiting) == 0 {
		return
	}
	w.note(false, "in-progress answers (%d) lasted %s until %q settled", len(waiting),
		settled.Began.Sub(waiting[0].Began).Round(time.Millisecond), settled.Name)
}
