package reports

import (
	"encoding/json"
	"fmt"
)

// Verdict is what is said of a case, or of a part of one. The order is the order of the constants, and a verdict only
// moves up: a proven duplicate stays a fail whatever happens later.
type Verdict int

// The verdicts, from the lowest to the highest.
const (
	NotRun Verdict = iota
	NotApplicable
	Pass
	Inconclusive
	Error
	Fail
)

var verdictNames = [...]string{"not-run", "not-applicable", "pass", "inconclusive", "error", "fail"}

// Verdicts lists every verdict in its order.
func Verdicts() []Verdict {
	return []Verdict{NotRun, NotApplicable, Pass, Inconclusive, Error, Fail}
}

// String gives the verdict's word.
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// Worse gives the higher of two verdicts.
func (v Verdict) Worse(other Verdict) Verdict { return max(v, other) }

// MarshalJSON writes the verdict's word.
func (v Verdict) MarshalJSON() ([]byte, error) { return json.Marshal(v.String()) }

// UnmarshalJSON reads the verdict's word.
func (v *Verdict) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read a verdict: %w", err)
	}
	for i, name := range verdictNames {
		if s == name {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("read a verdict: %q is none of %v", s, verdictNames)
}

// FindingKind is the word for one reason for a fail.
type FindingKind string

// The kinds of finding.
const (
	Duplicate          FindingKind = "duplicate"            // more records than are right
	Lost               FindingKind = "lost"                 // an answer claimed success and nothing exists
	Phantom            FindingKind = "phantom"              // a record exists though the target refused
	Overwritten        FindingKind = "overwritten"          // an earlier record took a later payload
	Leaked             FindingKind = "leaked"               // an answer shows what belongs to another identity
	Stuck              FindingKind = "stuck"                // never settles within the declared bound
	ReplayDiffers      FindingKind = "replay-differs"       // the replay is not the first answer
	WrongStatus        FindingKind = "wrong-status"         // not the documented answer
	SideEffectRepeated FindingKind = "side-effect-repeated" // one record, its side effects more than once
	KeyIgnored         FindingKind = "key-ignored"          // the key made no difference
	ServerError        FindingKind = "server-error"         // a 5xx where none is right
)

// FindingKinds lists every kind of finding.
func FindingKinds() []FindingKind {
	return []FindingKind{Duplicate, Lost, Phantom, Overwritten, Leaked, Stuck, ReplayDiffers, WrongStatus,
		SideEffectRepeated, KeyIgnored, ServerError}
}

// Disposition is what the target did with an attempt, derived from the exchange and the history.
type Disposition string

// The dispositions.
const (
	Created    Disposition = "created"
	Replayed   Disposition = "replayed"
	InProgress Disposition = "in-progress"
	Conflict   Disposition = "conflict"
	Rejected   Disposition = "rejected"
	HeldBack   Disposition = "held"
	Failed     Disposition = "failed"
	NoAnswer   Disposition = "no-answer"
)

// Dispositions lists every disposition.
func Dispositions() []Disposition {
	return []Disposition{Created, Replayed, InProgress, Conflict, Rejected, HeldBack, Failed, NoAnswer}
}
