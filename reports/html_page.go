package reports

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"
)

// htmlPage is what stands above the cases. Its texts are visible.
type htmlPage struct {
	Title, Target, Policy string
	Profile, About        string
	Style                 template.CSS // ours, embedded
	Verdict               htmlVerdict
	Started               time.Time
	Took                  string
	Facts                 []htmlFact
	Alerts                []htmlAlert
	Claims                *htmlClaims
	Groups                []htmlGroup
	Levels                []htmlLevel
	Cases                 int
	Small                 bool // every case is built when the page is opened
}

// htmlVerdict is the outcome of the run in a word and a sentence.
type htmlVerdict struct {
	Word, Reason, Tone, Glyph string
	Exit                      int
}

// htmlFact is a name with its value.
type htmlFact struct {
	Name, Value string
	Code        bool // set like code
}

// htmlAlert is what has to be known before the cases are read.
type htmlAlert struct {
	Title string
	Lines []string
}

// htmlLevel is how many cases have a level.
type htmlLevel struct {
	Level string
	N     int
}

func newHTMLPage(r Report, groups []htmlGroup, small bool) htmlPage {
	about := visibleCopy(r.About)
	p := htmlPage{
		Target: about.Target, Profile: about.Profile, About: cmp.Or(about.About, about.URL), Policy: htmlPolicy(), Style: template.CSS(htmlStyle),
		Verdict: htmlOutcome(r), Started: r.Started.UTC(), Took: words(r.Ended.Sub(r.Started)),
		Facts: htmlFacts(r, about), Alerts: htmlAlerts(r), Claims: newHTMLClaims(r), Groups: groups, Levels: htmlLevels(r), Cases: len(r.Cases), Small: small,
	}
	if p.Target == "" {
		p.Target = "unnamed target"
	}
	p.Title = fmt.Sprintf("%s: %s · idemcheck", p.Target, p.Verdict.Word)
	return p
}

func htmlOutcome(r Report) htmlVerdict {
	v := htmlVerdict{Reason: visible(r.Outcome.Reason), Exit: r.Outcome.Exit}
	switch r.Outcome.Exit {
	case ExitPass:
		v.Word, v.Tone, v.Glyph = "Held", htmlTones[Pass], htmlGlyphs[Pass]
	case ExitBroken:
		v.Word, v.Tone, v.Glyph = "Broken", htmlTones[Fail], htmlGlyphs[Fail]
	case ExitUsage:
		v.Word, v.Tone, v.Glyph = "Nothing was run", htmlTones[Inconclusive], htmlGlyphs[Inconclusive]
	default:
		v.Word, v.Tone, v.Glyph = "Could not tell", htmlTones[Inconclusive], htmlGlyphs[Inconclusive]
		v.Reason = strings.TrimPrefix(v.Reason, "could not tell: ")
	}
	return v
}

// htmlFacts says what was tested, how and at what cost.
func htmlFacts(r Report, about RunStarted) []htmlFact {
	counted := strings.Join(about.Observers, ", ")
	if about.Inferred {
		counted = "no observer: records are inferred from the answers"
	}
	records := fmt.Sprintf("%d created, %d removed", r.Created, r.Removed)
	if n := len(r.Left); n > 0 {
		records += fmt.Sprintf(", %d left", n)
	}
	facts := []htmlFact{
		{Name: "Address", Value: about.URL, Code: true},
		{Name: "Target file", Value: about.TargetFile, Code: true},
		{Name: "Counted by", Value: counted},
		{Name: "Records", Value: records},
		{Name: "Tool", Value: about.Tool},
		{Name: "Run", Value: fmt.Sprintf("%s, seed %d", visible(r.Run), about.Seed)},
		{Name: "Shard", Value: about.Shard},
		{Name: "Merged of shards", Value: strings.Join(about.Shards, ", ")},
		{Name: "Group", Value: about.Group},
		{Name: "Command", Value: about.Command, Code: true},
	}
	return filled(facts)
}

// unlike gives s, and nothing where it only says again what other says.
func unlike(s, other string) string {
	if s == other {
		return ""
	}
	return s
}

// filled leaves the facts without a value out.
func filled(facts []htmlFact) []htmlFact {
	var out []htmlFact
	for _, f := range facts {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

func htmlAlerts(r Report) []htmlAlert {
	var out []htmlAlert
	if !r.Complete {
		out = append(out, htmlAlert{"The run is incomplete", []string{"Its event stream has no end. What follows is what was seen until then."}})
	}
	if r.Stopped != "" {
		out = append(out, htmlAlert{"The run ended early", []string{visible(r.Stopped)}})
	}
	if a := htmlStale(r); len(a.Lines) > 0 {
		out = append(out, a)
	}
	if a := htmlDistrust(r.Preflight); a.Title != "" {
		out = append(out, a)
	}
	return out
}

// htmlDistrust says that the counts prove nothing, where that is so.
func htmlDistrust(raw *Preflight) htmlAlert {
	if raw == nil || raw.Trusted && raw.Finding == nil && !raw.Stop {
		return htmlAlert{}
	}
	f := visibleCopy(*raw)
	a := htmlAlert{Title: "The counts are not trusted"}
	switch {
	case f.Stop:
		a.Title = "The target could not be tried"
	case f.Finding != nil:
		a.Title = "The preflight failed: " + string(f.Finding.Kind)
	}
	if f.Finding != nil {
		a.Lines = append(a.Lines, f.Finding.Message)
	}
	if f.Reason != "" && (f.Finding == nil || f.Finding.Message != f.Reason) {
		a.Lines = append(a.Lines, f.Reason)
	}
	if len(f.Counts) > 0 {
		a.Lines = append(a.Lines, "Counted "+joinInts(f.Counts)+" where 0, 1, 2 are right.")
	}
	if len(f.IDs) > 0 {
		a.Lines = append(a.Lines, "The answers named "+strings.Join(f.IDs, ", ")+".")
	}
	return a
}

func htmlLevels(r Report) []htmlLevel {
	n := map[string]int{}
	for _, c := range r.Cases {
		n[string(binding(c.Level))]++
	}
	var out []htmlLevel
	for _, level := range []string{"must", "should", "may"} {
		if n[level] > 0 {
			out = append(out, htmlLevel{level, n[level]})
		}
	}
	return out
}

// htmlFoot is what stands below the cases.
type htmlFoot struct {
	Warnings []htmlWarning
	Known    []htmlKnown
	Left     []Record
	More     int // records left that are not listed
	Script   template.JS
	Tool     string
}

type htmlWarning struct{ ID, Anchor, Text string }

// htmlLeftAtMost is how many records left behind are listed one by one.
const htmlLeftAtMost = 200

func newHTMLFoot(r Report) htmlFoot {
	foot := htmlFoot{Script: template.JS(htmlScript), Tool: visible(r.About.Tool)}
	for _, c := range r.Cases {
		for _, n := range c.Notes {
			if n.Warning {
				foot.Warnings = append(foot.Warnings, htmlWarning{visible(c.ID), htmlAnchor(c.ID), visible(n.Text)})
			}
		}
	}
	foot.Known = htmlKnownOf(r)
	foot.Left = visibleCopy(r.Left[:min(len(r.Left), htmlLeftAtMost)])
	foot.More = len(r.Left) - len(foot.Left)
	return foot
}
