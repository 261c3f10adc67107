package judge

import (
	"net/http"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Context is what must be known beside an exchange to say what the target did with it.
type Context struct {
	Profile  targets.Profile
	Held     *targets.Held
	ID       string            // record id in the answer; "" when there is none
	Seen     map[string]bool   // record ids known before this answer, from answers and from readings
	KeyUsed  bool              // an earlier or concurrent attempt in the same namespace carried the same key
	SameAs   bool              // and the same operation and payload
	Resolved bool              // and every such attempt had been answered before this one was sent
	Expired  bool              // its retention is over
	Job      Job               // of a write that was only accepted: what became of it
	Result   *targets.Exchange // and the answer that says so
}

// Job is what is known of a write that is done after it was answered.
type Job string

// What a job can have come to. A write that is done when it is answered has none.
const (
	NoJob      Job = ""
	JobDone    Job = "done"
	JobBroke   Job = "broke"   // it has ended and written nothing
	JobRunning Job = "running" // it had not ended when it was last asked for
)

// Disposition says what the target did with an attempt. It follows from the exchange and the history (an id that was
// seen before, a key that was used before), never from the status alone.
func Disposition(x targets.Exchange, c Context) reports.Disposition {
	switch {
	case !x.Answered() || x.Failure != targets.NoFailure:
		return reports.NoAnswer
	case isHeld(x, c.Held):
		return reports.HeldBack
	case c.Job == JobRunning:
		return reports.InProgress
	case c.Job == JobBroke && c.Result != nil:
		return plainRefusal(*c.Result)
	case c.Job == JobBroke:
		return reports.Rejected
	case c.KeyUsed && c.SameAs && pointsAtFirst(x, c):
		return reports.Replayed
	case x.Succeeded() && !refused(x, c.Profile.Refused):
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
	return (len(h.Status) == 0 || clause.HasStatus(x.Status)) && targets.CodeIn(h.Code, x)
}

// refused reports whether an answer with a success status says that it is an error.
func refused(x targets.Exchange, r *targets.Refused) bool {
	return r != nil && targets.CodeIn(&r.Code, x)
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
		targets.CodeIn(r.Code, x)
}

func success(x targets.Exchange, c Context) reports.Disposition {
	switch {
	case c.ID != "" && c.Seen[c.ID]:
		return reports.Replayed
	case c.KeyUsed && Matches(c.Profile.InFlight, x) && c.Profile.InFlight.HasStatus(x.Status):
		return reports.InProgress
	case c.KeyUsed && c.SameAs && saysRepeat(c.Profile.Replay, x):
		// The first answer may have been lost, so that its id is new to us.
		return reports.Replayed
	case c.KeyUsed && c.ID == "" && c.Profile.Replay.Has(targets.ModeAck):
		// An acknowledgement looks like any other: only the count tells whether it acted twice.
		return reports.Replayed
	}
	return reports.Created
}

// saysRepeat reports whether a success says by itself that it is no first answer: by a marker that first answers do not
// have, or by the flag of an upsert.
func saysRepeat(r targets.Clause, x targets.Exchange) bool {
	if r.Has(targets.ModeUpsert) && r.Flag != nil && targets.CodeIn(r.Flag, x) {
		return true
	}
	return TellsRepeat(r.Marker, x)
}

// TellsRepeat reports whether an answer has the marker of a replay, and one that first answers do not have as well.
func TellsRepeat(m *targets.Marker, x targets.Exchange) bool {
	return HasMarker(m, x) && !firstMayHave(m, x.Answer.Get(m.Name), x.Key)
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
	case !c.SameAs && (x.Succeeded() || isClientError(x.Status) && !isAccess(x.Status)):
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
	return (len(c.Status) == 0 || c.HasStatus(x.Status)) && targets.CodeIn(c.Code, x)
}

// HasMarker reports whether the marker's header is in the answer with one of its values. A nil marker never is.
func HasMarker(m *targets.Marker, x targets.Exchange) bool {
	if m == nil || m.Name == "" {
		return false
	}
	got := x.Answer.Values(m.Name)
	for _, g := range got {
		for _, want := range m.Value {
			if g == strings.ReplaceAll(want, keyValue, x.Key) {
				return true
			}
		}
	}
	return len(m.Value) == 0 && len(got) > 0
}

// keyValue stands for the key in the value of a marker that echoes it.
const keyValue = "{{key}}"

// firstMayHave reports whether a first answer is said to have this value in the marker's header; "" for no such header.
func firstMayHave(m *targets.Marker, got, key string) bool {
	for _, v := range m.First {
		switch {
		case v == "any", v == "absent" && got == "", got != "" && got == strings.ReplaceAll(v, keyValue, key):
			return true
		}
	}
	return false
}
