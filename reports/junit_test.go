package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// ciRuns are the runs of which the reports for CI have golden files.
func ciRuns() map[string]Report {
	return map[string]Report{
		"passing": passing().report(), "failing": failing().report(), "interrupted": interrupted().report(),
		"collapsing": collapsing().report(), "untrusted": untrusted().report(), "rounds": rounds().report(),
		"answers-only": answersOnly().report(), "sweep": sweep().report(), "nothing": Fold(nil),
	}
}

// ciGoldens compares a report of each of the runs with its golden file.
func ciGoldens(t *testing.T, write func(io.Writer, Report) error, name string) {
	t.Helper()
	for run, r := range ciRuns() {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			golden(t, fmt.Sprintf(name, run), written(t, write, r))
		})
	}
}

func written(t *testing.T, write func(io.Writer, Report) error, r Report) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out, r))
	return out.Bytes()
}

// reportOf is a report whose only case has the text in every place that a target, a target file or a scenario can fill.
func reportOf(text string) Report {
	found := 2
	started, ended := time.Unix(0, 0).UTC(), time.Unix(1, 0).UTC()
	c := Case{
		CasePlanned: CasePlanned{ID: text, Title: text, Feature: text, URI: text + ":1", Level: targets.Must, Source: []string{text}},
		CaseEnded: CaseEnded{Verdict: Fail, Broken: targets.Must, Reason: text,
			Records: []Tally{{Observer: text, Expected: text, Found: &found, IDs: []string{text}}}},
		Started: &started, Ended: &ended,
		Findings: []Finding{
			{Kind: Duplicate, Level: targets.Must, Message: text, Expected: text, Found: text, IDs: []string{text}, Exchanges: []string{text}},
			{Kind: Leaked, Level: targets.Must, Message: text, Known: text},
		},
		Notes: []Note{{Text: text, Warning: true}, {Text: text}}, Steps: []Step{{Text: text, Err: text}},
		Exchanges: []Exchange{{Name: text, Purpose: PurposeAttempt, Method: text, URL: text, Status: 200, Content: Text{Text: text}, Curl: visible(text), ID: text, Key: text}},
		Readings:  []CaseReading{{Observer: text, Label: text, IDs: []string{text}}}, Faults: []CaseFault{{Fault: Fault{Text: text, Err: text}}},
		Points: []CrashPoint{
			{Part: text, Label: text, Side: text, Fault: text, Saw: text, Expected: text, Verdict: Fail, Finding: Duplicate, Reason: text},
			{Part: text, Fault: "kill", Saw: text, Retry: Disposition(text), Expected: text, Verdict: Inconclusive, Reason: text},
		},
	}
	known, doubt, skipped := c, c, c
	known.ID, known.Findings = text+"2", c.Findings[1:]
	doubt.ID, doubt.Verdict, doubt.Findings = text+"3", Inconclusive, nil
	skipped.ID, skipped.Verdict, skipped.Findings = text+"4", NotRun, nil
	r := Report{
		V: Version, Run: text, Started: started, Ended: ended, Complete: true, Stopped: text,
		About:     RunStarted{Tool: text, Target: text, URL: text, About: text, Profile: text, Observers: []string{text}, Command: visible(text)},
		Preflight: &Preflight{Reason: text, IDs: []string{text}}, Cases: []Case{c, known, doubt, skipped},
		Left: []Record{{ID: text, Operation: text, Namespace: text, Case: text, Why: text}},
	}
	for _, c := range r.Cases {
		r.Summary.add(c)
	}
	r.Outcome = ExitStatus(r)
	return r
}

// markup is what a target may answer to whoever reads the reports of a pipeline.
const markup = hostile + "\n::error::owned\n##[add-mask]x\n1..0\nBail out!\n  ...\nnot ok # SKIP\n" +
	"</details></td>|<script>alert(1)</script>`` ```\n```\n@octocat #12 gh-3 GH-4 https://evil.example www.evil.example [a](b) ![a](b) $x$ " +
	"**a** __b__ ~~c~~ &lt; &#64; ]]>\x00\ufffe%0A%25,:\\|"

func TestJUnit(t *testing.T) {
	t.Parallel()
	ciGoldens(t, JUnit, "junit-%s.golden.xml")
}

