package reference

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// Defect is one known fault of the reference API, as listed by Defects and
// switched on by Options.Defects.
type Defect struct {
	// Name switches the defect on.
	Name string
	// Class is the class of fault it stands for, and Report the public report
	// that shows this class best ("B01"). Both are empty where the defect
	// comes from a rule of the design and not from a report.
	Class, Report string
	// Summary says in one sentence what the server then does.
	Summary string
	// Breaks lists the built-in cases that must find the defect.
	Breaks []Break
	// Blurs lists the built-in cases that cannot tell any more, because the
	// defect is one of a lever that they pull: they must be inconclusive.
	Blurs []string

	// window is the default of the defect's parameter; 0: it takes none.
	window time.Duration
}

// Break names a built-in case and what it must find.
type Break struct {
	Case, Finding string
}

// Defects returns all known defects in the order of the table.
func Defects() []Defect {
	all := make([]Defect, 0, len(defectTable))
	for _, d := range defectTable {
		d.Breaks, d.Blurs = slices.Clone(d.Breaks), slices.Clone(d.Blurs)
		all = append(all, d)
	}
	return all
}

// faults says which defects are on, and with which parameter.
type faults struct {
	on     [len(defectTable)]bool
	window [len(defectTable)]time.Duration
}

// CheckDefects reports the first of the given defects that is unknown, with the nearest known name, or has a parameter
// that it cannot take.
func CheckDefects(given []string) error {
	_, err := parseFaults(given)
	return err
}

// parseFaults reads defects given as "name" or "name=duration".
func parseFaults(given []string) (faults, error) {
	var f faults
	for _, text := range given {
		name, value, hasValue := strings.Cut(text, "=")
		d := slices.IndexFunc(defectTable[:], func(d Defect) bool { return d.Name == name })
		if d < 0 {
			return f, fmt.Errorf("unknown defect %q: did you mean %q?", name, nearestDefect(name))
		}
		f.on[d], f.window[d] = true, defectTable[d].window
		if !hasValue {
			continue
		}
		if defectTable[d].window == 0 {
			return f, fmt.Errorf("defect %q takes no value, got %q", name, value)
		}
		window, err := time.ParseDuration(value)
		if err != nil || window < 0 {
			return f, fmt.Errorf("defect %q wants a duration such as %q, got %q", name, defectTable[d].window, value)
		}
		f.window[d] = window
	}
	return f, nil
}

// broken reports whether a defect is switched on. Every defect has one place
// in the code that asks for it.
func (s *Server) broken(d defect) bool { return s.faults.on[d] }

// nearestDefect returns the known name with the smallest edit distance.
func nearestDefect(name string) string {
	return slices.MinFunc(defectTable[:], func(a, b Defect) int {
		return levenshtein.ComputeDistance(name, a.Name) - levenshtein.ComputeDistance(name, b.Name)
	}).Name
}
