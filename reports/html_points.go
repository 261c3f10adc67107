package reports

import (
	_ "embed" // the template
	"fmt"
	"strings"
)

//go:embed html/points.tmpl
var htmlPointsTemplate string

// htmlCrash is the table of a crash sweep. Its texts are visible.
type htmlCrash struct {
	N                      int
	Summary, Caption, Left string
	First                  string // the row of the first point that fails
	Rows                   []htmlCrashRow
}

// htmlCrashRow is one point of it.
type htmlCrashRow struct {
	crashRow
	Anchor, Tone, Glyph, Word string
	First                     bool // of those that fail
	Differs                   bool // found is not what was expected
}

const (
	htmlPassingRows = 300
	htmlOtherRows   = 700
)

// newHTMLCrash gives the table of a sweep, nil without one.
func newHTMLCrash(raw, c Case, anchor string) *htmlCrash {
	if len(c.Points) == 0 {
		return nil
	}
	h := &htmlCrash{N: len(c.Points), Summary: crashSummary(c.Points), Caption: crashCaption(c.Points)}
	// The rows are chosen twice, by the same rule: links are made of what was said, and the cells show it made visible.
	said, _ := choosePoints(raw.Points, htmlPassingRows, htmlOtherRows)
	shown, left := choosePoints(c.Points, htmlPassingRows, htmlOtherRows)
	h.Left = left
	names := map[string]int{}
	for i, p := range shown {
		row := htmlCrashRow{
			crashRow: newCrashRow(p, mixedFaults(c.Points)), Anchor: htmlPointAnchor(anchor, said[i].Part, names),
			Tone: htmlTones[p.Verdict], Glyph: htmlGlyphs[p.Verdict], Word: strings.ReplaceAll(p.Verdict.String(), "-", " "),
		}
		if row.Known {
			row.Tone, row.Word = htmlTones[Inconclusive], "fail (known)"
		}
		row.Differs = p.Records != nil && plainNumber(p.Expected) && p.Expected != row.Found
		if row.First = p.Verdict == Fail && !row.Known && h.First == ""; row.First {
			h.First = row.Anchor
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// htmlPointAnchor gives the name of a point in links: that of its case and that of its part, with a character between
// them that neither has. A part that a stream has twice is counted.
func htmlPointAnchor(anchor, part string, names map[string]int) string {
	name := anchor + "~" + htmlName(part)
	if names[name]++; names[name] > 1 {
		return fmt.Sprintf("%s~%d", name, names[name])
	}
	return name
}
