package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Position is a place in a file. Lines and columns count from 1; 0 means that it is not known.
type Position struct{ Line, Column int }

// FileError is one mistake in a scenario file, at the place where it stands.
type FileError struct {
	File string
	Position
	Msg  string // what is wrong, lower case, no final stop
	Hint string // what to do about it; may be empty
}

// Error gives the mistake in one line: "file:line:column: msg (hint)".
func (e *FileError) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// FileErrors are all mistakes of one file, in its order. Never empty when it is returned as an error.
type FileErrors []*FileError

// maxErrors is how many mistakes of one file are printed; more of them help nobody.
const maxErrors = 20

// Error gives one line for each mistake, at most 20 of them.
func (l FileErrors) Error() string {
	var lines []string
	for i, e := range l {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("%s: and %d more", e.File, len(l)-i))
			break
		}
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single FileError.
func (l FileErrors) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// sorted gives the mistakes in the order of the file, or nil where there are none.
func (l FileErrors) sorted() error {
	if len(l) == 0 {
		return nil
	}
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b *FileError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(out, func(a, b *FileError) bool { return *a == *b })
}

// Suggest is a hint for a name that is not among the known ones, in brackets; empty where none is near and the list long.
func Suggest(name string, known []string) string {
	if hint := suggest(name, known); hint != "" {
		return " (" + hint + ")"
	}
	return ""
}

// nearest gives the known name that a misspelt one most likely means: about a third of its letters differ at most, and of
// four letters two, since letters are often swapped.
func nearest(name string, known []string) (string, bool) {
	const longest = 200 // the distance takes time in the product of both lengths
	if len(name) > longest {
		return "", false
	}
	best, found := "", max(1, (len(name)+2)/3)+1
	for _, k := range known {
		if dist := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); dist < found {
			best, found = k, dist
		}
	}
	return best, best != ""
}

// suggest is the hint for a name that is not among the known ones: the nearest one, else the list where it is short.
func suggest(name string, known []string) string {
	if best, ok := nearest(name, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 || len(known) > 18 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}
