package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// MarkdownBudget is how many bytes a Markdown report has at most where nothing else is asked for: it fits into a
	// comment of GitHub, which takes 65,536 characters, and sixteen times into a step summary.
	MarkdownBudget = 60_000

	leastMarkdown = 4 << 10 // less says nothing
	spareMarkdown = 900     // kept for the sentences that say what was left out
)

// Markdown writes the report as Markdown for a comment or a step summary, in at most MarkdownBudget bytes.
//
//	## idemcheck: 2 broken
//
//	**exit 1:** 2 musts broken: K4 (overwritten), double-send (duplicate)
//
//	| case | verdict | expected | found | why |
//	| --- | --- | --- | --- | --- |
//	| double-send | FAIL | 1 | 2 | duplicate: 2 records for one key |
//
//	<details><summary>FAIL double-send: Two sends of one request …</summary>
//	…
func Markdown(w io.Writer, r Report) error { return MarkdownWithin(w, r, MarkdownBudget) }

// MarkdownWithin writes the Markdown report in at most budget bytes, and never in fewer than 4 KiB. What breaks the run
// comes first, then other failures, errors, what could not be told, and what passed; where the budget ends, a sentence
// says how much was left out. Nothing that came from the target can be markup, a mention or a link.
func MarkdownWithin(w io.Writer, r Report, budget int) error {
	m := &markdown{r: r, left: max(budget, leastMarkdown) - spareMarkdown}
	m.head()
	open := openCases(r)
	m.table(open)
	m.details(open)
	m.claims()
	m.blocks()
	m.rest()
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return m.err
}

// markdown is a Markdown report while it is written.
type markdown struct {
	strings.Builder
	r    Report
	left int   // bytes that may still be written
	err  error // what could not be read back
}

// add writes a block if there is room for it.
func (m *markdown) add(block string) bool {
	if len(block) > m.left {
		return false
	}
	m.WriteString(block)
	m.left -= len(block)
	return true
}

// leftOut says what there was no room for. It is paid from what is spare.
func (m *markdown) leftOut(n int, one, many string) {
	if n > 0 {
		fmt.Fprintf(m, "*%s left out here; the JSON report has everything.*\n\n", plural(n, one, many))
	}
}

// head writes the verdict, the target and the counts.
func (m *markdown) head() {
	m.add(fmt.Sprintf("## idemcheck: %s\n\n**exit %d:** %s\n\n", markdownText(badgeText(m.r), 100), m.r.Outcome.Exit, markdownText(m.r.Outcome.Reason, 800)))
	for _, parts := range headParts(m.r.About)[:2] {
		if len(parts) > 0 {
			m.add(markdownText(strings.Join(parts, " · "), 400) + "  \n")
		}
	}
	p := &page{r: Report{Summary: m.r.Summary, Started: m.r.Started, Ended: m.r.Ended, Created: m.r.Created, Removed: m.r.Removed, Left: m.r.Left},
		o: ConsoleOptions{Width: 1000}}
	p.summary()
	m.add(markdownText(strings.TrimSpace(p.String()), 400) + "\n\n")
}

// openCases lists the cases that did not pass, the worst first, each rank in the order of the plan.
func openCases(r Report) []Case {
	var out []Case
	for _, c := range casesOfCI(r) {
		if c.Verdict != Pass && c.Verdict != NotApplicable {
			out = append(out, c)
		}
	}
	rank := func(c Case) int {
		switch {
		case c.Verdict == Fail && verdictWord(c, r.About.Strict) == "FAIL":
			return 0
		case isKnown(c):
			return 5
		case c.Verdict == NotRun:
			return 4
		}
		return 1 + int(Fail-c.Verdict)
	}
	slices.SortStableFunc(out, func(a, b Case) int { return rank(a) - rank(b) })
	return out
}

// table writes one line for each case that did not pass, in at most half of the room.
func (m *markdown) table(open []Case) {
	if len(open) == 0 {
		return
	}
	n := m.rows("### What did not pass\n\n", open, "\n", m.left/2)
	m.leftOut(len(open)-n, "more case that did not pass is", "more cases that did not pass are")
}

// rows writes a table of as many cases as fit into room, and gives how many that are.
func (m *markdown) rows(front string, cases []Case, back string, room int) int {
	var rows []string
	for used, i := 0, 0; i < len(cases) && used <= room; i++ {
		rows = append(rows, m.row(cases[i]))
		used += len(rows[i])
	}
	kept := m.left - min(room, m.left)
	m.left -= kept
	n := m.lines(front+tableHead("case", "verdict", "expected", "found", "why"), rows, back)
	m.left += kept
	return n
}

// lines writes as many rows as there is room for, between front and back, and gives how many that are. Without a row
// it writes nothing.
func (m *markdown) lines(front string, rows []string, back string) int {
	room := m.left - len(front) - len(back)
	for i, row := range rows {
		if room -= len(row); room < 0 {
			rows = rows[:i]
			break
		}
	}
	if len(rows) > 0 {
		m.add(front + strings.Join(rows, "") + back)
	}
	return len(rows)
}

func (m *markdown) row(c Case) string {
	expected, found := countsText(c.Records)
	why := whyText(c)
	if c.Verdict == Pass {
		why = c.Reason
	}
	return tableRow(markdownText(c.ID, 200), verdictWord(c, m.r.About.Strict),
		markdownText(strings.TrimSuffix(expected, " expected"), 80), markdownText(strings.TrimSuffix(found, " found"), 80),
		markdownText(why, 500))
}

// rest lists in folded tables what passed and what does not apply.
func (m *markdown) rest() {
	for _, part := range []struct {
		verdict   Verdict
		word      string
		one, many string
	}{
		{Pass, "passed", "more passed case is", "more passed cases are"},
		{NotApplicable, "not applicable", "more case that does not apply is", "more cases that do not apply are"},
	} {
		var cases []Case
		for _, c := range m.r.Cases {
			if c.Verdict == part.verdict {
				cases = append(cases, c)
			}
		}
		if len(cases) == 0 {
			continue
		}
		front := fmt.Sprintf("<details><summary>%d %s</summary>\n\n", len(cases), part.word)
		n := m.rows(front, cases, "\n</details>\n\n", m.left)
		m.leftOut(len(cases)-n, part.one, part.many)
	}
}
