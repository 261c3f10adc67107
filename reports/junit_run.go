package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// runCases gives what is wrong with the run as a whole, as cases of their own: a broken preflight, observers that prove
// nothing, an entry of the known failures that has to be changed, an end that came too early, an exit status that no single case explains. Reports for CI put them in front, so
// that a run without a verdict never looks like one in which nothing failed. A sound run has none.
func runCases(r Report) []Case {
	var out []Case
	switch p := r.Preflight; {
	case p == nil:
	case p.Finding != nil && p.Finding.Known == "":
		c := runCase("preflight", "Two creates are two records, and the observers count them", Fail, p.Finding.Message)
		c.Findings, c.Broken, c.Notes = []Finding{*p.Finding}, binding(p.Finding.Level), preflightNotes(*p)
		out = append(out, c)
	case !p.Trusted && !p.Stop:
		why := cmp.Or(p.Reason, "the observers are not trusted")
		c := runCase("preflight", "The observers count what is created", Inconclusive, why)
		c.Notes = preflightNotes(*p)
		out = append(out, c)
	}
	for _, k := range staleKnown(r) {
		c := runCase("known "+k.Case+" "+string(k.Finding), "The list of known failures is true", Fail, k.Place()+": "+k.Advice())
		c.URI, c.Broken = k.Place(), targets.Must
		out = append(out, c)
	}
	if why := cutOff(r); why != "" {
		return append(out, runCase("run", "The run gets to its end", Error, why))
	}
	open := func(c Case) bool { return c.Verdict >= Inconclusive && !isKnown(c) }
	if r.Outcome.Exit != ExitPass && len(out) == 0 && !slices.ContainsFunc(r.Cases, open) {
		out = append(out, runCase("run", "The run has a verdict", Error, r.Outcome.Reason))
	}
	return out
}

// runFeature is the feature of the cases that stand for the run as a whole.
const runFeature = "The run"

func runCase(id, title string, v Verdict, reason string) Case {
	c := Case{ofRun: true}
	c.ID, c.Title, c.Feature, c.Level, c.Verdict, c.Reason = id, title, runFeature, targets.Must, v, reason
	return c
}

func preflightNotes(p Preflight) []Note {
	var out []Note
	if len(p.Counts) > 0 {
		out = append(out, Note{Text: "counted " + joinInts(p.Counts) + " where 0, 1, 2 are right"})
	}
	if len(p.IDs) > 0 {
		out = append(out, Note{Text: "the answers named " + strings.Join(p.IDs, ", ")})
	}
	return out
}

// casesOfCI lists the cases of a report for CI: those of the run as a whole, then the plan's.
func casesOfCI(r Report) []Case { return append(runCases(r), r.Cases...) }

// isKnown reports whether the case failed in nothing but what the target file lists as known.
func isKnown(c Case) bool { return c.Verdict == Fail && c.BrokenLevel() == "" }

// knownReasons gives the reasons for which the target file lists findings of the case as known.
func knownReasons(c Case) string {
	var out []string
	for _, f := range c.Findings {
		if f.Known != "" && !slices.Contains(out, f.Known) {
			out = append(out, f.Known)
		}
	}
	return strings.Join(out, ", ")
}

// whyText says in one line why a case has its verdict. It is never empty, and not visible yet.
func whyText(c Case) string {
	if known := knownReasons(c); known != "" && isKnown(c) {
		return reasonText(c) + " (known: " + known + ")"
	}
	return cmp.Or(reasonText(c), strings.ReplaceAll(c.Verdict.String(), "-", " "))
}

// firstFinding says what decides a fail, and its kind: the first finding that is not known. Other verdicts stand for
// themselves.
func firstFinding(c Case) (kind, text string) {
	for _, f := range c.Findings {
		if f.Known == "" && c.Verdict == Fail {
			return string(f.Kind), string(f.Kind) + ": " + f.Message
		}
	}
	return c.Verdict.String(), whyText(c)
}

// caseName names a case by its address and its title: "K4: Another payload revision … is a conflict".
func caseName(c Case) string {
	if c.Title == "" || c.Title == c.ID {
		return c.ID
	}
	return c.ID + ": " + c.Title
}

// took is how long a case ran, and 0 where it did not both begin and end.
func took(c Case) time.Duration {
	if c.Started == nil || c.Ended == nil {
		return 0
	}
	return max(c.Ended.Sub(*c.Started), 0)
}

// plainPage gives a page on which the parts of the console report are written for other reports, in lines of that width.
// What is written on it must be visible already.
func plainPage(r Report, width int) *page {
	return &page{r: Report{About: visibleCopy(r.About)}, o: ConsoleOptions{Width: width}}
}

// tallies writes the counts of a case.
func (p *page) tallies(c Case) {
	short := newShortener(idsOf(c))
	for i, t := range c.Records {
		p.para(2, labelOnce("records", i), labelColumn, tallyText(t, short))
	}
}

// rerun gives the command that runs the case once more. For the run as a whole there is none.
func rerun(r Report, c Case) string {
	if c.ofRun {
		return ""
	}
	p := plainPage(r, 1000)
	p.again(Case{CasePlanned: CasePlanned{ID: visible(c.ID)}})
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(p.String()), "run again"))
}
