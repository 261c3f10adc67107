package steps

import (
	"fmt"
	"path"
	"strings"
)

// Select keeps the cases whose address matches one of the globs in only (all when there are none) and none in skip. A
// glob without brackets also matches the rows of an outline: K2 selects K2[own-key]. A case that a selected one stands
// on comes along. A glob that is malformed or matches nothing is an error.
func Select(cases []Case, only, skip []string) ([]Case, error) {
	keep := map[string]bool{}
	for _, c := range cases {
		keep[c.ID] = len(only) == 0
	}
	if err := mark(cases, only, keep, true); err != nil {
		return nil, err
	}
	for _, c := range cases {
		if keep[c.ID] && c.After != "" {
			keep[c.After] = true
		}
	}
	if err := mark(cases, skip, keep, false); err != nil {
		return nil, err
	}
	var out []Case
	for _, c := range cases {
		if keep[c.ID] {
			out = append(out, c)
		}
	}
	return out, nil
}

func mark(cases []Case, globs []string, keep map[string]bool, value bool) error {
	for _, glob := range globs {
		matched := false
		for _, c := range cases {
			ok, err := matches(glob, c.ID)
			if err != nil {
				return fmt.Errorf("read the glob %q: %w", glob, err)
			}
			if ok {
				keep[c.ID], matched = value, true
			}
		}
		if !matched {
			return fmt.Errorf("no case is called %q (idemcheck list shows them all)", glob)
		}
	}
	return nil
}

// matches treats the brackets of an address as plain characters, so that K2[own-key] can be typed as it is shown.
func matches(glob, id string) (bool, error) {
	plain := strings.NewReplacer("[", `\[`, "]", `\]`)
	ok, err := path.Match(plain.Replace(glob), id)
	if err != nil || ok {
		return ok, err
	}
	base, _, row := strings.Cut(id, "[")
	if !row || strings.Contains(glob, "[") {
		return false, nil
	}
	return path.Match(glob, base)
}
