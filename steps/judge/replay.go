package judge

import (
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
	if len(c.Status) > 0 && !c.HasStatus(a.Exchange.Status) {
		o = o.with(byClaim(answerFinding(reports.WrongStatus, a, "the documented status of a replay", numbers(c.Status),
			strconv.Itoa(a.Exchange.Status)), c.Claim))
	}
	if c.Marker != nil && !HasMarker(c.Marker, a.Exchange) {
		o = o.with(byClaim(answerFinding(reports.ReplayDiffers, a, "the header that marks a replay",
			c.Marker.Name+": "+strings.Join(c.Marker.Value, " or "), orNothing(a.Exchange.Answer.Get(c.Marker.Name))), c.Marker.Claim))
	}
	return o
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
	return byClaim(answerFinding(reports.ReplayDiffers, a, "the first record's id", a.FirstID, orNothing(a.ID)), c.Claim)
}

func identicalRecord(a Attempted, c targets.Clause) Opinion {
	return sameRecord(a, c).with(identical(a, c))
}

// pointerError wants an error; where the profile says where it names the first record, it must name that one.
func pointerError(a Attempted, c targets.Clause) Opinion {
	var o Opinion
	if a.Exchange.Succeeded() {
		o = byClaim(answerFinding(reports.WrongStatus, a, "the error that points at the first result", numbers(c.Status),
			strconv.Itoa(a.Exchange.Status)), c.Claim)
	}
	return o.with(pointer(a, c))
}

// pointer wants an error to name the first record where its clause says that it does.
func pointer(a Attempted, c targets.Clause) Opinion {
	if c.ID == "" || a.FirstID == "" {
		return Opinion{}
	}
	named := a.ID
	if named == "" {
		named = targets.IDAt(c.ID, a.Exchange)
	}
	if named == a.FirstID {
		return Opinion{}
	}
	return byClaim(answerFinding(reports.ReplayDiffers, a, "the first record's id at "+c.ID, a.FirstID, orNothing(named)), c.Claim)
}

// upserted wants the first record, with the flag that nothing is new where one is documented.
func upserted(a Attempted, c targets.Clause) Opinion {
	o := sameRecord(a, c)
	if c.Flag != nil && !targets.CodeIn(c.Flag, a.Exchange) {
		o = o.with(byClaim(answerFinding(reports.ReplayDiffers, a, "the flag that nothing is new",
			c.Flag.At+": "+strings.Join(c.Flag.In, " or "), orNothing(targets.CodeFound(c.Flag, a.Exchange))), c.Claim))
	}
	return o
}

// acknowledged asks for no more than a success: whether it acted twice is told by the count.
func acknowledged(a Attempted, c targets.Clause) Opinion {
	if a.Exchange.Succeeded() {
		return Opinion{}
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "an acknowledgement", "2xx", strconv.Itoa(a.Exchange.Status)), c.Claim)
}

// firstAnswer holds the answer to a request of its own against what is documented of the marker: it is no replay.
func firstAnswer(a Attempted) Opinion {
	m := a.Replay.Marker
	if m == nil || len(m.First) == 0 || a.Exchange.Key == "" { // what came without a key is marked by nobody
		return Opinion{}
	}
	got := a.Exchange.Answer.Get(m.Name)
	if firstMayHave(m, got, a.Exchange.Key) {
		return Opinion{}
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "what is documented of the header "+m.Name+" on a first answer",
		strings.Join(m.First, " or "), orNothing(got)), m.Claim)
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