// node is any element of an XML document.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []node     `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// junitRules are the elements of the schema of the Jenkins xUnit plugin (junit-10.xsd), as far as they are used: the
// attributes that an element must have and may have, and the elements inside.
var junitRules = map[string]struct{ must, may, inside string }{
	"testsuites": {"", "name time tests failures errors", "testsuite"},
	"testsuite":  {"name tests failures errors", "group time skipped timestamp hostname id package file log url", "testsuite properties testcase system-out system-err"},
	"properties": {"", "", "property"},
	"property":   {"name value", "", ""},
	"testcase":   {"name", "time classname group", "skipped error failure system-out system-err"},
	"failure":    {"", "type message", ""},
	"error":      {"", "type message", ""},
	"skipped":    {"", "message", ""},
	"system-out": {"", "", ""},
	"system-err": {"", "", ""},
}

var surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// checkJUnit holds an element against the rules.
func checkJUnit(t *testing.T, n node) {
	t.Helper()
	name := n.XMLName.Local
	rule, ok := junitRules[name]
	require.True(t, ok, "element %s", name)
	for _, must := range strings.Fields(rule.must) {
		require.True(t, slices.ContainsFunc(n.Attrs, func(a xml.Attr) bool { return a.Name.Local == must }), "%s without %s", name, must)
	}
	for _, a := range n.Attrs {
		require.Contains(t, strings.Fields(rule.must+" "+rule.may), a.Name.Local, "attribute of %s", name)
		if a.Name.Local == "time" {
			require.Regexp(t, surefireTime, a.Value)
		}
	}
	for _, child := range n.Children {
		require.Contains(t, strings.Fields(rule.inside), child.XMLName.Local, "inside of %s", name)
		checkJUnit(t, child)
	}
}

// countJUnit counts the test cases below n that hold an element of that name; empty: all.
func countJUnit(n node, holding string) string {
	count := 0
	for _, suite := range append([]node{n}, n.Children...) {
		for _, c := range suite.Children {
			if c.XMLName.Local == "testcase" && (holding == "" || slices.ContainsFunc(c.Children, func(k node) bool { return k.XMLName.Local == holding })) {
				count++
			}
		}
	}
	return strconv.Itoa(count)
}

func parsedJUnit(t *testing.T, r Report) node {
	t.Helper()
	var root node
	require.NoError(t, xml.Unmarshal(written(t, JUnit, r), &root))
	require.Equal(t, "testsuites", root.XMLName.Local)
	checkJUnit(t, root)
	for _, n := range append([]node{root}, root.Children...) {
		require.Equal(t, countJUnit(n, ""), n.attr("tests"))
		require.Equal(t, countJUnit(n, "failure"), n.attr("failures"))
		require.Equal(t, countJUnit(n, "error"), n.attr("errors"))
		if n.XMLName.Local == "testsuite" {
			require.Equal(t, countJUnit(n, "skipped"), n.attr("skipped"))
		}
	}
	return root
}

func TestJUnitKeepsToTheSchema(t *testing.T) {
	t.Parallel()
	for _, r := range ciRuns() {
		root := parsedJUnit(t, r)
		assert.Equal(t, strconv.Itoa(len(casesOfCI(r))), root.attr("tests"))
		bad := root.attr("failures") != "0" || root.attr("errors") != "0"
		if r.Outcome.Exit != ExitPass {
			assert.True(t, bad, "exit %d (%s), and nothing failed", r.Outcome.Exit, r.Outcome.Reason)
		}
	}
	root := parsedJUnit(t, reportOf(markup))
	names := []string{}
	for _, s := range root.Children {
		for _, c := range s.Children {
			names = append(names, c.attr("name"))
		}
	}
	assert.Contains(t, names, visible(markup+"3: "+markup), "the name comes back as it was made visible")
}

func TestJUnitOfKnownFailures(t *testing.T) {
	t.Parallel()
	r := answersOnly().report()
	root := parsedJUnit(t, r)
	text := string(written(t, JUnit, r))
	assert.Equal(t, "1", root.attr("failures"), "material-difference; K4 is known")
	assert.Contains(t, text, "a known failure: wrong-status: a mismatch was answered 200 (known: ORD-1234)")
	assert.Contains(t, text, "passed on the answers alone")
}

func FuzzJUnit(f *testing.F) {
	for _, seed := range []string{"", "K1", hostile, markup, "]]>", "\x00\ufffe\uffff\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := written(t, JUnit, reportOf(text))
		require.True(t, utf8.Valid(out))
		d := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
		}
		parsedJUnit(t, reportOf(text))
	})
}
