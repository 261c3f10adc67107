package judge

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// shapes lists how a replay is compared with the first answer, by what the profile documents. A replay need only have
// one of the documented shapes.
var shapes = map[string]func(Attempted, targets.Clause) Opinion{
	targets.ModeIdentical:    identicalRecord,
	targets.ModeSameRecord:   sameRecord, // its body may be newer
	targets.ModePointerError: pointerError,
	targets.ModeUpsert:       upserted,
	targets.ModeAck:          acknowledged,
}

// replayAnswer compares a replay with the first answer, in the way the profile documents.
func replayAnswer(a Attempted) Opinion {
	if a.First == nil || !a.First.Answered() {
		return Opinion{}
	}
	c := a.Replay
	o := inAnyShape(a, c)
	if !slices.ContainsFunc(o.Claims, func(r reports.ClaimRead) bool { return r.Claim == replayMode }) {
		o = o.with(agreed(a, replayMode, c.Claim, CameTo(a)))
	}
	return o.with(replayStatus(a, c)).with(replayMarker(a, c.Marker))
}

// replayMode is where the profile says in which shape a replay comes.
const replayMode = replayClause + ".mode"

// otherShape is the opinion that a replay does not have the documented shape.
func otherShape(a Attempted, c targets.Clause, what, want, got string) Opinion {
	return byClaim(answerFinding(reports.ReplayDiffers, a, what, want, got), c.Claim, replayMode, what+": "+got+", not "+want)
}

func replayStatus(a Attempted, c targets.Clause) Opinion {
	found := strconv.Itoa(a.Exchange.Status)
	switch path := "replay.status"; {
	case len(c.Status) == 0:
		return Opinion{}
	case c.HasStatus(a.Exchange.Status):
		return agreed(a, path, c.Claim, found)
	default:
		return byClaim(answerFinding(reports.WrongStatus, a, "the documented status of a replay", numbers(c.Status), found), c.Claim, path, found)
	}
}

func replayMarker(a Attempted, m *targets.Marker) Opinion {
	if m == nil {
		return Opinion{}
	}
	found, path := orNothing(a.Exchange.Answer.Get(m.Name)), "replay.marker.name"
	var named Opinion
	if len(a.Exchange.Answer.Values(m.Name)) > 0 {
		named, path = agreed(a, path, m.Claim, m.Name), "replay.marker.value"
	}
	switch has := HasMarker(m, a.Exchange); {
	case has && len(m.Value) > 0:
		return named.with(agreed(a, path, m.Claim, found))
	case has:
		return named
	}
	return named.with(byClaim(answerFinding(reports.ReplayDiffers, a, "the header that marks a replay",
		m.Name+": "+strings.Join(m.Value, " or "), found), m.Claim, path, found))
}

// inAnyShape gives the opinion of the first documented shape that fits, else of the first one that is documented. Where
// none is, the record must be the same.
func inAnyShape(a Attempted, c targets.Clause) Opinion {
	var first *Opinion
	for _, mode := range c.Mode {
		compare, known := shapes[mode]
		if !known {
			continue
		}
		o := compare(a, c)
		if len(o.Findings) == 0 && !warned(o) {
			return o
		}
		if first == nil {
			first = &o
		}
	}
	if first == nil {
		return sameRecord(a, c)
	}
	return *first
}

func warned(o Opinion) bool {
	return slices.ContainsFunc(o.Notes, func(n reports.Note) bool { return n.Warning })
}

func sameRecord(a Attempted, c targets.Clause) Opinion {
	if a.ID == a.FirstID || a.FirstID == "" {
		return Opinion{}
	}
	return otherShape(a, c, "the first record's id", a.FirstID, orNothing(a.ID))
}

func identicalRecord(a Attempted, c targets.Clause) Opinion {
	return sameRecord(a, c).with(identical(a, c))
}

// pointerError wants an error; where the profile says where it names the first record, it must name that one.
func pointerError(a Attempted, c targets.Clause) Opinion {
	var o Opinion
	if a.Exchange.Succeeded() {
		found := strconv.Itoa(a.Exchange.Status)
		o = byClaim(answerFinding(reports.WrongStatus, a, "the error that points at the first result", numbers(c.Status), found),
			c.Claim, replayMode, CameTo(a))
	}
	return o.with(pointer(a, c, replayClause))
}

// pointer wants an error to name the first record where its clause, which has that name in the profile, says that it does.
func pointer(a Attempted, c targets.Clause, name string) Opinion {
	if c.ID == "" || a.FirstID == "" {
		return Opinion{}
	}
	named := a.ID
	if named == "" {
		named = targets.IDAt(c.ID, a.Exchange)
	}
	if named == a.FirstID {
		return agreed(a, name+".id", c.Claim, "the first record's id")
	}
	return byClaim(answerFinding(reports.ReplayDiffers, a, "the first record's id at "+c.ID, a.FirstID, orNothing(named)), c.Claim,
		name+".id", orNothing(named)+", not "+a.FirstID)
}

// upserted wants the first record, with the flag that nothing is new where one is documented.
func upserted(a Attempted, c targets.Clause) Opinion {
	o := sameRecord(a, c)
	if c.Flag == nil {
		return o
	}
	found, path := orNothing(targets.CodeFound(c.Flag, a.Exchange)), "replay.flag"
	if targets.CodeIn(c.Flag, a.Exchange) {
		return o.with(agreed(a, path, c.Claim, found))
	}
	return o.with(byClaim(answerFinding(reports.ReplayDiffers, a, "the flag that nothing is new",
		c.Flag.At+": "+strings.Join(c.Flag.In, " or "), found), c.Claim, path, found))
}

// acknowledged asks for no more than a success: whether it acted twice is told by the count.
func acknowledged(a Attempted, c targets.Clause) Opinion {
	if a.Exchange.Succeeded() {
		return Opinion{}
	}
	found := strconv.Itoa(a.Exchange.Status)
	return byClaim(answerFinding(reports.WrongStatus, a, "an acknowledgement", "2xx", found), c.Claim, replayMode, found)
}

// firstAnswer holds the answer to a request of its own against what is documented of the marker: it is no replay.
func firstAnswer(a Attempted) Opinion {
	m := a.Replay.Marker
	if m == nil || len(m.First) == 0 || a.Exchange.Key == "" { // what came without a key is marked by nobody
		return Opinion{}
	}
	got, path := a.Exchange.Answer.Get(m.Name), "replay.marker.first"
	if firstMayHave(m, got, a.Exchange.Key) {
		return agreed(a, path, m.Claim, cmp.Or(got, "absent"))
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "what is documented of the header "+m.Name+" on a first answer",
		strings.Join(m.First, " or "), orNothing(got)), m.Claim, path, orNothing(got))
}

// ownHeaders are those that a server makes anew for each answer, or that belong to the connection.
var ownHeaders = []string{"Connection", "Content-Length", "Date", "Keep-Alive", "Trailer", "Transfer-Encoding", "Alt-Svc"}

// comparedHeaders lists the headers that an identical replay repeats. Media type, Location and ETag are what a client acts
// on; further ones are compared where the profile says so.
func comparedHeaders(c targets.Clause, first, again http.Header) []string {
	list := []string{"Content-Type", "Location", http.CanonicalHeaderKey("ETag")}
	for _, name := range c.Headers {
		if name != "*" {
			list = append(list, http.CanonicalHeaderKey(name))
			continue
		}
		for _, h := range []http.Header{first, again} {
			for other := range h {
				if !slices.Contains(ownHeaders, other) && (c.Marker == nil || !strings.EqualFold(other, c.Marker.Name)) {
					list = append(list, other)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
