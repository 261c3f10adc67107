package crash

import (
	"maps"
	"strings"
)

// Plan gives the points of a sweep in the order of the first dry run: what every dry run has seen, minus the labels that
// were seen while the target was idle. Background queries drop out, and so does the preparing of statements: it changes
// nothing in the database, and happens whenever a pool hands out a connection that has not seen the statement.
//
// Quick plans the n+1 distinct states of a database that is used by one connection: before the first unit, and after each.
// Otherwise both sides of each unit are planned, which matters where the target does other things between two units.
func Plan(runs [][]Unit, idle []Unit, quick bool) []Point {
	var points []Point
	for _, p := range common(runs, idle) {
		if !quick || len(points) == 0 {
			points = append(points, Point{Label: p.Label, Occurrence: p.Occurrence, Side: Before})
		}
		points = append(points, Point{Label: p.Label, Occurrence: p.Occurrence, Side: After})
	}
	return points
}

// common gives the units of the first run that all runs have, without a side.
func common(runs [][]Unit, idle []Unit) []Point {
	if len(runs) == 0 {
		return nil
	}
	least := tally(runs[0])
	for _, run := range runs[1:] {
		seen := tally(run)
		for label, n := range least {
			least[label] = min(n, seen[label])
		}
	}
	for _, u := range idle {
		delete(least, u.Label)
	}
	maps.DeleteFunc(least, func(label string, _ int) bool { return strings.HasPrefix(label, preparing) })
	var points []Point
	count := map[string]int{}
	for _, u := range runs[0] {
		if count[u.Label] < least[u.Label] {
			count[u.Label]++
			points = append(points, Point{Label: u.Label, Occurrence: count[u.Label]})
		}
	}
	return points
}

// tally counts the units per label.
func tally(run []Unit) map[string]int {
	n := map[string]int{}
	for _, u := range run {
		n[u.Label]++
	}
	return n
}
