package reports

import (
	"fmt"
	"strings"
)

// pointsRoom is how many bytes the crash table of one case has at most: the next case has findings too.
const pointsRoom = 10 << 10

// markdownPoints gives the crash table of a case, which is visible already, in at most about room bytes. Points that did
// not pass come before those that did when the room is shared out, but the rows stay in the order of the plan.
func markdownPoints(c Case, room int, passing bool) string {
	if len(c.Points) == 0 {
		return ""
	}
	head := fmt.Sprintf("%s\n\n%s\n\n", markdownText(crashSummary(c.Points), findingRoom), markdownText(crashCaption(c.Points), findingRoom))
	table := tableHead("verdict", "point", "client saw", "retry", "expected", "found", "recovery", "why")
	rows, left := markdownRows(c.Points, room-len(head)-len(table), passing)
	if rows == "" {
		return head
	}
	if left > 0 {
		rows += fmt.Sprintf("\n*%s left out here; the JSON report has everything.*\n", plural(left, "more point is", "more points are"))
	}
	return head + table + rows + "\n"
}

// markdownRows gives the rows that fit into room, and how many points have none.
func markdownRows(points []CrashPoint, room int, passing bool) (text string, left int) {
	mixed := mixedFaults(points)
	rows := make([]string, len(points))
	full := false
	for _, pass := range []bool{false, true} {
		for i, p := range points {
			if (p.Verdict == Pass) != pass || pass && !passing || full {
				continue
			}
			row := markdownPoint(newCrashRow(p, mixed))
			if full = len(row) > room; !full {
				rows[i] = row
				room -= len(row)
			}
		}
	}
	for _, row := range rows {
		if row == "" {
			left++
		}
	}
	return strings.Join(rows, ""), left
}

func markdownPoint(r crashRow) string {
	verdict := strings.ReplaceAll(r.Verdict.String(), "-", " ")
	switch {
	case r.Known:
		verdict = "fail (known)"
	case r.Verdict == Fail:
		verdict = "**fail**"
	}
	return tableRow(verdict, markdownText(clipMiddle(r.Point, 160), 300), markdownText(r.Saw, 150), markdownText(r.Retry, 80),
		markdownText(r.Expected, 60), r.Found, r.Recovery, markdownText(r.Why, 300))
}
