package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// JUnit writes the report as JUnit XML: a suite per feature, a test case per case.
//
//	<testsuite name="Concurrency" package="idemcheck" id="0" tests="1" failures="1" errors="0" skipped="0" time="0.012" …>
//	  <properties><property name="level of double-send" value="must"></property></properties>
//	  <testcase name="double-send: Two sends of one request …" classname="Concurrency" time="0.012">
//	    <failure message="duplicate: 2 records for one key" type="duplicate">…</failure>
//	  </testcase>
//	</testsuite>
//
// A fail is a failure. Error and inconclusive are errors, since a test that could not tell is none that was skipped; what
// did not run or does not apply is skipped, with its reason. A failure that the target file lists as known passes, with a
// note. What is wrong with the run as a whole is a suite in front. Every text is visible: no character that XML 1.0
// forbids is left.
//
// There is no one schema. It uses only what that of the Jenkins xUnit plugin knows, so what is said of a single case is
// a property of its suite; and it has all that the older one for Apache Ant asks for, which is stricter but knows neither
// the totals of the whole nor the system-out of a case.
func JUnit(w io.Writer, r Report) error {
	doc, err := xml.MarshalIndent(junitOf(r), "", "  ")
	if err != nil {
		return fmt.Errorf("encode the JUnit report: %w", err)
	}
	if _, err := io.WriteString(w, xml.Header+string(doc)+"\n"); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Errors   int           `xml:"errors,attr"`
	Time     string        `xml:"time,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	ID         int             `xml:"id,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Hostname   string          `xml:"hostname,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	SystemOut  string          `xml:"system-out"` // always there, as the schema for Ant has it
	SystemErr  string          `xml:"system-err"`

	took time.Duration
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string      `xml:"name,attr"`
	Class     string      `xml:"classname,attr"`
	Time      string      `xml:"time,attr"`
	Failure   *junitWhy   `xml:"failure"`
	Error     *junitWhy   `xml:"error"`
	Skipped   *junitWhy   `xml:"skipped"`
	SystemOut *junitPlain `xml:"system-out"`
}

// junitWhy says why a case did not pass.
type junitWhy struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type junitPlain struct {
	Text string `xml:",cdata"`
}

func junitOf(r Report) junitSuites {
	out := junitSuites{Name: "idemcheck", Time: seconds(r.Ended.Sub(r.Started))}
	byFeature := map[string]*junitSuite{}
	for _, c := range casesOfCI(r) {
		feature := visible(c.Feature)
		if feature == "" {
			feature = "not planned"
		}
		s := byFeature[feature]
		if s == nil {
			s = newJUnitSuite(feature, r)
			s.ID = len(out.Suites)
			byFeature[feature] = s
			out.Suites = append(out.Suites, s)
		}
		s.add(c, r)
	}
	for _, s := range out.Suites {
		s.Time = seconds(s.took)
		out.Tests, out.Failures, out.Errors = out.Tests+s.Tests, out.Failures+s.Failures, out.Errors+s.Errors
	}
	return out
}

func newJUnitSuite(feature string, r Report) *junitSuite {
	s := &junitSuite{Name: feature, Package: "idemcheck", Hostname: "localhost"}
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	a := r.About
	for _, p := range [][2]string{
		{"run", r.Run}, {"tool", a.Tool}, {"target", a.Target}, {"url", a.URL}, {"profile", a.Profile},
		{"seed", strconv.FormatInt(a.Seed, 10)}, {"shard", a.Shard}, {"shards", strings.Join(a.Shards, ", ")}, {"group", a.Group},
		{"exit", fmt.Sprintf("%d: %s", r.Outcome.Exit, r.Outcome.Reason)},
	} {
		s.property(p[0], p[1])
	}
	return s
}

func (s *junitSuite) property(name, value string) {
	if value != "" {
		s.Properties = append(s.Properties, junitProperty{visible(name), visible(value)})
	}
}

// add counts and writes one case.
func (s *junitSuite) add(c Case, r Report) {
	out := junitCase{Name: visible(caseName(c)), Class: s.Name, Time: seconds(took(c)), SystemOut: junitNotes(c)}
	switch {
	case c.Verdict == Fail && !isKnown(c):
		s.Failures++
		out.Failure = junitWhyOf(c, r)
	case c.Verdict == Error, c.Verdict == Inconclusive:
		s.Errors++
		out.Error = junitWhyOf(c, r)
	case c.Verdict == NotRun, c.Verdict == NotApplicable:
		s.Skipped++
		out.Skipped = &junitWhy{Message: junitSkipped(c)} // the schema for Ant knows no type of it
	}
	s.Tests++
	s.took += took(c)
	s.Cases = append(s.Cases, out)
	s.property("level of "+c.ID, string(c.Level))
	s.property("source of "+c.ID, strings.Join(c.Source, "; "))
	if len(c.Points) > 0 {
		s.property("crash points of "+c.ID, crashSummary(c.Points))
	}
}

// junitSkipped says whether a case does not apply or did not run, and why.
func junitSkipped(c Case) string {
	word, why := strings.ReplaceAll(c.Verdict.String(), "-", " "), visible(whyText(c))
	if why == word {
		return word
	}
	return word + ": " + why
}

// junitWhyOf gives the findings or the broken steps of a case, and how to run it again.
func junitWhyOf(c Case, r Report) *junitWhy {
	kind, text := firstFinding(c)
	why := &junitWhy{Message: visible(text), Type: visible(kind)}
	c = visibleCopy(Case{CasePlanned: c.CasePlanned, CaseEnded: c.CaseEnded, Findings: c.Findings, Steps: c.Steps, Points: c.Points, Changes: c.Changes})
	p := plainPage(r, 200)
	p.line("")
	if len(c.Findings) == 0 {
		p.para(2, "", 0, c.Reason)
	}
	for _, f := range c.Findings {
		p.finding(f)
	}
	p.steps(c)
	p.crash(c)
	p.payload(c)
	p.tallies(c)
	if command := rerun(r, c); command != "" {
		p.line("  %s%s", pad("run again", labelColumn), command)
	}
	why.Text = p.String()
	return why
}

// junitNotes says what a passed case is to be read with.
func junitNotes(c Case) *junitPlain {
	var lines []string
	if isKnown(c) {
		lines = append(lines, "a known failure: "+visible(whyText(c)))
	}
	if c.Verdict == Pass && c.Inferred {
		lines = append(lines, "passed on the answers alone: no observer counted the records")
	}
	for _, n := range c.Notes {
		word := "seen: "
		if n.Warning {
			word = "warning: "
		}
		lines = append(lines, word+clip(visible(n.Text), mostText))
	}
	if len(lines) == 0 {
		return nil
	}
	return &junitPlain{strings.Join(lines, "\n")}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(d, 0).Seconds()) }
