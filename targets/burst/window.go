package burst

import (
	"math"
	"time"
)

// missed is the chance that is left for a race to go unseen: detection is stated for 99.9 %.
const missed = 0.001

// Resolved estimates the smallest check-then-insert window that so many rounds of n requests would have found with
// 99.9 % probability:
//
//	max(floor, jitter · (1 − 0.001^(1/(n·rounds))))
//
// Jitter is the range of the round trips of the connections that the requests arrive on (Burst.Jitter). Its term: where
// n arrivals are spread evenly over the jitter, each of the others comes within w after the first with a chance of w/J;
// all rounds miss a window w with (1−w/J)^(n·rounds). It is conservative: arrivals meet the jitter of one direction, not
// of the round trip, and a target's own work widens its window. Floor is what the sender resolves without a network,
// measured on a target that is known to be racy; it knows nothing of the scheduler of this target.
func Resolved(n, rounds int, jitter, floor time.Duration) time.Duration {
	if n < 2 || rounds < 1 {
		return 0
	}
	share := 1 - math.Pow(missed, 1/float64(n*rounds))
	return max(floor, time.Duration(math.Round(float64(jitter)*share)))
}

// Jitter is the range of the measured round trips where the requests have come over several connections. Requests of
// one connection meet the same jitter; there it is zero.
func (b Burst) Jitter() time.Duration {
	if b.Shape.Connections < 2 {
		return 0
	}
	return b.RTTMax - b.RTTMin
}
