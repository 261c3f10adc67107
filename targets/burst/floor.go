package burst

import (
	"math"
	"time"
)

// loopbackGap is how far apart two requests are typically taken up by a target on this machine, whatever the sender
// does: it takes a target so long to wake a second thread. With it the chance to meet a window w in one round, w/(w+gap),
// fits what is measured on the racy reference (`idemcheck bench race`): 45 % for 50 µs, 77 % for 200 µs, 94 % for 1 ms.
const loopbackGap = 60 * time.Microsecond

// Floor estimates the smallest window that so many rounds find with 99.9 % probability where no network lies between:
//
//	gap · (1000^(1/rounds) − 1)
//
// The gap is the larger of the send spread and of what a target needs to take up two requests. It is the floor for
// Resolved.
func Floor(spread time.Duration, rounds int) time.Duration {
	if rounds < 1 {
		return 0
	}
	gap := float64(max(spread, loopbackGap))
	return time.Duration(math.Round(gap * (math.Pow(missed, -1/float64(rounds)) - 1)))
}
