package targets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxFileErrors is how many errors of one file are printed; more of them help nobody.
const maxFileErrors = 20

// FileError is one mistake in a target file or a profile, at the place where it stands. Lines and columns count from 1,
// columns in characters.
type FileError struct {
	File         string
	Line, Column int
	Msg          string // what is wrong, lower case, no final stop
	Hint         string // what to do about it; may be empty
}

// Error gives the mistake in one line: "file:line:column: msg (hint)".
func (e *FileError) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// FileErrors are all mistakes of one file, in the order of the file. Never empty when it is returned as an error.
type FileErrors []*FileError

// Error gives one line for each mistake, at most 20 of them.
func (l FileErrors) Error() string {
	lines := make([]string, 0, len(l))
	for i, e := range l {
		if i == maxFileErrors {
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

// sorted gives the errors in file order, each once: an anchor used twice would report its mistake twice.
func (l FileErrors) sorted() FileErrors {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b *FileError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(out, func(a, b *FileError) bool { return *a == *b })
}

// nearest gives the known name that a misspelt one most likely means: about a third of its letters differ at most.
func nearest(name string, known []string) (string, bool) {
	best, found := "", max(1, (len(name)+1)/3)+1
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
	if len(known) == 0 || len(known) > 26 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}
