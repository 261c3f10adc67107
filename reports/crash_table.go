package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// crashFault says what is done at a point: in the sentence above the table, and in a word beside the point.
type crashFault struct{ fault, done, word string }

// crashFaults lists the faults of crash points. It is the only place that has words for them.
func crashFaults() []crashFault {
	return []crashFault{
		{"kill", "the target was killed and started again on the same data", "killed"},
		{"host-crash", "the target's host died without a word to the database, and the target was started again on the same data", "host died"},
		{"disconnect", "the client dropped its connection, and the target lived on", "connection dropped"},
		{"database-cut", "the target lost its connections to the database, and lived on", "database cut off"},
		{"hang-up", "the client hung up in the middle of its request, and the target lived on", "hung up"},
	}
}

// faultOf gives the words for a fault. One that is not known stands for itself.
func faultOf(fault string) crashFault {
	for _, f := range crashFaults() {
		if f.fault == fault {
			return f
		}
	}
	fault = cmp.Or(fault, "unnamed")
	return crashFault{fault, "the fault " + fault + " struck", fault}
}

// mixedFaults reports whether not all points had the same fault. Then each row names its own.
func mixedFaults(points []CrashPoint) bool {
	return slices.ContainsFunc(points, func(p CrashPoint) bool { return p.Fault != points[0].Fault })
}

// crashCaption says what was done at the points of a sweep.
func crashCaption(points []CrashPoint) string {
	done := "the fault that is named beside it struck"
	if len(points) > 0 && !mixedFaults(points) {
		done = faultOf(points[0].Fault).done
	}
	return "At each point " + done + ". Then the operation was sent again with the same key, and the records were counted."
}

// crashRow is one point of a sweep in words.
type crashRow struct {
	Point    string // its part: label, occurrence and side; with the fault in front where points differ in it
	Saw      string // what the client saw of the first attempt
	Retry    string // what the last retry came to
	Expected string
	Found    string // "?" where the count could not be taken
	Recovery string
	Why      string // why it did not pass, with the kind of the finding
	Verdict  Verdict
	Known    bool
}

// noWord stands where there is nothing to say.
const noWord = "–"

// neverSettled is said where no retry came to an end.
const neverSettled = "never within bound"

func newCrashRow(p CrashPoint, mixed bool) crashRow {
	r := crashRow{Point: p.Part, Saw: cmp.Or(p.Saw, noWord), Retry: retryText(p), Expected: cmp.Or(p.Expected, noWord), Found: "?",
		Recovery: recoveryText(p), Why: pointWhy(p), Verdict: p.Verdict, Known: p.Verdict == Fail && p.Known != ""}
	if mixed {
		r.Point = faultOf(p.Fault).word + ": " + p.Part
	}
	if p.Records != nil {
		r.Found = fmt.Sprint(*p.Records)
	}
	return r
}

// retryText is what the last retry came to: "201 replayed", "409 in-progress (12×)" where it was sent 12 times.
func retryText(p CrashPoint) string {
	var parts []string
	if p.Status != 0 {
		parts = append(parts, fmt.Sprint(p.Status))
	}
	if p.Retry != "" {
		parts = append(parts, string(p.Retry))
	}
	if p.Retries > 1 {
		parts = append(parts, fmt.Sprintf("(%d×)", p.Retries))
	}
	return cmp.Or(strings.Join(parts, " "), noWord)
}

// recoveryText is the time until a retry settled. Where nothing was sent again, or the fault never struck, none was
// waited for.
func recoveryText(p CrashPoint) string {
	switch {
	case p.RecoveryMS != nil && *p.RecoveryMS < 10:
		return fmt.Sprintf("%.1f ms", max(*p.RecoveryMS, 0))
	case p.RecoveryMS != nil:
		return words(time.Duration(min(*p.RecoveryMS, 1e12) * float64(time.Millisecond)))
	case p.Fired && p.Retries > 0:
		return neverSettled
	}
	return noWord
}

// pointWhy says why a point did not pass, beginning with the kind of its finding: "duplicate: 2 records for one key".
func pointWhy(p CrashPoint) string {
	if p.Verdict == Pass {
		return ""
	}
	reason := p.Reason
	if reason == "" && !p.Fired {
		reason = "the fault was not seen to strike"
	}
	if p.Known != "" {
		reason += " (known: " + p.Known + ")"
	}
	if kind := string(p.Finding); kind != "" && !strings.HasPrefix(reason, kind) {
		reason = strings.TrimSuffix(kind+": "+reason, ": ")
	}
	return clip(reason, mostText)
}

// pointReason is what a point that fails says of its case: "duplicate: INSERT INTO orders#1:after: 2 records for one key".
func pointReason(p CrashPoint) string {
	parts := []string{string(p.Finding), p.Part, strings.TrimPrefix(p.Reason, string(p.Finding)+": ")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// longestPart is how much of a point is shown where several stand in one sentence.
const longestPart = 80

// crashSummary counts the points of a sweep and names those that fail:
//
//	7 points: 4 pass, 2 fail (duplicate: INSERT INTO orders#1:after, COMMIT#1:after), 1 inconclusive
func crashSummary(points []CrashPoint) string {
	n := map[Verdict]int{}
	known := 0
	for _, p := range points {
		n[p.Verdict]++
		if p.Verdict == Fail && p.Known != "" {
			known++
		}
	}
	n[Fail] -= known
	var parts []string
	for _, v := range []Verdict{Pass, Fail, Error, Inconclusive, NotApplicable, NotRun} {
		if n[v] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n[v], strings.ReplaceAll(v.String(), "-", " "))
		if v == Fail {
			part += " (" + failingParts(points) + ")"
		}
		parts = append(parts, part)
	}
	if known > 0 {
		parts = append(parts, fmt.Sprintf("%d known", known))
	}
	return plural(len(points), "point", "points") + ": " + strings.Join(parts, ", ")
}

// failingParts names the points that fail, by the kind of their finding.
func failingParts(points []CrashPoint) string {
	var kinds []string
	parts := map[string][]string{}
	for _, p := range points {
		if p.Verdict != Fail || p.Known != "" {
			continue
		}
		kind := cmp.Or(string(p.Finding), "no finding")
		if parts[kind] == nil {
			kinds = append(kinds, kind)
		}
		parts[kind] = append(parts[kind], clipMiddle(p.Part, longestPart))
	}
	for i, kind := range kinds {
		kinds[i] = kind + ": " + list(parts[kind])
	}
	return strings.Join(kinds, "; ")
}

// failedPoint gives the first point that fails and is not known to; nil: none does.
func failedPoint(points []CrashPoint) *CrashPoint {
	for i := range points {
		if points[i].Verdict == Fail && points[i].Known == "" {
			return &points[i]
		}
	}
	return nil
}

// choosePoints picks the rows to show, in the order of the plan: the first of those that did not pass, and the first of
// those that did. It also says, in words, what it leaves out; empty: nothing.
func choosePoints(points []CrashPoint, passing, others int) (shown []CrashPoint, left string) {
	leftPassing, leftOthers := 0, 0
	for _, p := range points {
		room, more := &others, &leftOthers
		if p.Verdict == Pass {
			room, more = &passing, &leftPassing
		}
		if *room == 0 {
			*more++
			continue
		}
		*room--
		shown = append(shown, p)
	}
	var parts []string
	if leftOthers > 0 {
		parts = append(parts, plural(leftOthers, "more point that did not pass", "more points that did not pass"))
	}
	if leftPassing > 0 {
		parts = append(parts, plural(leftPassing, "more point that passed", "more points that passed"))
	}
	return shown, strings.Join(parts, " and ")
}
