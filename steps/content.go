package steps

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// A content filter is a second guard beside the key: it refuses equal content also under another key. A case that sends
// two writes means two, so what such a filter compares is other for each key, unless the case is about content.

// The variations of a body that are about content.
const (
	sameContent  = "same-content"  // that of the case's first request
	otherContent = "other-content" // one that the case has not sent yet
)

// contents numbers what the requests of a case say where a content filter compares.
type contents struct {
	of   map[string]int // by key
	last int
}

// withContent gives the operation with the content that goes with a key, and the variation that is left to be made.
func (w *world) withContent(op targets.Operation, key, body string) (targets.Operation, string, error) {
	members := w.target.Profile.ContentFilter.Members
	about := body == sameContent || body == otherContent
	switch {
	case about && len(members) == 0:
		return op, "", unclear("what %s is cannot be told: say which members a content filter compares (content_filter.members)", strings.ReplaceAll(body, "-", " "))
	case len(members) == 0 || op.Name != mainOperation(w.target).Name:
		return op, body, nil
	}
	n := w.contentFor(key, body)
	if about {
		return op.WithContent(members, n), "", nil
	}
	if n > 1 && w.c.ID != "" {
		w.note(false, "each key of this case has content of its own at %s, since the content filter would refuse a second write with the same (content_filter)",
			strings.Join(members, ", "))
	}
	return op.WithContent(members, n), body, nil
}

// contentFor gives the number of the content that goes with a key: a repeat has that of the first request, every other
// write one of its own.
func (w *world) contentFor(key, body string) int {
	c := &w.contents
	if c.of == nil {
		c.of = map[string]int{}
	}
	n, known := c.of[key]
	switch {
	case body == sameContent:
		n = 1
	case !known || key == "" || body == otherContent:
		n = c.last + 1
	}
	c.last = max(c.last, n)
	if !known {
		c.of[key] = n
	}
	return n
}

// equalBefore finds the latest attempt that made a record with the content of s in its namespace; nil when none did.
func (w *world) equalBefore(s *sent) *sent {
	for _, old := range slices.Backward(w.history) {
		if old != s && s.content != "" && old.content == s.content && old.scope() == s.scope() && old.disposition == reports.Created {
			return old
		}
	}
	return nil
}

// apart is how much later than another an attempt was carried out, by the target's time: at least and at most. A move that
// was not read off its clock may have made a key older, and nothing else.
func (w *world) apart(old, s *sent) (least, most time.Duration) {
	moved := s.movedBefore - old.movedBefore
	least, most = s.Began.Sub(old.Ended), s.Ended.Sub(old.Began)+moved
	if w.passage.read {
		least += moved
	}
	return least, most
}

// filteredOut reports whether the content filter may refuse an attempt for a record that was made before it.
func (w *world) filteredOut(s *sent) bool {
	old := w.equalBefore(s)
	if old == nil {
		return false
	}
	within := w.target.Profile.ContentFilter.Within.Std()
	least, _ := w.apart(old, s)
	return within == 0 || least < within
}

// inWindow makes sure that equal content came while it certainly counts as a repeat. Where it did not, a second record may
// be right.
func (w *world) inWindow(s, first *sent, situation judge.Situation) error {
	within := w.target.Profile.ContentFilter.Within.Std()
	if situation != judge.EqualContent || within == 0 || first == nil {
		return nil
	}
	if _, most := w.apart(first, s); most >= within {
		w.expect[s.scope()] = judge.Expectation{Min: 1, Max: len(w.history)}
		return unclear("%q was to come within %s of %q, and that took up to %s", s.Name, spell(within), first.Name, spell(most.Round(time.Millisecond)))
	}
	return nil
}

// readFilter tells what an attempt shows of the content filter.
func (w *world) readFilter(s *sent, a judge.Attempted) {
	f := w.target.Profile.ContentFilter
	if s.situation == judge.Replay && a.Disposition == reports.Rejected && mayFilter(f, s.told()) && w.equalBefore(s) != nil {
		w.note(true, "%q was refused as the content filter refuses equal content: that its key was looked at is not seen (see content-hides-no-key)", s.Name)
	}
	if s.permit.Name != judge.ContentFilter {
		return
	}
	created := a.Disposition == reports.Created
	refused := a.Disposition == reports.Rejected || a.Disposition == reports.Conflict || a.Disposition == reports.Replayed
	tell := func(name string, agrees bool) {
		read := judge.Read("content_filter."+name, f.Claim, agrees, judge.CameTo(a), a.Exchange.Name)
		if !created && !refused && read.State != reports.Undocumented {
			read.State = reports.NotTold
		}
		w.claim(read)
	}
	if s.situation == judge.AfterWindow {
		tell("within", created)
		return
	}
	tell("members", refused)
	if len(f.Compares) > 0 {
		tell("compares", refused)
	}
	if !w.passage.until.IsZero() {
		tell("within", refused)
	}
}

// exactly is how many records are right where n are, if no content filter is in the way of which nobody has said what it
// compares: what it may have refused is no loss then, and nothing can be told.
func (w *world) exactly(sc scope, n int) judge.Expectation {
	f := w.target.Profile.ContentFilter
	refused := 0
	for _, s := range w.history {
		own := s.scope() == sc && s.situation == judge.OwnRequest && s.disposition == reports.Rejected
		if own && unplaced(f) && w.creatorIn(sc) != nil && mayFilter(f, s.told()) {
			refused++
		}
	}
	if why := whatItCompares(f); refused > 0 && !slices.Contains(w.evidence.Unclear, why) {
		w.evidence.Unclear = slices.Insert(w.evidence.Unclear, 0, why) // the first is the one that is read
	}
	return judge.Expectation{Min: max(n-refused, 0), Max: n}
}

// unplaced reports whether there is said to be a filter, and not which members of a request it compares.
func unplaced(f targets.ContentFilter) bool { return f.Given() && len(f.Members) == 0 }

// mayFilter reports whether a refusal may be that of a content filter.
func mayFilter(f targets.ContentFilter, x targets.Exchange) bool {
	return len(f.Status) == 0 && x.Status < http.StatusInternalServerError || slices.Contains(f.Status, x.Status)
}

// whatItCompares says what to do about a filter of which the profile speaks and the target file does not.
func whatItCompares(f targets.ContentFilter) string {
	what := "content"
	if len(f.Compares) > 0 {
		what = strings.Join(f.Compares, ", ")
	}
	return fmt.Sprintf("a second write may have been refused by the second guard beside the key, which compares %s: say which members of the request those are (content_filter.members)", what)
}
