package main

import (
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// otherModes lists the behaviours of a clause that it can be flipped to: the first that is not documented. The last ones are
// no modes of the clause: where both that there are may be shown, only neither is wrong.
var otherModes = map[string][]string{
	"replay":             {targets.ModeSameRecord, targets.ModePointerError},
	"mismatch":           {targets.ModeReject, targets.ModeReplayFirst},
	"mismatch_in_flight": {targets.ModeReject, targets.ModeReplayFirst},
	"in_flight":          {targets.ModeWait, targets.ModeReject, targets.ModeExecutes},
	"missing":            {targets.ModeReject, targets.ModeExecutes, targets.ModeNever},
	"expired":            {targets.ModeNever, targets.ModeNewRecord},
	"failures":           {targets.ModeStored, targets.ModeReExecuted},
	"scope":              {targets.ModeShared, targets.ModeIsolated},
}

// runsInstead is the behaviour that a clause is flipped to where every repeat is refused, so that a replay of the first
// answer would be a refusal as well.
var runsInstead = map[string]string{"mismatch": targets.ModeNewRecord, "in_flight": targets.ModeExecutes}

// otherMode gives a behaviour that a clause of a profile does not document; empty where there is none.
func otherMode(p targets.Profile, section string, c targets.Clause) string {
	kind, _, _ := strings.Cut(section, ".")
	if c.Has(targets.ModeAck) {
		return targets.ModePointerError // any success acknowledges
	}
	if c.Has(targets.ModePointerError) {
		return targets.ModeIdentical // the record with the status of the error would still be that error
	}
	if c.Has(targets.ModePointer) {
		return targets.ModeExecutes // whoever waits, or is refused, is pointed to the first all the same
	}
	if runs := runsInstead[section]; runs != "" && p.Replay.Has(targets.ModePointerError) {
		return runs
	}
	for _, mode := range otherModes[kind] {
		if !c.Has(mode) {
			return mode
		}
	}
	return ""
}
