package reports

import (
	"strings"
)

const (
	passingRows = 30  // passing points that the console lists, unless everything is asked for
	otherRows   = 200 // others
	leastPoint  = 24  // columns of a point
	leastSaw    = 10  // columns of what the client saw
)

// The columns of the crash table.
const (
	crashPart = iota
	crashSaw
	crashRetry
	crashRecords
	crashRecovery
	crashColumns
)

// crash writes the table of a crash sweep:
//
//	crash points   3 points: 2 pass, 1 fail (duplicate: INSERT INTO orders#1:after)
//	fault          At each point the target was killed and started again on the same data. …
//	   point                       client saw          retry        records  recovery
//	✓  BEGIN#1:before              no answer (closed)  201 created  1 of 1   412 ms
//	✕  INSERT INTO orders#1:after  no answer (closed)  201 created  2 of 1   431 ms
//	   duplicate: 2 records for one key
func (p *page) crash(c Case) {
	if len(c.Points) == 0 {
		return
	}
	p.gap()
	p.para(2, "crash points", labelColumn, crashSummary(c.Points))
	p.para(2, "fault", labelColumn, crashCaption(c.Points))
	passing, others := passingRows, otherRows
	if p.o.Verbose {
		passing, others = len(c.Points), len(c.Points)
	}
	shown, left := choosePoints(c.Points, passing, others)
	rows := make([]crashRow, len(shown))
	for i, point := range shown {
		rows[i] = newCrashRow(point, mixedFaults(c.Points))
	}
	if widths, ok := crashWidths(rows, p.o.Width); ok {
		p.crashTable(rows, widths)
	} else {
		p.crashList(rows)
	}
	if left != "" {
		p.line("     %s", p.in(sgrDim, "… "+left+" (--verbose and the JSON report show them)"))
	}
	p.gap()
}

func (r crashRow) cells() [crashColumns]string {
	return [crashColumns]string{crashPart: r.Point, crashSaw: r.Saw, crashRetry: r.Retry, crashRecords: r.records(), crashRecovery: r.Recovery}
}

// records says how many records there are of how many that are right: "2 of 1", "3 of (0 or 1)".
func (r crashRow) records() string {
	if strings.Contains(r.Expected, " ") {
		return r.Found + " of (" + r.Expected + ")"
	}
	return r.Found + " of " + r.Expected
}

func crashHead() [crashColumns]string {
	return [crashColumns]string{crashPart: "point", crashSaw: "client saw", crashRetry: "retry", crashRecords: "records", crashRecovery: "recovery"}
}

// crashWidths gives the widths of the columns; ok is false where there is no room for them beside each other. Points are
// shortened first: their ends tell them apart.
func crashWidths(rows []crashRow, width int) (widths [crashColumns]int, ok bool) {
	over := tableIndent - 2 - width
	for col, head := range crashHead() {
		widths[col] = cells(head)
		for _, r := range rows {
			widths[col] = max(widths[col], cells(r.cells()[col]))
		}
		over += widths[col] + 2
	}
	for _, column := range [][2]int{{crashPart, leastPoint}, {crashSaw, leastSaw}} {
		give := min(over, widths[column[0]]-column[1])
		if give > 0 {
			widths[column[0]] -= give
			over -= give
		}
	}
	return widths, over <= 0 && width >= narrow
}

// tableIndent is what stands in front of the columns: the margin and the mark of the verdict.
const tableIndent = 5

func (p *page) crashTable(rows []crashRow, widths [crashColumns]int) {
	margin := strings.Repeat(" ", tableIndent)
	p.line("%s%s", margin, p.in(sgrDim, crashLine(crashHead(), widths)))
	for _, r := range rows {
		p.line("  %s  %s", r.mark(p.paint), crashLine(r.cells(), widths))
		if cells(r.Point) > widths[crashPart] && r.Why != "" {
			r.Why = clip(r.Point, mostText/2) + ": " + r.Why // in full, where the column had no room for it
		}
		p.crashWhy(r)
	}
}

func crashLine(row [crashColumns]string, widths [crashColumns]int) string {
	var b strings.Builder
	for col, cell := range row {
		if col == crashPart {
			cell = clipMiddle(cell, widths[col])
		}
		b.WriteString(pad(clip(cell, widths[col]), widths[col]+2))
	}
	return strings.TrimRight(b.String(), " ")
}

// crashList writes the points below each other, for narrow terminals.
func (p *page) crashList(rows []crashRow) {
	for _, r := range rows {
		p.line("  %s  %s", r.mark(p.paint), clipMiddle(r.Point, max(p.o.Width-tableIndent, leastPoint)))
		parts := []string{"client saw " + r.Saw, "retry " + r.Retry, "records " + r.records(), "recovery " + r.Recovery}
		for _, l := range flow(parts, " · ", max(p.o.Width-tableIndent, leastPoint)) {
			p.line("     %s", p.in(sgrDim, clip(l, mostText)))
		}
		p.crashWhy(r)
	}
}

// crashWhy says below a point why it did not pass.
func (p *page) crashWhy(r crashRow) {
	switch {
	case r.Verdict == Pass:
	case r.Verdict == Fail && r.Why != "":
		p.para(tableIndent, "", 0, r.Why)
	default:
		p.para(tableIndent, "", 0, strings.TrimSuffix(strings.ReplaceAll(r.Verdict.String(), "-", " ")+": "+r.Why, ": "))
	}
}

// mark is the verdict of a point in one character. Where it is no pass, the line below says it in words.
func (r crashRow) mark(in paint) string {
	sgr := map[Verdict]string{Pass: sgrGreen, Fail: sgrRed, Error: sgrMagenta, Inconclusive: sgrYellow}[r.Verdict]
	if r.Known {
		sgr = sgrYellow
	}
	return in.in(sgr, pad(htmlGlyphs[r.Verdict], 1))
}
