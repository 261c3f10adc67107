package judge

import (
	"net/http"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Context is what must be known beside an exchange to say what the target did with it.
type Context struct {
	Profile  targets.Profile
	Held     *targets.Held
	ID       string          // record id in the answer; "" when there is none
	Seen     map[string]bool // record ids known before this answer, from answers and from readings
	KeyUsed  bool            // an earlier or concurrent attempt in the same namespace carried the same key
	SameAs   bool            // and the same operation and payload
	Resolved bool            // and every such attempt had been answered before this one was sent
	Expired  bool            // its retention is over
}

// Disposition says what the target did with an attempt. It follows from the exchange and the history (an id that was
// seen before, a key that was used before), never from the status alone.
func Disposition(x targets.Exchange, c Context) reports.Disposition {
	switch {
	case !x.Answered() || x.Failure != targets.NoFailure:
		return reports.NoAnswer
	case isHeld(x, c.Held):
		return reports.HeldBack
	case c.KeyUsed && pointsAtFirst(x, c):
		return reports.Replayed
	case x.Succeeded():
		return success(x, c)
	case c.Expired && known(c.Profile.Expired) && Matches(c.Profile.Expired, x):
		return reports.Rejected // the same status may stand for a mismatch of a key that is kept
	case c.KeyUsed:
		return refusedReuse(x, c)
	}
	return plainRefusal(x)
}

func isHeld(x targets.Exchange, h *targets.Held) bool {
	if h == nil || len(h.Status)+codes(h.Code) == 0 {
		return false
	}
	clause := targets.Clause{Status: h.Status}
	return (len(h.Status) == 0 || clause.HasStatus(x.Status)) && targets.CodeMatches(h.Code, x.Content)
}

func codes(c *targets.Code) int {
	if c == nil {
		return 0
	}
	return len(c.In)
}

// pointsAtFirst recognises the replay shape in which an error names the first result (GoCardless, NetSuite).
func pointsAtFirst(x targets.Exchange, c Context) bool {
	r := c.Profile.Replay
	return r.Has(targets.ModePointerError) && !x.Succeeded() && r.HasStatus(x.Status) &&
		targets.CodeMatches(r.Code, x.Content)
}

func success(x targets.Exchange, c Context) reports.Disposition {
	switch {
	case c.ID != "" && c.Seen[c.ID]:
		return reports.Replayed
	case c.KeyUsed && Matches(c.Profile.InFlight, x) && c.Profile.InFlight.HasStatus(x.Status):
		return reports.InProgress
	case c.KeyUsed && c.SameAs && HasMarker(c.Profile.Replay.Marker, x.Answer):
		// The first answer may have been lost, so that its id is new to us.
		return reports.Replayed
	}
	return reports.Created
}

// refusedReuse tells the refusals of a used key apart. Where one status stands for both, the history decides: nothing
// can be in progress when every earlier attempt was answered, and nothing mismatches when the payload is the same.
func refusedReuse(x targets.Exchange, c Context) reports.Disposition {
	inFlight := known(c.Profile.InFlight) && Matches(c.Profile.InFlight, x)
	mismatch := known(c.Profile.Mismatch) && Matches(c.Profile.Mismatch, x)
	switch {
	case inFlight && mismatch && c.SameAs:
		return reports.InProgress
	case inFlight && mismatch:
		return reports.Conflict
	case inFlight && (c.SameAs || !c.Resolved):
		return reports.InProgress
	case mismatch:
		return reports.Conflict
	case !c.SameAs && isClientError(x.Status) && !isAccess(x.Status):
		return reports.Conflict
	}
	return plainRefusal(x)
}

func plainRefusal(x targets.Exchange) reports.Disposition {
	if x.Status >= http.StatusInternalServerError {
		return reports.Failed
	}
	return reports.Rejected
}

func isClientError(status int) bool { return status >= 400 && status < 500 }

// isAccess names the statuses that speak of the caller and not of the key.
func isAccess(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusNotFound:
		return true
	}
	return false
}

// known reports whether the clause says how its answer looks.
func known(c targets.Clause) bool { return len(c.Status) > 0 || codes(c.Code) > 0 }

// Matches reports whether an answer has one of the clause's statuses and one of its codes, as far as it names any.
func Matches(c targets.Clause, x targets.Exchange) bool {
	return (len(c.Status) == 0 || c.HasStatus(x.Status)) && targets.CodeMatches(c.Code, x.Content)
}

// HasMarker reports whether the marker's header is there with one of its values. A nil marker never is.
func HasMarker(m *targets.Marker, h http.Header) bool {
	if m == nil || m.Name == "" {
		return false
	}
	got := h.Values(m.Name)
	for _, g := range got {
		for _, want := range m.Value {
			if g == want {
				return true
			}
		}
	}
	return len(m.Value) == 0 && len(got) > 0
}
