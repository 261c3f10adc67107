package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// TAP writes the report in the Test Anything Protocol, version 14 (https://testanything.org/tap-version-14-specification.html).
//
//	TAP version 14
//	1..3
//	ok 1 - K1: A retry after a lost answer is the same operation
//	not ok 2 - double-send: Two sends of one request at the same moment create one record
//	  ---
//	  verdict: fail
//	  level: must
//	  …
//	  ...
//	ok 3 - K6: The test environment and another tenant are separate # SKIP it needs a second tenant
//
// Error and inconclusive are not ok. What did not run or does not apply is skipped, with its reason. A failure that the
// target file lists as known is not ok and TODO, which a harness counts as passed. What is wrong with the run as a whole
// is a test point in front, so there is never a plan of none.
func TAP(w io.Writer, r Report) error {
	cases := casesOfCI(r)
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(cases))
	for i, c := range cases {
		b.WriteString(tapPoint(i+1, c))
		if c.Verdict < Inconclusive {
			continue
		}
		block, err := tapBlock(r, c)
		if err != nil {
			return fmt.Errorf("encode the TAP report: %w", err)
		}
		b.WriteString(block)
	}
	fmt.Fprintf(&b, "# exit %d: %s\n", r.Outcome.Exit, visible(r.Outcome.Reason))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the TAP report: %w", err)
	}
	return nil
}

// tapPoint gives the test point of a case.
func tapPoint(n int, c Case) string {
	ok, directive := "ok", ""
	switch {
	case isKnown(c):
		ok, directive = "not ok", " # TODO "+tapText("known: "+knownReasons(c))
	case c.Verdict >= Inconclusive:
		ok = "not ok"
	case c.Verdict < Pass:
		directive = " # SKIP " + tapText(whyText(c))
	}
	return fmt.Sprintf("%s %d - %s%s\n", ok, n, tapText(caseName(c)), directive)
}

// tapText escapes what a description could be taken for a directive by.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `#`, `\#`).Replace(visible(s))
}

// tapDiagnostic is the YAML block below a test point that is not ok. It has no lists of texts: readers that know but a
// part of YAML (Test::Harness) take "- tasks: 1" for something else than a text.
type tapDiagnostic struct {
	Verdict  string       `yaml:"verdict"`
	Level    string       `yaml:"level"`
	At       string       `yaml:"at,omitempty"`
	Reason   string       `yaml:"reason,omitempty"`
	Records  string       `yaml:"records,omitempty"`
	Findings []tapFinding `yaml:"findings,omitempty"`
	Crash    string       `yaml:"crash,omitempty"`
	Points   []tapCrash   `yaml:"crash_points,omitempty"`
	Broken   string       `yaml:"broken_step,omitempty"`
	Again    string       `yaml:"run_again,omitempty"`
}

type tapFinding struct {
	Kind     string `yaml:"kind"`
	Level    string `yaml:"level"`
	Message  string `yaml:"message"`
	Expected string `yaml:"expected,omitempty"`
	Found    string `yaml:"found,omitempty"`
	IDs      string `yaml:"ids,omitempty"`
	ShownBy  string `yaml:"shown_by,omitempty"`
	Known    string `yaml:"known,omitempty"`
}

// tapCrash is one point of a crash sweep.
type tapCrash struct {
	Point    string `yaml:"point"`
	Verdict  string `yaml:"verdict"`
	Saw      string `yaml:"client_saw"`
	Retry    string `yaml:"retry"`
	Expected string `yaml:"expected"`
	Found    string `yaml:"found"`
	Recovery string `yaml:"recovery"`
	Why      string `yaml:"why,omitempty"`
}

// tapPoints lists the points of a sweep, as many of them as the console does.
func tapPoints(points []CrashPoint) (out []tapCrash) {
	shown, _ := choosePoints(points, passingRows, otherRows)
	for _, p := range shown {
		r := newCrashRow(p, mixedFaults(points))
		out = append(out, tapCrash{clip(r.Point, mostText), r.Verdict.String(), clip(r.Saw, mostText), r.Retry, clip(r.Expected, mostText),
			r.Found, r.Recovery, r.Why})
	}
	return out
}

// tapBlock gives the diagnostic of a case, indented as TAP wants it. Every text is one visible line, so none can be the
// line that ends the block.
func tapBlock(r Report, c Case) (string, error) {
	d := visibleCopy(tapDiagnosticOf(c))
	d.Again = rerun(r, c)
	var doc bytes.Buffer
	enc := yaml.NewEncoder(&doc)
	enc.SetIndent(2)
	if err := enc.Encode(d); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("  ---\n")
	for line := range strings.Lines(doc.String()) {
		b.WriteString("  " + line)
	}
	b.WriteString("  ...\n")
	return b.String(), nil
}

func tapDiagnosticOf(c Case) tapDiagnostic {
	d := tapDiagnostic{Verdict: c.Verdict.String(), Level: string(c.Level), At: c.URI, Reason: clip(c.Reason, mostText)}
	short := newShortener(idsOf(c))
	var records, broken []string
	for _, t := range c.Records {
		records = append(records, tallyText(t, short))
	}
	for _, s := range c.Steps {
		if s.Err != "" {
			broken = append(broken, s.Text+": "+s.Err)
		}
	}
	d.Records, d.Broken = clip(strings.Join(records, "; "), mostText), clip(strings.Join(broken, "; "), mostText)
	if d.Points = tapPoints(c.Points); len(d.Points) > 0 {
		d.Crash = clip(crashSummary(c.Points)+". "+crashCaption(c.Points), mostText)
	}
	for _, f := range c.Findings {
		d.Findings = append(d.Findings, tapFinding{
			Kind: string(f.Kind), Level: string(f.Level), Message: clip(f.Message, mostText),
			Expected: clip(f.Expected, mostText), Found: clip(f.Found, mostText),
			IDs:     shortener(longestID).join(f.IDs, idsAtMost),
			ShownBy: clip(strings.Join(f.Exchanges, " · "), mostText), Known: f.Known,
		})
	}
	return d
}
