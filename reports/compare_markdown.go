package reports

import (
	"fmt"
	"io"
	"strings"
)

// missingCell stands where a run does not have the case.
const missingCell = "–"

// CompareMarkdown writes a comparison as Markdown, in at most MarkdownBudget bytes.
//
//	## idemcheck: 1 broke, 1 fixed, 2 differ
//
//	| case | orders 1.4 | orders 1.5 | change |
//	| --- | --- | --- | --- |
//	| double-send | pass | FAIL: duplicate | broke |
//	| K6 | – | pass |  |
//
// The rows in which the runs differ come first, those in which they agree are folded; where the budget ends, a sentence
// says how many were left out.
func CompareMarkdown(w io.Writer, c Comparison) error {
	m := &markdown{left: MarkdownBudget - spareMarkdown}
	m.add("## idemcheck: " + comparedHeadline(c) + "\n\n")
	m.compareRuns(c)
	m.compareLists(c)
	m.compareRows(c)
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

func comparedHeadline(c Comparison) string {
	var parts []string
	for _, part := range []struct {
		change    Change
		one, many string
	}{{Broke, "broke", "broke"}, {Fixed, "fixed", "fixed"}, {Differs, "differs", "differ"}} {
		if n := len(c.Changed(part.change)); n > 0 {
			parts = append(parts, plural(n, part.one, part.many))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("no difference in %s of %s", plural(len(c.Cases), "case", "cases"), plural(len(c.Runs), "run", "runs")))
	}
	if n := c.Partial(); n > 0 {
		parts = append(parts, plural(n, "case is", "cases are")+" not in every run")
	}
	return strings.Join(parts, ", ")
}

// compareRuns writes the table of the runs: a run that proves nothing is named as one.
func (m *markdown) compareRuns(c Comparison) {
	rows := []string{}
	for _, r := range c.Runs {
		s := r.Summary
		outcome := fmt.Sprintf("exit %d: %s", r.Outcome.Exit, r.Outcome.Reason)
		if len(r.Whole) > 0 && !strings.Contains(outcome, r.Whole[0]) {
			outcome += "; " + strings.Join(r.Whole, "; ")
		}
		rows = append(rows, tableRow(markdownText(r.Name, 200), markdownText(r.Profile, 100),
			fmt.Sprint(s.Pass), fmt.Sprint(s.Fail), fmt.Sprint(s.Error+s.Inconclusive+s.NotRun), markdownText(outcome, 500)))
	}
	n := m.lines(tableHead("run", "profile", "pass", "fail", "not told", "verdict"), rows, "\n")
	m.leftOut(len(rows)-n, "more run is", "more runs are")
}

// compareLists names what broke and what was fixed.
func (m *markdown) compareLists(c Comparison) {
	for _, part := range []struct {
		change Change
		word   string
	}{{Broke, "Broke"}, {Fixed, "Fixed"}, {Differs, "Differs"}} {
		if ids := c.Changed(part.change); len(ids) > 0 {
			m.add(fmt.Sprintf("**%s:** %s\n\n", part.word, markdownText(shortener(longestID).join(ids, 2*idsAtMost), 3000)))
		}
	}
}

// compareRows writes the matrix: first what changed, then, folded, what did not.
func (m *markdown) compareRows(c Comparison) {
	head := []string{"case"}
	for _, r := range c.Runs {
		head = append(head, markdownText(r.Name, 200))
	}
	var changed, same []string
	for _, change := range []Change{Broke, Fixed, Differs, Unchanged} {
		for _, row := range c.Cases {
			switch {
			case row.Change != change:
			case change == Unchanged:
				same = append(same, compareRow(row))
			default:
				changed = append(changed, compareRow(row))
			}
		}
	}
	table := tableHead(append(head, "change")...)
	n := m.lines(table, changed, "\n")
	m.leftOut(len(changed)-n, "more case that differs is", "more cases that differ are")
	front := fmt.Sprintf("<details><summary>%s without a difference</summary>\n\n", plural(len(same), "case", "cases"))
	n = m.lines(front+table, same, "\n</details>\n\n")
	m.leftOut(len(same)-n, "more case without a difference is", "more cases without a difference are")
}

func compareRow(row ComparedCase) string {
	cells := []string{markdownText(row.ID, 200)}
	for _, c := range row.Cells {
		text := c.Word
		switch {
		case c.Missing:
			text = missingCell
		case c.Kinds != "":
			text += ": " + c.Kinds
		}
		if c.Points != "" {
			text += " at " + c.Points
		}
		cells = append(cells, markdownText(text, 200))
	}
	return tableRow(append(cells, string(row.Change))...)
}
