package judge

import (
	"slices"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Situation is what an attempt amounts to, given what went before it. It decides which dispositions are permitted.
type Situation string

// The situations.
const (
	OwnRequest        Situation = "a request of its own"                  // a fresh identity: its own record
	OwnNamespace      Situation = "a request of its own in its namespace" // identical ids elsewhere: its own record there
	Replay            Situation = "a replay"                              // same identity, same payload, first answered
	ReplayOfGone      Situation = "a replay of a record that is gone"     // the record was deleted meanwhile
	AfterLostAnswer   Situation = "a retry after a lost answer"           // same, but nobody knows what became of the first
	Together          Situation = "a double send"                         // same, sent at the same moment
	TogetherOther     Situation = "a double send of another payload"
	TogetherOperation Situation = "a double send on another operation"
	MismatchRunning   Situation = "a mismatch while the first is running"
	WhileRunning      Situation = "a retry while the first is running" // same, the first provably runs
	Mismatch          Situation = "a mismatch"                         // same key, another payload of the same operation
	OtherIdentity     Situation = "another identity under a used key"  // same key, another target record
	OtherOperation    Situation = "another operation under a used key" // same key, another operation
	Unapproved        Situation = "an unapproved request"              // its own key, not approved for this record
	Unauthorized      Situation = "an unauthorized request"            // the caller lacks the operation's authorization
	MissingKey        Situation = "a request without a key"            //
	EmptyKey          Situation = "a request with an empty key"
	OddKey            Situation = "a request with a key that the target may refuse"
	Invalid           Situation = "an invalid request" // a body the target refuses
	Refused           Situation = "a request that the target was told to refuse or to fail"
	Corrected         Situation = "a retry after a failure"             // same key after a refused or failed first attempt
	Expired           Situation = "a reuse after the retention"         // same identity, when its key is no longer kept
	ExpiredOther      Situation = "another payload after the retention" // its key with another payload, then
	TurnedAway        Situation = "a retry after it was turned away"    // same key after a 401, 403 or 429
	RefusalRepeated   Situation = "a repeat of a refusal"               // same key after a refusal for a business reason that still holds
	AfterRefusal      Situation = "a retry after a refusal that holds no more"
	DocumentedKey     Situation = "a request with a key of a documented form"    // its own, and a refusal is a broken promise
	OtherForm         Situation = "a repeat with its key in another form"        // in quotes, or without
	OtherCaller       Situation = "a request of another caller under a used key" // same tenant, same payload
	EqualContent      Situation = "equal content under another key"              // which a content filter refuses
	AfterWindow       Situation = "equal content after the filter's window"      // under another key: its own record again
)

// Situations lists every situation with the words by which a scenario names it.
func Situations() []Situation {
	return []Situation{OwnRequest, OwnNamespace, Replay, ReplayOfGone, AfterLostAnswer, Together, TogetherOther, TogetherOperation,
		WhileRunning, MismatchRunning, Mismatch,
		OtherIdentity, OtherOperation, Unapproved, Unauthorized, MissingKey, EmptyKey, OddKey, Invalid, Refused, Corrected,
		TurnedAway, RefusalRepeated, AfterRefusal, DocumentedKey, OtherForm, OtherCaller, Expired, ExpiredOther,
		EqualContent, AfterWindow}
}

// Permit is what an attempt may have come to, and the documented answer it is held against.
type Permit struct {
	Dispositions []reports.Disposition
	Clause       targets.Clause // of the profile; the zero clause where none applies
	Name         string         // the clause's name in the profile, for messages
}

// Allows reports whether d is permitted.
func (p Permit) Allows(d reports.Disposition) bool { return slices.Contains(p.Dispositions, d) }

// Facts are what Permitted must know beside the profile.
type Facts struct {
	Approvals  bool   // the target knows approvals: an unapproved request must be held
	Revision   string // "new_operation": a new revision is a new operation, the target file says
	RecordRead bool   // a reading before the retry showed the record of the attempt whose answer was lost
	Prior      reports.Disposition
	// PriorStatus is the status of the attempt that is repeated.
	PriorStatus int
	// Filtered: a record with the same content was made before, and the filter's window is not certainly over.
	Filtered bool
	// Disposition is that of the attempt itself: which clause documents its answer may depend on it.
	Disposition reports.Disposition
}

// Permitted gives the dispositions that are right in a situation.
func Permitted(s Situation, p targets.Profile, f Facts) Permit {
	return filtered(s, permitted(s, p, f), p, f)
}

func permitted(s Situation, p targets.Profile, f Facts) Permit {
	switch s {
	case Replay:
		return Permit{list(reports.Replayed), p.Replay, "replay"}
	case ReplayOfGone:
		return Permit{list(reports.Replayed, reports.Rejected, reports.Conflict), p.Replay, "replay"}
	case AfterLostAnswer:
		return afterLostAnswer(p, f)
	case Together:
		return Permit{list(reports.Created, reports.Replayed, reports.InProgress), p.InFlight, "in_flight"}
	case WhileRunning:
		return whileRunning(p)
	case TogetherOther, MismatchRunning:
		return busy(mismatch(p, f), p, f)
	case TogetherOperation:
		return busy(otherOperation(p), p, f)
	case Mismatch:
		return mismatch(p, f)
	case OtherIdentity:
		return Permit{append(mismatch(p, f).Dispositions, reports.HeldBack), p.Mismatch, "mismatch"}
	case OtherOperation:
		return otherOperation(p)
	case Unapproved:
		return unapproved(f)
	case Unauthorized, Invalid:
		return Permit{Dispositions: list(reports.Rejected)}
	case MissingKey:
		return missingKey(p)
	case EmptyKey:
		return emptyKey(p)
	case OddKey:
		return Permit{Dispositions: list(reports.Created, reports.Rejected)}
	case DocumentedKey:
		return Permit{list(reports.Created), targets.Clause{Claim: p.Key.Claim}, "key"}
	case Refused:
		return Permit{Dispositions: list(reports.Rejected, reports.Failed)}
	case Corrected, TurnedAway, AfterRefusal:
		return corrected(s, p, f)
	case RefusalRepeated:
		return Permit{Dispositions: repeatOfFailure(p.Failures.Refusal, p, reports.Rejected)}
	case OtherForm:
		return Permit{Dispositions: list(reports.Replayed, reports.Created, reports.Rejected, reports.Conflict)}
	case OtherCaller:
		return otherCaller(p)
	case Expired, ExpiredOther:
		return expired(s, p, f)
	case EqualContent:
		return equalContent(p)
	case AfterWindow:
		return Permit{list(reports.Created), filterClause(p), ContentFilter}
	}
	return Permit{Dispositions: list(reports.Created)}
}

func list(d ...reports.Disposition) []reports.Disposition { return d }

// afterLostAnswer: once the record was seen, a second creation cannot be right any more. Before that the first attempt
// may never have arrived.
func afterLostAnswer(p targets.Profile, f Facts) Permit {
	if f.RecordRead {
		return Permit{list(reports.Replayed), p.Replay, "replay"}
	}
	return Permit{list(reports.Created, reports.Replayed), targets.Clause{}, ""}
}

func whileRunning(p targets.Profile) Permit {
	d := list(reports.InProgress, reports.Replayed)
	if known := len(p.InFlight.Mode) > 0 && !p.InFlight.Has(targets.ModeUndocumented); known && !p.InFlight.Has(targets.ModeWait) && !p.InFlight.Has(targets.ModePointer) {
		d = list(reports.InProgress)
	}
	return Permit{d, p.InFlight, "in_flight"}
}

// busy: while the first attempt runs, a target need not have compared the second with it yet. An in-progress answer is
// then held against what the profile says of those.
func busy(permit Permit, p targets.Profile, f Facts) Permit {
	if c := p.MismatchInFlight; permit.Name == "mismatch" && c.Provenance == targets.Documented && c.Has(targets.ModeReject) {
		return Permit{list(reports.Conflict), c, "mismatch_in_flight"}
	}
	permit.Dispositions = append(permit.Dispositions, reports.InProgress)
	if !known(p.InFlight) { // nobody says how to tell that from another refusal
		permit.Dispositions = append(permit.Dispositions, reports.Conflict, reports.Rejected)
	}
	if f.Disposition == reports.InProgress {
		permit.Clause, permit.Name = p.InFlight, "in_flight"
	}
	return permit
}

// mismatch follows the profile. Where it says nothing a refusal and a replay of the first are both possible; a new
// record is right only where somebody wrote so.
func mismatch(p targets.Profile, f Facts) Permit {
	permit := Permit{nil, p.Mismatch, "mismatch"}
	if f.Revision == "new_operation" {
		permit.Dispositions = list(reports.Created)
		permit.Clause = targets.Clause{}
		return permit
	}
	modes := map[string]reports.Disposition{
		targets.ModeReject:      reports.Conflict,
		targets.ModeReplayFirst: reports.Replayed,
		targets.ModeNewRecord:   reports.Created,
		targets.ModeOverwrite:   reports.Replayed,
	}
	for _, m := range p.Mismatch.Mode {
		if d, ok := modes[m]; ok && p.Mismatch.Provenance == targets.Documented {
			permit.Dispositions = append(permit.Dispositions, d)
		}
	}
	if passesBodies(p.Mismatch) && !permit.Allows(reports.Replayed) {
		permit.Dispositions = append(permit.Dispositions, reports.Replayed)
	}
	if len(permit.Dispositions) == 0 {
		permit.Dispositions = list(reports.Conflict, reports.Rejected)
		if p.Replay.Has(targets.ModeAck) {
			// A receiver acknowledges whatever it has seen; that it did not act is told by the count.
			permit.Dispositions = append(permit.Dispositions, reports.Replayed)
		}
	}
	return permit
}

// passesBodies reports whether a body, or most of it, is documented not to be compared: then another payload may as well be
// a replay. A query interface has no body whose members could be told from its query.
func passesBodies(c targets.Clause) bool {
	return c.Provenance == targets.Documented && len(c.Compares) > 0 &&
		!slices.Contains(c.Compares, "body") && !slices.Contains(c.Compares, "query")
}

func otherOperation(p targets.Profile) Permit {
	scope := p.Scope.Operation
	permit := Permit{nil, scope, "scope.operation"}
	switch {
	case scope.Provenance != targets.Documented || len(scope.Mode) == 0:
		permit.Dispositions = list(reports.Created, reports.Conflict, reports.Rejected)
		return permit
	case scope.Has(targets.ModeReject):
		permit.Dispositions = list(reports.Conflict, reports.Rejected)
	}
	if scope.Has(targets.ModeIsolated) {
		permit.Dispositions = append(permit.Dispositions, reports.Created)
	}
	if scope.Has(targets.ModeShared) {
		permit.Dispositions = append(permit.Dispositions, reports.Replayed)
	}
	return permit
}

func unapproved(f Facts) Permit {
	if f.Approvals {
		return Permit{Dispositions: list(reports.HeldBack)}
	}
	return Permit{Dispositions: list(reports.Created, reports.HeldBack)}
}

func missingKey(p targets.Profile) Permit {
	runs := p.Missing.Has(targets.ModeExecutes) || p.Missing.Has(targets.ModeServerGenerates)
	switch {
	case p.Missing.Provenance == targets.Documented && p.Missing.Has(targets.ModeReject) && !runs:
		return Permit{list(reports.Rejected), p.Missing, "missing"}
	case runs && !p.Missing.Has(targets.ModeReject):
		return Permit{list(reports.Created), p.Missing, "missing"}
	}
	return Permit{list(reports.Created, reports.Rejected), p.Missing, "missing"}
}

// emptyKey: an empty key is no key. A target that does without a key may still refuse one that says nothing.
func emptyKey(p targets.Profile) Permit {
	permit := missingKey(p)
	if !permit.Allows(reports.Rejected) {
		permit.Dispositions, permit.Clause, permit.Name = append(permit.Dispositions, reports.Rejected), targets.Clause{}, ""
	}
	return permit
}
