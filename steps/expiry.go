package steps

import (
	"cmp"
	"context"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// The moments to which a case moves the time.
const (
	inside     = "inside"     // the key is certainly kept
	outside    = "outside"    // the key is certainly gone
	redelivery = "redelivery" // the sender of an event delivers it for the last time
	remembered = "remembered" // its receiver still has to know an event
	// Equal content certainly counts as a repeat, or certainly does no more.
	windowInside  = "window-inside"
	windowOutside = "window-outside"
)

// horizon is how long events are delivered again; 0: nothing says so.
func horizon(p targets.Profile) time.Duration {
	if p.Delivery == nil {
		return 0
	}
	return p.Delivery.Horizon.Std()
}

// memory is how long a receiver remembers an event; 0: nothing says so.
func memory(p targets.Profile) time.Duration {
	if p.Delivery == nil {
		return 0
	}
	return p.Delivery.Memory.Std()
}

// moveArgs are the arguments of the verb move_clock.
type moveArgs struct {
	Moment string `arg:"moment" of:"moment" doc:"to which moment"`
	Of     string `arg:"of" doc:"the attempt that used the key first"`
}

// moveClock moves the time to just inside or just outside the retention of a key or the window of a content filter, to the
// last redelivery of an event, or to the end of the time for which its receiver remembers it.
func (w *world) moveClock(ctx context.Context, a moveArgs) error {
	s, err := w.find(a.Of)
	if err != nil {
		return err
	}
	since := s
	if r := w.target.Profile.Retention; r.From == targets.FromLastUse && (a.Moment == inside || a.Moment == outside) {
		since = w.lastUse(s)
	}
	limit := w.limitOf(a.Moment)
	if a.Moment != inside && a.Moment != outside && !w.readable() {
		return unclear(unreadClock)
	}
	margin := max(justBeside(limit), 2*w.longest())
	by, err := w.wayTo(a.Moment, since, limit, margin)
	if err != nil {
		return err
	}
	w.passage.moment = a.Moment
	if err := w.advance(ctx, by, margin/2, s); err != nil {
		return err
	}
	if filter := a.Moment == windowInside || a.Moment == windowOutside; filter && !w.passage.read && !w.target.Clock.Wait {
		return unclear("what was moved is the age of the key, and not the time by which the content filter goes (clock)")
	}
	if isBeyond(a.Moment) {
		w.passage.until = time.Time{}
		w.passage.over[s.Key] = w.passage.over[s.Key] || a.Moment == outside
		return nil
	}
	kept := limit - (w.passage.moved - since.movedBefore) - since.Ended.Sub(since.Began) - margin/2
	w.passage.until = since.entered.Add(kept)
	return nil
}

// isBeyond reports whether a moment lies after the end of its time, and not before it.
func isBeyond(moment string) bool { return moment == outside || moment == windowOutside }

// wayTo is by how much time must be moved from now to a moment.
func (w *world) wayTo(moment string, since *sent, limit, margin time.Duration) (time.Duration, error) {
	age := w.Now().Sub(since.entered) + w.passage.moved - since.movedBefore // at least
	if isBeyond(moment) {
		return whole(limit+margin-age, limit, true), nil
	}
	by := limit - margin - age - since.Ended.Sub(since.Began)
	if by <= 0 {
		return 0, unclear("the case took so long that %s are over already, less a margin of %s", spell(limit), spell(margin))
	}
	return whole(by, limit, false), nil
}

// limitOf gives how long after the first use of a key, or the first delivery of an event, a moment is.
func (w *world) limitOf(moment string) time.Duration {
	p := w.target.Profile
	switch moment {
	case outside:
		return endOfRetention(p)
	case redelivery:
		if memory(p) > 0 && memory(p) < horizon(p) {
			w.note(false, "its source advises to remember an event for %s, and its sender delivers it again for %s", spell(memory(p)), spell(horizon(p)))
		}
		return horizon(p)
	case remembered:
		return memory(p)
	case windowInside, windowOutside:
		return p.ContentFilter.Within.Std()
	}
	return p.Retention.Min.Std()
}

// inTime makes sure that an attempt that was to come just inside a time did not take so long that the key may
// rightly have expired under way. Where it did, a second record says nothing.
func (w *world) inTime(s *sent) error {
	if w.passage.until.IsZero() || !s.entered.After(w.passage.until) {
		return nil
	}
	what := map[string]string{windowInside: "the content filter's window", redelivery: "the redelivery", remembered: "the memory"}[w.passage.moment]
	what = cmp.Or(what, "the retention")
	w.expect[s.scope()] = judge.Expectation{Min: 1, Max: len(w.history)}
	return unclear("%q was to come just before %s ended, and was answered %s too late to tell", s.Name, what,
		spell(s.entered.Sub(w.passage.until).Round(time.Millisecond)))
}

// justBeside is how far from the end of a retention "just" is: one per cent, at least two seconds, at most a quarter of
// the retention. A case takes twice its longest exchange where that is more, so that no request can be under way while
// the retention ends.
func justBeside(retention time.Duration) time.Duration {
	return min(max(retention/100, 2*time.Second), retention/4)
}

// whole rounds a step to whole seconds, away from the end of the retention, where the retention is longer than a minute.
func whole(by, retention time.Duration, beyond bool) time.Duration {
	unit := time.Millisecond
	if retention >= time.Minute {
		unit = time.Second
	}
	if beyond {
		by += unit - 1
	}
	return by.Truncate(unit)
}

// longest is how long the longest exchange of the case took.
func (w *world) longest() time.Duration {
	most := time.Duration(0)
	for _, s := range w.history {
		most = max(most, s.Ended.Sub(s.Began))
	}
	return most
}

// lastUse finds the latest attempt with the key of s.
func (w *world) lastUse(s *sent) *sent {
	for _, later := range w.history {
		if later.Key == s.Key {
			s = later
		}
	}
	return s
}

// longAfter stands for the end of a retention that never ends.
const longAfter = 30 * 24 * time.Hour

// endOfRetention is when a key is certainly gone by what the profile documents; 0 where it does not say. A key that
// never expires is tried after a month, or where that is longer, after the time for which it is kept at least.
func endOfRetention(p targets.Profile) time.Duration {
	switch r := p.Retention; {
	case p.Expired.Provenance == targets.Documented && p.Expired.Has(targets.ModeNever):
		return max(r.Min.Std(), r.Max.Std(), longAfter)
	case r.Provenance == targets.Documented:
		return r.Max.Std()
	}
	return 0
}

// expired reports whether an attempt is judged as one after the retention.
func expired(s judge.Situation) bool { return s == judge.Expired || s == judge.ExpiredOther }

// showsExpiry reports whether an attempt shows by itself that time has moved: its key, which was used before, made a
// record of its own, or was refused in the way that is documented of expired keys.
func (w *world) showsExpiry(s *sent) bool {
	c := w.target.Profile.Expired
	switch s.disposition {
	case reports.Created:
		return true
	case reports.Rejected:
		return s.repeats && c.Has(targets.ModeReject) && len(c.Status) > 0 && judge.Matches(c, s.Exchange)
	}
	return false
}

// unproven reports whether nothing shows that an attempt came after the retention of its key, and takes that down.
func (w *world) unproven(s *sent) bool {
	if !expired(s.situation) || w.readable() {
		return false
	}
	if w.showsExpiry(s) {
		w.passage.shown = true
		return false
	}
	w.evidence.Unclear = append(w.evidence.Unclear, unreadClock)
	return true
}

// tellExpired says that a record came from expiry, so that nobody takes it for a second intent; and where nothing is
// documented, what was seen.
func (w *world) tellExpired(s, first *sent) {
	if !expired(s.situation) || first == nil {
		return
	}
	after := spell((s.entered.Sub(first.entered) + s.movedBefore - first.movedBefore).Round(time.Second))
	if s.disposition == reports.Created {
		w.passage.remark = "the last record comes from expiry"
		w.note(false, "the record of %q (%s) comes from expiry and not from a second intent: it was sent %s after %q, when the key was no longer kept (%s)",
			s.Name, s.id, after, first.Name, spell(endOfRetention(w.target.Profile)))
	}
	if s.permit.Name == judge.ContentFilter {
		w.note(false, "%q was sent %s after %q, when the key was no longer kept, and its content was still refused (content_filter)", s.Name, after, first.Name)
	}
	if s.permit.Name == "" || s.permit.Name == judge.RetentionMax {
		w.note(false, "%q was sent %s after %q, when the key was no longer kept, and was %s; what then happens is not documented (expired)",
			s.Name, after, first.Name, s.disposition)
	}
}

// provenArgs are the arguments of the verb clock_moved.
type provenArgs struct{}

// clockProven makes sure that the clock has moved at all, where that cannot be read: it moves it on until the key must
// have expired, and the key must behave so.
func (w *world) clockProven(ctx context.Context, _ provenArgs) error {
	if w.readable() || len(w.evidence.Findings) > 0 {
		return nil
	}
	first := w.history[0]
	p := w.target.Profile
	behaves := p.Expired.Provenance == targets.Documented && (p.Expired.Has(targets.ModeNewRecord) || p.Expired.Has(targets.ModeReject))
	if !behaves || endOfRetention(p) == 0 {
		return unclear("%s, or what becomes of a key after its retention (retention.max, expired)", unreadClock)
	}
	if err := w.moveClock(ctx, moveArgs{Moment: outside, Of: first.Name}); err != nil {
		return err
	}
	s, err := w.sendOne(ctx, sendArgs{As: "probe", KeyOf: first.Name})
	if err != nil {
		return err
	}
	if !w.showsExpiry(s) {
		return unclear("%s; also after the retention the key was %s", unreadClock, s.disposition)
	}
	if s.disposition == reports.Created {
		w.expect[s.scope()] = w.expected(s.scope()).Plus(judge.Exactly(1))
	}
	w.passage.shown = true
	w.note(false, "that the clock moved is shown by the key: after its retention %q was %s", s.Name, s.disposition)
	return nil
}
