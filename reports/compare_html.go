package reports

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
)

//go:embed html/compare.tmpl
var htmlCompareTemplate string

var htmlCompare = template.Must(template.New("compare").Parse(htmlCompareTemplate))

// htmlComparison is what the page of a comparison shows, visible already.
type htmlComparison struct {
	Headline string
	Policy   string
	Style    template.CSS
	Runs     []htmlComparedRun
	Groups   []htmlComparedGroup
}

type htmlComparedRun struct {
	ComparedRun
	NotTold int // cases without a pass or a fail that apply
	Tone    string
}

// htmlComparedGroup is the cases of one change.
type htmlComparedGroup struct {
	Name string
	Open bool
	Rows []htmlComparedRow
}

type htmlComparedRow struct {
	ID, Title string
	Cells     []htmlComparedCell
}

// htmlComparedCell has no word where the run does not have the case.
type htmlComparedCell struct{ Word, Glyph, Tone, Why string }

// CompareHTML writes a comparison as one self-contained page, as HTML writes a run: it loads nothing and runs nothing, and
// what came from a target is text in it. What broke stands on top; the cases in which all runs agree are folded.
func CompareHTML(w io.Writer, c Comparison) error {
	if err := htmlCompare.Execute(w, newHTMLComparison(visibleCopy(c))); err != nil {
		return fmt.Errorf("write the comparison as HTML: %w", err)
	}
	return nil
}

func newHTMLComparison(c Comparison) htmlComparison {
	page := htmlComparison{Headline: comparedHeadline(c), Policy: htmlPolicy(), Style: template.CSS(htmlStyle)}
	for _, r := range c.Runs {
		page.Runs = append(page.Runs, htmlComparedRun{r,
			r.Summary.Error + r.Summary.Inconclusive + r.Summary.NotRun, htmlExitTone(r.Outcome.Exit)})
	}
	for _, part := range []struct {
		change Change
		name   string
	}{{Broke, "Broke"}, {Fixed, "Fixed"}, {Differs, "Differs"}, {Unchanged, "Without a difference"}} {
		group := htmlComparedGroup{Name: part.name, Open: part.change != Unchanged}
		for _, row := range c.Cases {
			if row.Change == part.change {
				group.Rows = append(group.Rows, newHTMLComparedRow(row))
			}
		}
		if len(group.Rows) > 0 {
			page.Groups = append(page.Groups, group)
		}
	}
	return page
}

func newHTMLComparedRow(row ComparedCase) htmlComparedRow {
	out := htmlComparedRow{ID: row.ID}
	if row.Title != row.ID {
		out.Title = row.Title
	}
	for _, c := range row.Cells {
		if c.Missing {
			out.Cells = append(out.Cells, htmlComparedCell{})
			continue
		}
		cell := htmlComparedCell{Word: c.Word, Glyph: htmlGlyphs[c.Verdict], Tone: htmlTones[c.Verdict], Why: c.Kinds}
		if c.Points != "" {
			cell.Why += " at " + c.Points
		}
		if c.Verdict == Fail && c.Word != "FAIL" {
			cell.Tone = htmlTones[Inconclusive] // a failure that does not decide, as in the report of a run
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// htmlExitTone gives the tone of an exit status.
func htmlExitTone(exit int) string {
	switch exit {
	case ExitPass:
		return "good"
	case ExitBroken:
		return "bad"
	}
	return "doubt"
}
