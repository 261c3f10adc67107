package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// The exit statuses.
const (
	ExitPass   = 0 // at least one counted must passed, and no must is open
	ExitBroken = 1 // a must is broken, or a should with --strict; outranks ExitUntold
	ExitUsage  = 2 // usage or configuration error found before sending, or an empty selection
	ExitUntold = 3 // it could not be told
)

// namedAtMost is how many cases a reason names.
const namedAtMost = 3

// ExitStatus gives the exit status of a run with its reason in one sentence.
func ExitStatus(r Report) Outcome {
	if reason := brokenReason(r); reason != "" {
		return Outcome{ExitBroken, reason}
	}
	if len(r.Cases) == 0 && cutOff(r) == "" {
		return Outcome{ExitUsage, "no case was selected"}
	}
	if reason := untoldReason(r); reason != "" {
		return Outcome{ExitUntold, "could not tell: " + reason}
	}
	n := len(slices.DeleteFunc(musts(r), func(c Case) bool { return c.Verdict != Pass || c.Inferred }))
	return Outcome{ExitPass, plural(n, "must", "musts") + " held, by count of records"}
}

// brokenReason names what is broken; empty: nothing is.
func brokenReason(r Report) string {
	var must, should []string
	if p := r.Preflight; p != nil && p.Finding != nil && p.Finding.Known == "" && binding(p.Finding.Level) == targets.Must {
		must = append(must, fmt.Sprintf("preflight (%s)", p.Finding.Kind))
	}
	for _, c := range r.Cases {
		switch c.BrokenLevel() {
		case targets.Must:
			must = append(must, c.named(targets.Must))
		case targets.Should:
			should = append(should, c.named(targets.Should))
		}
	}
	if !r.About.Strict {
		should = nil
	}
	var parts []string
	if len(must) > 0 {
		parts = append(parts, plural(len(must), "must", "musts")+" broken: "+list(must))
	}
	if len(should) > 0 {
		parts = append(parts, plural(len(should), "should", "shoulds")+" broken (strict): "+list(should))
	}
	if stale := staleReason(r); stale != "" {
		parts = append(parts, stale)
	}
	return strings.Join(parts, "; ")
}

// BrokenLevel is the strictest level that the case broke, and empty where it broke none. Findings that the target file
// lists as known break nothing.
func (c Case) BrokenLevel() targets.Level {
	if c.Verdict != Fail {
		return ""
	}
	var strictest targets.Level
	known := 0
	for _, f := range c.Findings {
		if f.Known != "" {
			known++
		} else if level := binding(f.Level); level.Stricter(strictest) {
			strictest = level
		}
	}
	switch {
	case known > 0: // Broken was said of all findings, the known ones too
		return strictest
	case c.Broken.Stricter(strictest):
		return c.Broken
	case strictest == "": // a fail that does not say what it broke: its own level
		return binding(c.Level)
	}
	return strictest
}

// binding reads a level that was left out as the strictest, so that nothing passes for want of a word.
func binding(level targets.Level) targets.Level {
	if level == "" {
		return targets.Must
	}
	return level
}

// untoldReason says why nothing can be concluded; empty: it can.
func untoldReason(r Report) string {
	switch p := r.Preflight; {
	case cutOff(r) != "":
		return cutOff(r)
	case p != nil && !p.Trusted && p.Reason != "":
		return p.Reason
	case p != nil && !p.Trusted:
		return "the observers are not trusted"
	}
	var counted, inferred int
	open := map[Verdict][]string{}
	for _, c := range musts(r) {
		switch {
		case c.Verdict == Pass && c.Inferred:
			inferred++
		case c.Verdict == Pass:
			counted++
		case c.Verdict != NotApplicable && c.Verdict != Fail:
			open[c.Verdict] = append(open[c.Verdict], c.ID)
		}
	}
	for _, v := range []Verdict{Error, Inconclusive, NotRun} {
		if ids := open[v]; len(ids) > 0 {
			return plural(len(ids), "must is", "musts are") + " " + openWords[v] + ": " + list(ids)
		}
	}
	switch {
	case counted > 0:
		return ""
	case inferred > 0:
		return "the musts passed on the answers alone; add an observer that counts records"
	case len(musts(r)) == 0:
		return "no must was among the cases"
	}
	return "no must could be counted on this target"
}

var openWords = map[Verdict]string{Error: "in error", Inconclusive: "inconclusive", NotRun: "not run"}

// musts lists the cases of level must.
func musts(r Report) []Case {
	var out []Case
	for _, c := range r.Cases {
		if binding(c.Level) == targets.Must {
			out = append(out, c)
		}
	}
	return out
}

// named gives the case's id with the kinds of its findings of that level: "K1 (duplicate, leaked)".
func (c Case) named(level targets.Level) string {
	var kinds []string
	for _, f := range c.Findings {
		if f.Known == "" && binding(f.Level) == level && !slices.Contains(kinds, string(f.Kind)) {
			kinds = append(kinds, string(f.Kind))
		}
	}
	if len(kinds) == 0 {
		return c.ID
	}
	return c.ID + " (" + strings.Join(kinds, ", ") + ")"
}

func list(names []string) string {
	if more := len(names) - namedAtMost; more > 0 {
		return strings.Join(names[:namedAtMost], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
