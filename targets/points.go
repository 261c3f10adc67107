package targets

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Side is where at a step the world stops.
type Side string

// The sides. After a reply was passed on is not among them: it is the same state of the database as before the next
// step, and the target would be killed while it already goes on.
const (
	Before Side = "before" // the step is not taken
	After  Side = "after"  // the step is taken, and the target never learns it
)

// Point is a place at which the target can be stopped: at the nth step with this label since the point was armed.
type Point struct {
	Label      string
	Occurrence int // from 1
	Side       Side
}

// String gives the address of the point, such as "INSERT INTO orders#1:after".
func (p Point) String() string { return fmt.Sprintf("%s#%d:%s", p.Label, p.Occurrence, p.Side) }

// ParsePoint reads what String has written.
func ParsePoint(s string) (Point, error) {
	colon, hash := strings.LastIndexByte(s, ':'), strings.LastIndexByte(s, '#')
	if hash < 1 || colon < hash {
		return Point{}, fmt.Errorf("crash point %q: not of the form LABEL#1:after", s)
	}
	n, err := strconv.Atoi(s[hash+1 : colon])
	if err != nil || n < 1 {
		return Point{}, fmt.Errorf("crash point %q: %q is no count from 1", s, s[hash+1:colon])
	}
	side := Side(s[colon+1:])
	if side != Before && side != After {
		return Point{}, fmt.Errorf("crash point %q: the side is neither before nor after", s)
	}
	return Point{Label: s[:hash], Occurrence: n, Side: side}, nil
}

// PointFault is what is done at a point.
type PointFault string

// The faults of a point.
const (
	Kill       PointFault = "kill"         // the target dies, and its database is told
	HostCrash  PointFault = "host-crash"   // the target's host dies: its database is not told
	Disconnect PointFault = "disconnect"   // the client hangs up; the target lives
	CutStore   PointFault = "database-cut" // the target loses its connections to the database, and lives
)

// Points finds the steps of a request at which the target can be stopped, and stops it there.
type Points interface {
	// About says in a few words what the steps are.
	About() string
	// Can reports whether a fault can be had at these points.
	Can(PointFault) bool
	// Record begins a dry run. The function that it gives ends it, with the labels of the steps that were taken.
	Record(context.Context) (stop func(context.Context) ([]string, error), err error)
	// Quiesce waits until for so long no step was taken, apart from those whose labels are to be ignored.
	Quiesce(ctx context.Context, quiet time.Duration, ignore map[string]bool) error
	// Arm waits for a point. When it is reached, the target stands still, atPoint is called, and then the fault takes
	// its course. Only one point is armed at a time.
	Arm(ctx context.Context, p Point, f PointFault, atPoint func()) (ArmedPoint, error)
	// Settle undoes what a host crash has left open.
	Settle()
}

// ArmedPoint is a point that waits to be reached.
type ArmedPoint interface {
	// Done is closed when the point has fired and everything is done, or when it cannot fire any more.
	Done() <-chan struct{}
	// Disarm gives the point up, unless it is being reached: then it waits until everything is done. It reports whether
	// the point has fired.
	Disarm() bool
}

// Preparing begins the labels of steps that only prepare a statement.
const Preparing = "prepare "

// PlanPoints gives the points of a sweep in the order of the first dry run: what every dry run has seen, minus the
// labels that were seen while the target was idle. Background queries drop out, and so does the preparing of
// statements: it changes nothing in the database, and happens whenever a pool hands out a connection that has not seen
// the statement.
//
// Quick plans the n+1 distinct states of a database that is used by one connection: before the first step, and after
// each. Otherwise both sides of each step are planned, which matters where the target does other things between two.
func PlanPoints(runs [][]string, idle []string, quick bool) []Point {
	var points []Point
	for _, p := range common(runs, idle) {
		if !quick || len(points) == 0 {
			points = append(points, Point{Label: p.Label, Occurrence: p.Occurrence, Side: Before})
		}
		points = append(points, Point{Label: p.Label, Occurrence: p.Occurrence, Side: After})
	}
	return points
}

// common gives the steps of the first run that all runs have, without a side.
func common(runs [][]string, idle []string) []Point {
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
	for _, label := range idle {
		delete(least, label)
	}
	maps.DeleteFunc(least, func(label string, _ int) bool { return strings.HasPrefix(label, Preparing) })
	var points []Point
	count := map[string]int{}
	for _, label := range runs[0] {
		if count[label] < least[label] {
			count[label]++
			points = append(points, Point{Label: label, Occurrence: count[label]})
		}
	}
	return points
}

// tally counts the steps per label.
func tally(run []string) map[string]int {
	n := map[string]int{}
	for _, label := range run {
		n[label]++
	}
	return n
}
