package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Read says what was seen of one value of the profile, for the comparison in the reports. It judges nothing: the findings
// do.
func Read(path string, c targets.Claim, agrees bool, seen, exchange string) reports.ClaimRead {
	state := reports.Held
	switch {
	case c.Provenance == targets.Unknown || c.Provenance == "":
		state = reports.Undocumented
	case !agrees:
		state = reports.Departed
	}
	return reports.ClaimRead{Claim: path, State: state, Seen: seen, Exchange: exchange}
}

// agreed is the opinion that an attempt has a documented value.
func agreed(a Attempted, path string, c targets.Claim, seen string) Opinion {
	return Opinion{Claims: []reports.ClaimRead{Read(path, c, true, seen, a.Exchange.Name)}}
}

// modeRead says what the disposition of an attempt tells of the mode of the clause that it was held against. A replay in
// the shape that is documented is told by the comparison with the first answer.
func modeRead(s Situation, a Attempted, permit Permit) Opinion {
	c := permit.Clause
	if permit.Name == "" || permit.Name == ContentFilter || c.Provenance == "" || permit.Name == replayClause && permit.Allows(reports.Replayed) && a.Disposition == reports.Replayed {
		return Opinion{}
	}
	same := sameError(a, permit)
	read := Read(permit.Name+".mode", c.Claim, same || permit.Allows(a.Disposition), CameTo(a), a.Exchange.Name)
	switch {
	case read.State == reports.Undocumented:
	case a.Disposition == reports.NoAnswer, a.Disposition == reports.HeldBack,
		read.State == reports.Held && !same && !tells(s, a, permit):
		read.State = reports.NotTold
	}
	return Opinion{Claims: []reports.ClaimRead{read}}
}

// replayClause is the name of the clause of replays in the profile.
const replayClause = "replay"

// tells reports whether a permitted disposition is what one of the clause's modes says. Others are permitted beside it:
// of two sends at once the one that is carried out tells nothing of what a target does with the other.
func tells(s Situation, a Attempted, permit Permit) bool {
	return slices.ContainsFunc(permit.Clause.Mode, func(mode string) bool {
		switch mode {
		case targets.ModeStored:
			return a.Prior != nil && a.Prior.Status == a.told().Status
		case targets.ModeWait:
			return s == WhileRunning && a.Disposition == reports.Replayed
		}
		return slices.Contains(shown[mode], a.Disposition)
	})
}

// shown lists the dispositions by which a target shows a mode.
var shown = map[string][]reports.Disposition{
	targets.ModeReject:          {reports.Conflict, reports.Rejected, reports.InProgress},
	targets.ModePointer:         {reports.InProgress},
	targets.ModeReplayFirst:     {reports.Replayed},
	targets.ModeOverwrite:       {reports.Replayed},
	targets.ModeNewRecord:       {reports.Created},
	targets.ModeExecutes:        {reports.Created},
	targets.ModeServerGenerates: {reports.Created},
	targets.ModeReExecuted:      {reports.Created},
	targets.ModeResumed:         {reports.Created},
	targets.ModeIsolated:        {reports.Created},
	targets.ModeShared:          {reports.Replayed},
	targets.ModeNever:           {reports.Replayed},
}

// CameTo says in few words what an attempt came to, without ids, so that equal sights read alike: "replayed (201)".
func CameTo(a Attempted) string {
	if a.Disposition == reports.NoAnswer || !a.Exchange.Answered() {
		return "no answer"
	}
	return fmt.Sprintf("%s (%d)", strings.ReplaceAll(string(a.Disposition), "-", " "), a.Exchange.Status)
}
