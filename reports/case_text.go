package reports

import "strings"

// CaseText gives what is known of one case as plain text, as the console report shows it in detail, without the commands
// that repeat it by hand: for the output of a test. It ends without a line feed.
func CaseText(r Report, c Case) string {
	p := plainPage(r, 110)
	c, err := c.whole()
	c = visibleCopy(c)
	short := newShortener(idsOf(c))
	p.evidence(c)
	p.tallies(c)
	p.gap()
	p.timeline(c, short)
	if err != nil {
		p.line("  %s", visible(err.Error()))
	}
	return strings.Trim(p.String(), "\n")
}
