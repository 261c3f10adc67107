package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Comparison is a matrix of runs × cases: the same target at several versions, or several targets.
type Comparison struct {
	Runs  []ComparedRun  `json:"runs"`  // in the order in which they were given
	Cases []ComparedCase `json:"cases"` // in the order of the plans
}

// ComparedRun is one column of a Comparison.
type ComparedRun struct {
	Name    string    `json:"name"` // told apart from every other column
	Run     string    `json:"run"`
	Started time.Time `json:"started"`
	Profile string    `json:"profile,omitempty"`
	Whole   []string  `json:"whole,omitempty"` // what is wrong with the run as a whole
	Summary Summary   `json:"summary"`
	Outcome Outcome   `json:"outcome"`
}

// ComparedCase is one row of a Comparison.
type ComparedCase struct {
	ID     string         `json:"id"`
	Title  string         `json:"title,omitempty"`
	Cells  []ComparedCell `json:"cells"` // one for each run
	Change Change         `json:"change,omitempty"`
}

// ComparedCell is what one run says of one case.
type ComparedCell struct {
	Missing bool    `json:"missing,omitempty"` // the run does not have the case; nothing else is set
	Verdict Verdict `json:"verdict"`
	Word    string  `json:"word"`                   // the verdict as reports name it: "FAIL", "fail (known)"
	Kinds   string  `json:"kinds,omitempty"`        // of the findings: "duplicate, leaked"
	Points  string  `json:"crash_points,omitempty"` // the crash points that fail; moments are left out, as no two runs have the same
}

// Change says how the runs differ in one case.
type Change string

// The changes. From the first run that says pass or fail to the last one that does, a case broke or was fixed; where
// these two agree, and any two runs do not, it differs. A run that does not have the case says nothing.
const (
	Unchanged Change = ""
	Broke     Change = "broke"
	Fixed     Change = "fixed"
	Differs   Change = "differs"
)

// Compare sets the runs side by side. Cases are the same where their addresses are.
func Compare(reports []Report) Comparison {
	var out Comparison
	row := map[string]int{}
	for i, r := range reports {
		out.Runs = append(out.Runs, comparedRun(r))
		for _, c := range r.Cases {
			at, known := row[c.ID]
			if !known {
				at = len(out.Cases)
				row[c.ID] = at
				out.Cases = append(out.Cases, newComparedCase(c, len(reports)))
			}
			cell := &out.Cases[at].Cells[i]
			if cell.Missing || c.Verdict > cell.Verdict { // a case that a report has twice is as bad as the worse
				*cell = comparedCell(c, r.About.Strict)
			}
		}
	}
	nameApart(out.Runs)
	for i := range out.Cases {
		out.Cases[i].Change = changeOf(out.Cases[i].Cells)
	}
	return out
}

func comparedRun(r Report) ComparedRun {
	out := ComparedRun{
		Name: cmp.Or(r.About.Target, r.About.URL, r.Run), Run: r.Run, Started: r.Started, Profile: r.About.Profile,
		Summary: r.Summary, Outcome: r.Outcome,
	}
	for _, c := range runCases(r) {
		out.Whole = append(out.Whole, whyText(c))
	}
	return out
}

// nameApart adds to names that several runs share what tells them apart: when they began, else their run ids, else their
// places.
func nameApart(runs []ComparedRun) {
	for _, more := range []func(int) string{
		func(i int) string { return runs[i].Started.UTC().Format("2006-01-02 15:04") },
		func(i int) string { return runs[i].Run },
		func(i int) string { return fmt.Sprintf("report %d", i+1) },
	} {
		said := map[string][]string{} // by name, what the runs of that name would add
		for i, r := range runs {
			if !slices.Contains(said[r.Name], more(i)) {
				said[r.Name] = append(said[r.Name], more(i))
			}
		}
		for i, r := range runs {
			if len(said[r.Name]) > 1 {
				runs[i].Name += " · " + more(i)
			}
		}
	}
}

func newComparedCase(c Case, runs int) ComparedCase {
	out := ComparedCase{ID: c.ID, Title: c.Title, Cells: make([]ComparedCell, runs)}
	for i := range out.Cells {
		out.Cells[i].Missing = true
	}
	return out
}

func comparedCell(c Case, strict bool) ComparedCell {
	cell := ComparedCell{Verdict: c.Verdict, Word: verdictWord(c, strict)}
	if c.Verdict != Fail {
		return cell
	}
	var kinds []string
	for _, f := range c.Findings {
		if !slices.Contains(kinds, string(f.Kind)) {
			kinds = append(kinds, string(f.Kind))
		}
	}
	cell.Kinds = strings.Join(kinds, ", ")
	var points []string
	for _, p := range c.Points {
		if p.Verdict == Fail && p.Label != "" {
			points = append(points, clipMiddle(p.Part, longestPart))
		}
	}
	cell.Points = strings.Join(points, ", ")
	return cell
}

func changeOf(cells []ComparedCell) Change {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c ComparedCell) bool { return c.Missing })
	told := slices.DeleteFunc(slices.Clone(cells), func(c ComparedCell) bool { return c.Verdict != Pass && c.Verdict != Fail })
	if len(told) > 1 {
		switch first, last := told[0].Verdict, told[len(told)-1].Verdict; {
		case first == Pass && last == Fail:
			return Broke
		case first == Fail && last == Pass:
			return Fixed
		}
	}
	for _, c := range cells {
		if c != cells[0] {
			return Differs
		}
	}
	return Unchanged
}

// Partial counts the cases that not every run has.
func (c Comparison) Partial() int {
	n := 0
	for _, row := range c.Cases {
		if slices.ContainsFunc(row.Cells, func(cell ComparedCell) bool { return cell.Missing }) {
			n++
		}
	}
	return n
}

// Changed lists the addresses of the cases with that change.
func (c Comparison) Changed(change Change) []string {
	var ids []string
	for _, row := range c.Cases {
		if row.Change == change {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
