package judge

import (
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Attempted is one attempt as it is judged.
type Attempted struct {
	Exchange    targets.Exchange
	Result      *targets.Exchange // of its job, where it was only accepted and that has ended
	Disposition reports.Disposition
	ID          string            // record id in its answer
	First       *targets.Exchange // the exchange it repeats; nil when it repeats none, or when that had no answer
	FirstID     string
	Prior       *targets.Exchange // the exchange it repeats, or the result of its job, whatever that came to
	Coded       bool              // in-progress answers are documented with a code of their own
	KeyShared   bool              // its key was used before by another identity
	Replay      targets.Clause    // what the profile documents of a replay
	Async       *targets.Async    // what it documents of a write that is only accepted; nil where none is
	Volatile    []string          // pointers into the body that differ between any two answers
	Level       targets.Level     // of the scenario
}

// Opinion is what the judge says of one attempt.
type Opinion struct {
	Findings []reports.Finding
	Notes    []reports.Note
	Claims   []reports.ClaimRead // what was seen of the values of the profile that were consulted
	Unclear  string              // not empty: what was asked could not be tried, and why
}

// Attempt judges one attempt in its situation: whether its disposition is permitted and its answer is the documented
// one. How many records exist is judged apart (see Records).
func Attempt(s Situation, a Attempted, permit Permit) Opinion {
	return opinion(s, a, permit).with(modeRead(s, a, permit))
}

func opinion(s Situation, a Attempted, permit Permit) Opinion {
	if s == RefusalRepeated && sameRefusal(a) {
		return Opinion{}
	}
	if !permit.Allows(a.Disposition) && !sameError(a, permit) {
		return forbidden(s, a, permit)
	}
	var o Opinion
	if s == OtherForm || s == OtherCaller && !permit.Clause.Judged() {
		o.Notes = append(o.Notes, reports.Note{Text: fmt.Sprintf("%q, %s, was %s", a.Exchange.Name, s, describe(a))})
	}
	switch a.Disposition {
	case reports.Replayed:
		if isRepeat(s) {
			o = o.with(replayAnswer(a))
		}
	case reports.Created:
		o = firstAnswer(a).with(accepted(a))
	case reports.Conflict, reports.Rejected, reports.InProgress:
		if s != ReplayOfGone { // its clause speaks of replays, and how this is refused is nowhere said
			o = o.with(documented(a, permit))
		}
	}
	return o
}

// sameError reports whether an error that was taken for a replay is as well the one that is documented here: some targets
// have one answer for whatever bears a used key. After a documented ceiling there is none: the key is forgotten by then.
func sameError(a Attempted, permit Permit) bool {
	if a.Disposition != reports.Replayed || !a.Replay.Has(targets.ModePointerError) || !a.Replay.HasStatus(a.Exchange.Status) ||
		permit.Name == RetentionMax {
		return false
	}
	return (permit.Allows(reports.InProgress) || permit.Allows(reports.Conflict)) && Matches(permit.Clause, a.Exchange)
}

// forbidden names the finding for a disposition that is not permitted.
func forbidden(s Situation, a Attempted, permit Permit) Opinion {
	kind, hard, unclear := reason(s, a, permit)
	if unclear != "" {
		return Opinion{Unclear: unclear}
	}
	f := reports.Finding{
		Kind: kind, Question: reports.QuestionAnswer, Level: a.Level, Provenance: targets.Documented,
		Message:   fmt.Sprintf("%q is %s and was %s", a.Exchange.Name, s, describe(a)),
		Expected:  words(permit.Dispositions),
		Found:     string(a.Disposition),
		Exchanges: []string{a.Exchange.Name},
	}
	if a.ID != "" {
		f.IDs = []string{a.ID}
	}
	if hard {
		return Opinion{Findings: []reports.Finding{f}}
	}
	return byClaim(f, permit.Clause.Claim, "", "") // what it tells of the clause's mode is read of every attempt
}

// reason gives the kind of finding for a disposition that is not permitted, whether it is hard (of the scenario's own
// level, whatever the profile says), or why nothing can be said.
func reason(s Situation, a Attempted, permit Permit) (kind reports.FindingKind, hard bool, unclear string) {
	switch a.Disposition {
	case reports.NoAnswer:
		return "", false, fmt.Sprintf("%q had no answer: %s", a.Exchange.Name, a.Exchange.Err)
	case reports.Failed:
		return reports.ServerError, own(s) || s == RefusalRepeated || s == OtherForm, ""
	case reports.InProgress:
		if s == MismatchRunning || s == TogetherOther {
			return reports.WrongStatus, false, "" // the first does run; but another payload was sent
		}
		return reports.Stuck, true, ""
	case reports.HeldBack:
		return "", false, fmt.Sprintf("%q is held for an approval that the target file does not tell how to give", a.Exchange.Name)
	case reports.Replayed:
		return replayedWrongly(s, a)
	case reports.Created:
		return createdWrongly(s)
	case reports.Conflict:
		if s == OwnNamespace {
			return reports.Leaked, true, "" // the refusal itself tells of a key used elsewhere
		}
		if own(s) {
			return reports.KeyIgnored, true, ""
		}
	case reports.Rejected:
		if s == DocumentedKey {
			return reports.WrongStatus, false, ""
		}
		if own(s) || s == Unapproved && permit.Allows(reports.Created) {
			return "", false, fmt.Sprintf("%q was refused: %s", a.Exchange.Name, describe(a))
		}
	}
	if isRepeat(s) {
		return reports.ReplayDiffers, false, ""
	}
	if s == Corrected || s == TurnedAway {
		return reports.Stuck, true, ""
	}
	if s == AfterRefusal {
		return reports.Stuck, false, ""
	}
	return reports.WrongStatus, s == Unauthorized || s == Unapproved, ""
}

func replayedWrongly(s Situation, a Attempted) (reports.FindingKind, bool, string) {
	if !a.Exchange.Succeeded() && (s == Corrected || s == TurnedAway) {
		return reports.Stuck, true, "" // the key stands for a first result that there is none of
	}
	if s == Mismatch || s == MismatchRunning || s == TogetherOther || s == Expired || s == ExpiredOther || s == EqualContent || s == AfterWindow || isRepeat(s) {
		return reports.WrongStatus, false, ""
	}
	if s == Unauthorized || s == OwnNamespace || a.KeyShared {
		return reports.Leaked, true, ""
	}
	return reports.KeyIgnored, true, ""
}

func createdWrongly(s Situation) (reports.FindingKind, bool, string) {
	switch {
	case isRepeat(s) || s == RefusalRepeated:
		return reports.KeyIgnored, true, ""
	case s == Unauthorized || s == Unapproved:
		return reports.WrongStatus, true, ""
	case s == EqualContent:
		return reports.Duplicate, false, ""
	case s == Invalid || s == Refused:
		return "", false, "the target accepted what it should have refused"
	}
	return reports.WrongStatus, false, ""
}

func own(s Situation) bool {
	return s == OwnRequest || s == OwnNamespace || s == OddKey || s == DocumentedKey
}

func isRepeat(s Situation) bool {
	switch s {
	case Replay, ReplayOfGone, AfterLostAnswer, Together, WhileRunning:
		return true
	}
	return false
}

// byClaim gives a broken value the standing of its clause: a finding where it is documented, else a warning, else a
// note. The path of the value and what was seen in its place are for the comparison in the reports.
func byClaim(f reports.Finding, c targets.Claim, path, seen string) Opinion {
	o := standing(f, c)
	if path != "" {
		o.Claims = []reports.ClaimRead{Read(path, c, false, seen, strings.Join(f.Exchanges, ", "))}
	}
	return o
}

func standing(f reports.Finding, c targets.Claim) Opinion {
	f.Provenance, f.Source = c.Provenance, c.Source
	switch {
	case c.Judged():
		f.Level = c.Level
		return Opinion{Findings: []reports.Finding{f}}
	case c.Provenance == targets.Observed || c.Provenance == targets.Inferred:
		return Opinion{Notes: []reports.Note{{Warning: true, Text: f.Message + fmt.Sprintf(" (%s value: expected %s, found %s)", c.Provenance, f.Expected, f.Found)}}}
	}
	return Opinion{Notes: []reports.Note{{Text: f.Message + fmt.Sprintf(" (nothing documented; found %s)", f.Found)}}}
}

// describe says in words what an attempt came to: "answered 201 with the record D77".
func describe(a Attempted) string {
	text := fmt.Sprintf("answered %d", a.Exchange.Status)
	if a.ID != "" {
		text += " with the record " + a.ID
		if a.ID == a.FirstID {
			text += ", which is the first one's"
		}
	}
	return text + " (" + string(a.Disposition) + ")"
}

func words(d []reports.Disposition) string {
	out := make([]string, len(d))
	for i, one := range d {
		out[i] = string(one)
	}
	return strings.Join(out, " or ")
}
