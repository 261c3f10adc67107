package reports

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed" // the templates, the style and the script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
)

//go:embed html/page.tmpl
var htmlPageTemplate string

//go:embed html/case.tmpl
var htmlCaseTemplate string

//go:embed html/timeline.tmpl
var htmlTimelineTemplate string

//go:embed html/report.css
var htmlStyle string

//go:embed html/report.js
var htmlScript string

var htmlTemplates = template.Must(template.New("html").Parse(htmlPageTemplate + htmlCaseTemplate + htmlPointsTemplate + htmlArrivalsTemplate + htmlClaimsTemplate + htmlPayloadTemplate + htmlTimelineTemplate))

// inlineAtMost is how many exchanges, and how many cases, a report has whose cases are all built when the page is opened. In a larger one the
// inside of a case stands in a <noscript> element: a browser that runs the script keeps it as one text and builds it when
// the case is opened, and a browser without script shows it as it is.
const inlineAtMost = 800

// wholeAtMost is how many exchanges a report shows with their headers and bodies. They are given to the cases in the
// order of the page, so that it is passes that go without: a page of hundreds of megabytes is no use to anybody.
const wholeAtMost = 5000

// HTML writes the report as one self-contained page: it loads nothing, sends nothing and works without its script. What
// the target said is text in it and never markup: every character that does not print is written as an escape, the
// templates escape the rest, and the page forbids any script and style but its own.
//
// The cases are made batch by batch, so that the memory does not grow with their number.
func HTML(w io.Writer, r Report) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := writeHTML(out, r); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

func writeHTML(w io.Writer, r Report) error {
	groups := htmlGroups(r)
	forms, lazy := htmlForms(r, groups)
	said := saidBy(r)
	if err := htmlTemplates.ExecuteTemplate(w, "head", newHTMLPage(r, groups, !lazy)); err != nil {
		return err
	}
	for _, group := range groups {
		if err := htmlTemplates.ExecuteTemplate(w, "group", group); err != nil {
			return err
		}
		err := writeBatches(w, len(group.cases), func(w *bytes.Buffer, n int) error {
			i := group.cases[n]
			return writeHTMLCase(w, r, i, forms[i], said)
		})
		if err != nil {
			return err
		}
		if err := htmlTemplates.ExecuteTemplate(w, "group-end", nil); err != nil {
			return err
		}
	}
	return htmlTemplates.ExecuteTemplate(w, "foot", newHTMLFoot(r))
}

// writeHTMLCase writes one case.
func writeHTMLCase(w io.Writer, r Report, i int, form htmlForm, said map[string]ProfileClaim) error {
	raw, err := r.Cases[i].whole()
	if err == nil {
		c := newHTMLCase(r.About, raw, form)
		c.Read = newHTMLRead(raw, said, c.Exchanges)
		err = htmlTemplates.ExecuteTemplate(w, "case", c)
	}
	if err != nil {
		return fmt.Errorf("case %s: %w", r.Cases[i].ID, err)
	}
	return nil
}

// htmlForm is how much of a case is written, and how.
type htmlForm struct {
	Lazy  bool // as one text that is built when the case is opened
	Brief bool // without the timeline, headers, bodies, steps and commands
}

// htmlForms gives the form of each case of the report, and whether it is a large one.
func htmlForms(r Report, groups []htmlGroup) (forms []htmlForm, lazy bool) {
	forms = make([]htmlForm, len(r.Cases))
	total := 0
	for _, group := range groups {
		for _, i := range group.cases {
			total += min(exchangesOf(r.Cases[i]), exchangesAtMost)
			forms[i].Brief = total > wholeAtMost
		}
	}
	lazy = total > inlineAtMost || len(forms) > inlineAtMost
	for i := range forms {
		forms[i].Lazy = lazy
	}
	return forms, lazy
}

// htmlGroup is the cases of one verdict.
type htmlGroup struct {
	Verdict string // "not-run"
	Name    string // "Not run"
	Glyph   string
	Tone    string
	N       int
	cases   []int // of the report, in the order of the page
}

// htmlOrder is the order of the page: what has to be looked at first stands on top.
var htmlOrder = []Verdict{Fail, Error, Inconclusive, Pass, NotApplicable, NotRun}

// htmlGroups sorts the cases by verdict, and within the fails those that decide the exit status first. Verdicts that no
// case has are left out.
func htmlGroups(r Report) []htmlGroup {
	byVerdict := map[Verdict][]int{}
	for i, c := range r.Cases {
		byVerdict[c.Verdict] = append(byVerdict[c.Verdict], i)
	}
	decides := func(i int) int {
		if verdictWord(r.Cases[i], r.About.Strict) == "FAIL" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(byVerdict[Fail], func(a, b int) int { return decides(a) - decides(b) })
	var out []htmlGroup
	for _, v := range htmlOrder {
		if cases := byVerdict[v]; len(cases) > 0 {
			out = append(out, htmlGroup{v.String(), htmlNames[v], htmlGlyphs[v], htmlTones[v], len(cases), cases})
		}
	}
	return out
}

var (
	htmlNames = map[Verdict]string{Fail: "Fail", Error: "Error", Inconclusive: "Inconclusive", Pass: "Pass",
		NotApplicable: "Not applicable", NotRun: "Not run"}
	htmlGlyphs = map[Verdict]string{Fail: "✕", Error: "!", Inconclusive: "?", Pass: "✓", NotApplicable: "–", NotRun: "○"}
	htmlTones  = map[Verdict]string{Fail: "bad", Error: "odd", Inconclusive: "doubt", Pass: "good", NotApplicable: "quiet",
		NotRun: "quiet"}
)

// htmlPolicy allows the page its own style and script and nothing else: should anything ever slip through the templates,
// the browser does not run it and loads nothing for it.
func htmlPolicy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
		htmlHash(htmlStyle), htmlHash(htmlScript))
}

func htmlHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
