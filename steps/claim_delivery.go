package steps

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// readDelivery tells what the answer to a delivery shows of what the sender documents.
func (w *world) readDelivery(d judge.Delivered, s *sent) {
	p, x := w.target.Profile, d.Exchange
	if !x.Answered() || x.Failure != targets.NoFailure {
		return
	}
	status := strconv.Itoa(x.Status)
	if d.Repeat && !d.Running && p.Replay.Has(targets.ModeAck) {
		w.claim(judge.Read("replay.mode", p.Replay.Claim, x.Succeeded(), "answered "+status, s.Name))
	}
	if p.Delivery != nil && p.Delivery.Deadline > 0 {
		w.claim(judge.Read("delivery.deadline", p.Delivery.Claim, true, "answered in time", s.Name))
	}
	if p.Delivery != nil && len(p.Delivery.Ack) > 0 && x.Succeeded() {
		agrees := targets.Clause{Status: p.Delivery.Ack}.HasStatus(x.Status)
		w.claim(judge.Read("delivery.ack", p.Delivery.Claim, agrees, status, s.Name))
	}
}

// readEffects tells what the effects of an event that was delivered again show of what makes two deliveries one event, and
// of how long that is known.
func (w *world) readEffects(sc scope, want int) {
	d, found, counted := w.target.Profile.Delivery, w.foundIn(sc, "expected"), w.countedIn(sc, "expected")
	repeated := slices.ContainsFunc(w.history, func(s *sent) bool { return s.repeats })
	if d == nil || !counted || !repeated {
		return
	}
	path, given := "delivery.identity", len(d.Identity) > 0
	switch w.passage.moment {
	case redelivery:
		path, given = "delivery.horizon", true
	case remembered:
		path, given = "delivery.memory", true
	}
	if given {
		last := w.history[len(w.history)-1]
		w.claim(judge.Read(path, d.Claim, found == want, effects(found, want), last.Name))
	}
}

// readFact tells whether two events for what the profile calls one fact had one effect.
func (w *world) readFact(sc scope, second *sent) {
	if d := w.target.Profile.Delivery; d != nil && len(d.Fact) > 0 && w.countedIn(sc, "expected") {
		found := w.foundIn(sc, "expected")
		w.claim(judge.Read("delivery.fact", d.Claim, found == 1, effects(found, 1), second.Name))
	}
}

// readForgery tells whether a signature that does not fit was noticed.
func (w *world) readForgery(s *sent) {
	d := w.target.Profile.Delivery
	if d == nil || d.Sign == nil || !s.Answered() || s.Failure != targets.NoFailure {
		return
	}
	read := judge.Read("delivery.sign.scheme", d.Sign.Claim, !s.Succeeded(), "a forgery was answered "+strconv.Itoa(s.Status), s.Name)
	if s.Status >= 500 {
		read.State = reports.NotTold
	}
	w.claim(read)
}

func effects(found, want int) string {
	return fmt.Sprintf("%d of %d effects", found, want)
}
