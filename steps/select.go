package steps

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Select keeps the cases whose address matches one of the globs in only (all when there are none) and none in skip. A
// glob without brackets also matches the rows of an outline: K2 selects K2[own-key]. What stands behind a slash is a glob
// for the parts of a sweep: 'crash/COMMIT#1:after' selects the case crash with that point alone. A case that a selected
// one stands on comes along. A glob that is malformed or matches nothing is an error; whether a part exists is known only
// when the sweep is planned.
func Select(cases []Case, only, skip []string) ([]Case, error) {
	s := selection{cases: slices.Clone(cases), keep: map[string]bool{}, whole: map[string]bool{}}
	for _, c := range cases {
		s.keep[c.ID] = len(only) == 0
	}
	if err := s.mark(only, s.take); err != nil {
		return nil, err
	}
	for _, c := range cases {
		if s.keep[c.ID] && c.After != "" {
			s.keep[c.After] = true
		}
	}
	if err := s.mark(skip, s.drop); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.cases, func(c Case) bool { return !s.keep[c.ID] }), nil
}

type selection struct {
	cases []Case
	keep  map[string]bool
	whole map[string]bool // selected with all parts
}

// mark applies do to each case that a glob matches, with the glob for its parts.
func (s *selection) mark(globs []string, do func(c *Case, part string)) error {
	for _, glob := range globs {
		base, part, parted := strings.Cut(glob, "/")
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("read the glob %q: %w", glob, err)
		}
		matched := false
		for i := range s.cases {
			c := &s.cases[i]
			ok, err := matches(base, c.ID)
			if err != nil {
				return fmt.Errorf("read the glob %q: %w", glob, err)
			}
			if ok && (!parted || c.Parted) {
				matched = true
				do(c, part)
			}
		}
		if !matched {
			return fmt.Errorf("no case is called %q (idemcheck list shows them all)", glob)
		}
	}
	return nil
}

func (s *selection) take(c *Case, part string) {
	s.keep[c.ID] = true
	switch {
	case part == "":
		s.whole[c.ID], c.Parts = true, nil
	case !s.whole[c.ID]:
		c.Parts = append(slices.Clone(c.Parts), part)
	}
}

func (s *selection) drop(c *Case, part string) {
	if part == "" {
		s.keep[c.ID] = false
		return
	}
	c.NotParts = append(slices.Clone(c.NotParts), part)
}

// anyMatches reports whether one of the globs matches the address of a part. They are well formed.
func anyMatches(globs []string, part string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, _ := path.Match(glob, part)
		return ok || glob == part
	})
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
