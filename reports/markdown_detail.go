package reports

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	codeWidth    = 110     // columns of the code blocks
	commandsRoom = 6 << 10 // bytes of the commands of one case; more is nothing to copy from a comment
	blockLines   = 40      // lines of the folded lists of warnings and of records left
	againRoom    = 2 << 10 // bytes of one command that runs a case again
	findingRoom  = 600     // bytes of one text of a finding
)

// details writes what is known of each failure and error, one folded part for each. Where the whole of one has no room,
// its findings may.
func (m *markdown) details(open []Case) {
	open = slices.DeleteFunc(slices.Clone(open), func(c Case) bool { return !hasDetail(c) })
	for i, c := range open {
		c, err := c.whole()
		m.err = errors.Join(m.err, err)
		if !m.addDetail(visibleCopy(c)) {
			m.leftOut(len(open)-i, "more case in detail is", "more cases in detail are")
			return
		}
	}
}

// addDetail writes the folded part of one case as far as there is room: with its timeline, its commands and the points
// that passed, else without these points, else with its findings and the points that did not pass.
func (m *markdown) addDetail(c Case) bool {
	lean := min(m.left/2, pointsRoom)
	room := min(m.left/2-len(m.detail(c, true, "")), pointsRoom) // half is for the cases to come
	if len(c.Points) == 0 || room < lean/4 {
		room = 0
	}
	if room > 0 && m.add(m.detail(c, true, markdownPoints(c, room, true))) {
		return true
	}
	points := markdownPoints(c, lean, false)
	return m.add(m.detail(c, true, points)) || m.add(m.detail(c, false, points)) || points != "" && m.add(m.detail(c, false, ""))
}

// hasDetail reports whether there is more to say of a case than its line in the table does.
func hasDetail(c Case) bool {
	if c.ofRun {
		return len(c.Findings)+len(c.Notes) > 0
	}
	broken := slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Err != "" })
	return c.Verdict == Fail && !isKnown(c) || c.Verdict == Error || c.Verdict == Inconclusive && (broken || len(c.Points) > 0)
}

// detail gives the folded part of one case, which is visible already, with its crash table. Without `all` it has neither
// timeline nor commands.
func (m *markdown) detail(c Case, all bool, points string) string {
	var b strings.Builder
	var origin []string
	for _, s := range append([]string{string(c.Level), c.URI}, c.Source...) {
		if s != "" {
			origin = append(origin, s)
		}
	}
	b.WriteString(markdownText(strings.Join(origin, " · "), 600) + "\n\n")
	if c.Verdict != Fail && c.Reason != "" {
		b.WriteString(markdownText(c.Reason, findingRoom) + "\n\n")
	}
	b.WriteString(markdownFindings(c) + points)
	if all {
		b.WriteString(markdownPayload(c))
		b.WriteString(m.evidence(c))
	}
	if again := rerun(m.r, c); again != "" && len(again) <= againRoom {
		b.WriteString("Run again:\n\n" + fenced("sh", again))
	}
	return folded("<b>"+verdictWord(c, m.r.About.Strict)+"</b> "+markdownText(caseName(c), 400), b.String())
}

// markdownFindings lists the findings of a case, then the steps that broke.
func markdownFindings(c Case) string {
	var b strings.Builder
	for _, f := range c.Findings[:min(len(c.Findings), idsAtMost)] {
		level := string(f.Level)
		if f.Known != "" {
			level = "known: " + f.Known
		}
		fmt.Fprintf(&b, "- **%s** (%s): %s\n", markdownText(string(f.Kind), 80), markdownText(level, 200), markdownText(f.Message, findingRoom))
		for _, row := range [][2]string{
			{"expected", f.Expected}, {"found", f.Found},
			{"ids", shortener(longestID).join(f.IDs, idsAtMost)}, {"shown by", strings.Join(f.Exchanges, " · ")},
		} {
			if row[1] != "" {
				fmt.Fprintf(&b, "  - %s: %s\n", row[0], markdownText(row[1], findingRoom))
			}
		}
	}
	if more := len(c.Findings) - idsAtMost; more > 0 {
		fmt.Fprintf(&b, "- and %s\n", plural(more, "more finding", "more findings"))
	}
	broken := slices.DeleteFunc(slices.Clone(c.Steps), func(s Step) bool { return s.Err == "" })
	for _, s := range broken[:min(len(broken), idsAtMost)] {
		fmt.Fprintf(&b, "- broken step: %s\n", markdownText(s.Text+": "+s.Err, findingRoom))
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "\n"
}

// evidence gives what was seen, the counts and the timeline of a case, and the commands that send it by hand.
func (m *markdown) evidence(c Case) string {
	short := newShortener(idsOf(c))
	p := plainPage(m.r, codeWidth)
	p.notes(c)
	p.overlap(c)
	if c.Artifact != nil {
		p.artifact(*c.Artifact, short)
	} else {
		p.tallies(c)
	}
	p.gap()
	p.timeline(c, short)
	out := ""
	if text := strings.Trim(p.String(), "\n"); text != "" {
		out = fenced("text", dedent(text, 2)) + "\n"
	}
	p = plainPage(m.r, codeWidth)
	p.reproduction(c)
	_, commands, _ := strings.Cut(p.String(), "\n") // without its label
	switch commands = dedent(strings.Trim(commands, "\n"), 4); {
	case commands == "":
	case len(commands) > commandsRoom:
		out += "By hand: the commands are too long for here; the JSON report has them.\n\n"
	default:
		out += "By hand:\n\n" + fenced("sh", commands) + "\n"
	}
	return out
}

// dedent takes n blanks from the beginning of each line.
func dedent(text string, n int) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, strings.Repeat(" ", n))
	}
	return strings.Join(lines, "\n")
}

// blocks writes the folded lists of what should be known beside the verdicts: warnings, records left on the target.
func (m *markdown) blocks() {
	warned := Report{}
	warnings := 0
	for _, c := range m.r.Cases {
		notes := slices.DeleteFunc(slices.Clone(c.Notes), func(n Note) bool { return !n.Warning })
		if warnings += len(notes); len(notes) > 0 && len(warned.Cases) < blockLines {
			warned.Cases = append(warned.Cases, Case{CasePlanned: CasePlanned{ID: c.ID}, Notes: notes})
		}
	}
	m.block(warnings, "warning", "warnings", visibleCopy(warned), (*page).warnings)
	left := m.r.Left
	shown := min(len(left), leftAtMost) // the others are only counted
	left = append(visibleCopy(left[:shown]), left[shown:]...)
	m.block(len(left), "record is still on the target", "records are still on the target", Report{Left: left}, (*page).left)
}

// block writes a list of the console report, folded, without its first line. The report is visible already.
func (m *markdown) block(n int, one, many string, r Report, write func(*page)) {
	if n == 0 {
		return
	}
	p := &page{r: r, o: ConsoleOptions{Width: codeWidth}}
	write(p)
	lines := strings.Split(strings.Trim(p.String(), "\n"), "\n")[1:]
	if len(lines) > blockLines {
		lines = append(lines[:blockLines], "… (the JSON report has them all)")
	}
	text := fenced("text", dedent(strings.Join(lines, "\n"), 2))
	if !m.add(folded(plural(n, one, many), text)) {
		m.leftOut(n, one+", which is", many+", which are")
	}
}
