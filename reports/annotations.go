package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// annotationsAtMost is how many errors, and how many warnings, GitHub shows of one step.
const annotationsAtMost = 10

// annotationText is the longest line of an annotation: GitHub cuts long messages itself, and without a word.
const annotationText = 500

// Annotations writes the report as GitHub workflow commands, to be printed by a step of a workflow.
//
//	::error file=features/concurrency.feature,line=9,title=FAIL double-send::duplicate: 2 records for one key%0A…
//	::warning title=inconclusive crash-retry::the observer tasks is not trusted
//	::notice title=idemcheck::exit 1: 1 must broken: double-send (duplicate)%0A6 cases: 5 pass, 1 fail
//
// An error is what breaks the run, or went wrong; a warning is a failure of a lower level, and what could not be told. A
// known failure is counted in the last line only. GitHub shows 10 of each, so no more are written, and the last line, a
// notice, says how many were left out.
func Annotations(w io.Writer, r Report) error {
	var b strings.Builder
	left := map[string]int{}
	for _, command := range []string{"error", "warning"} {
		written := 0
		for _, c := range casesOfCI(r) {
			switch {
			case annotationCommand(c, r.About.Strict) != command:
			case written == annotationsAtMost:
				left[command]++
			default:
				b.WriteString(annotation(command, r, c))
				written++
			}
		}
	}
	b.WriteString(annotationSummary(r, left))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the annotations: %w", err)
	}
	return nil
}

// annotationCommand says how loudly a case is told; empty: not at all.
func annotationCommand(c Case, strict bool) string {
	switch {
	case isKnown(c):
		return ""
	case c.Verdict == Error, c.Verdict == Fail && verdictWord(c, strict) == "FAIL":
		return "error"
	case c.Verdict == Fail, c.Verdict == Inconclusive:
		return "warning"
	}
	return ""
}

func annotation(command string, r Report, c Case) string {
	properties := []string{}
	if file, line := fileLine(c.URI); file != "" {
		properties = append(properties, "file="+annotationProperty(file), "line="+strconv.Itoa(line))
	}
	properties = append(properties, "title="+annotationProperty(clip(verdictWord(c, r.About.Strict)+" "+c.ID, annotationText)))
	_, why := firstFinding(c)
	lines := []string{why}
	if expected, found := countsText(c.Records); expected != "" {
		lines = append(lines, expected+", "+found)
	}
	if len(c.Points) > 0 {
		lines = append(lines, crashSummary(c.Points))
	}
	lines = append(lines, c.Title)
	for i, line := range lines {
		lines[i] = clip(visible(line), annotationText)
	}
	if command := rerun(r, c); command != "" {
		lines = append(lines, "run again: "+command)
	}
	return "::" + command + " " + strings.Join(properties, ",") + "::" + annotationMessage(lines) + "\n"
}

// fileLine reads "file:line".
func fileLine(uri string) (file string, line int) {
	i := strings.LastIndexByte(uri, ':')
	if i < 1 {
		return "", 0
	}
	line, err := strconv.Atoi(uri[i+1:])
	if err != nil || line < 1 {
		return "", 0
	}
	return uri[:i], line
}

// annotationSummary is the last line: the verdict of the run and what was left out.
func annotationSummary(r Report, left map[string]int) string {
	p := &page{r: Report{Summary: r.Summary, Started: r.Started, Ended: r.Ended, Created: r.Created, Removed: r.Removed, Left: r.Left},
		o: ConsoleOptions{Width: 1000}}
	p.summary()
	lines := []string{fmt.Sprintf("exit %d: %s", r.Outcome.Exit, clip(visible(r.Outcome.Reason), annotationText)), strings.TrimSpace(p.String())}
	for _, word := range []string{"error", "warning"} {
		if n := left[word]; n > 0 {
			lines = append(lines, fmt.Sprintf("%s left out: GitHub shows %d", plural(n, "more "+word+" is", "more "+word+"s are"), annotationsAtMost))
		}
	}
	return "::notice title=idemcheck::" + annotationMessage(lines) + "\n"
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotationMessage joins the lines of a message, which are visible already.
func annotationMessage(lines []string) string {
	return messageEscapes.Replace(strings.Join(lines, "\n"))
}

// annotationProperty escapes the value of a property, in which a comma or a colon would begin something new.
func annotationProperty(s string) string { return propertyEscapes.Replace(visible(s)) }
