package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// The colours of a badge. White on each has a contrast of at least 4.5 to 1 (WCAG 2.2, AA).
const (
	badgeLabelColor  = "#374151"
	badgePassColor   = "#15803d"
	badgeBrokenColor = "#b91c1c"
	badgeUntoldColor = "#854d0e"
)

const (
	badgeLabel  = "idempotency"
	badgeMargin = 7 // left and right of each text
)

// Badge writes the verdict as a small SVG image: "idempotency | 42 pass", "idempotency | 2 broken" or
// "idempotency | could not tell".
//
//	<svg xmlns="http://www.w3.org/2000/svg" width="127" height="20" role="img" aria-label="idempotency: 42 pass">…
//
// It needs no font of its own: each text is drawn to the width that was computed for it.
func Badge(w io.Writer, r Report) error {
	text := badgeText(r)
	left, right := textWidth(badgeLabel), textWidth(text)
	split := left + 2*badgeMargin
	width := split + right + 2*badgeMargin
	var name strings.Builder
	if err := xml.EscapeText(&name, []byte(badgeLabel+": "+text)); err != nil {
		return fmt.Errorf("write the badge: %w", err)
	}
	_, err := fmt.Fprintf(w, badgeSVG, width, name.String(), split, badgeLabelColor, width-split, badgeColor(r),
		badgeMargin, left, badgeLabel, split+badgeMargin, right, text)
	if err != nil {
		return fmt.Errorf("write the badge: %w", err)
	}
	return nil
}

const badgeSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" viewBox="0 0 %[1]d 20" role="img" aria-label="%[2]s">
  <title>%[2]s</title>
  <clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="%[3]d" height="20" fill="%[4]s"/>
    <rect x="%[3]d" width="%[5]d" height="20" fill="%[6]s"/>
  </g>
  <g fill="#ffffff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" aria-hidden="true">
    <text x="%[7]d" y="14" textLength="%[8]d">%[9]s</text>
    <text x="%[10]d" y="14" textLength="%[11]d">%[12]s</text>
  </g>
</svg>
`

// badgeText gives the verdict of the run in few words, all of them our own. A passed run names what it passed in spite
// of.
func badgeText(r Report) string {
	switch r.Outcome.Exit {
	case ExitPass:
	case ExitBroken:
		return fmt.Sprintf("%d broken", max(brokenCases(r), 1))
	default:
		return "could not tell"
	}
	parts := []string{fmt.Sprintf("%d pass", r.Summary.Pass)}
	known, below := 0, map[targets.Level]int{}
	for _, c := range r.Cases {
		switch {
		case isKnown(c):
			known++
		case c.Verdict == Fail:
			below[c.BrokenLevel()]++
		}
	}
	for _, level := range []targets.Level{targets.Should, targets.May} {
		if n := below[level]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s broken", n, level))
		}
	}
	if known > 0 {
		parts = append(parts, fmt.Sprintf("%d known", known))
	}
	return strings.Join(parts, ", ")
}

// brokenCases counts what decides that the run is broken.
func brokenCases(r Report) int {
	n := 0
	for _, c := range casesOfCI(r) {
		if c.Verdict == Fail && verdictWord(c, r.About.Strict) == "FAIL" {
			n++
		}
	}
	return n
}

func badgeColor(r Report) string {
	switch r.Outcome.Exit {
	case ExitPass:
		return badgePassColor
	case ExitBroken:
		return badgeBrokenColor
	}
	return badgeUntoldColor
}

// textWidth gives how many pixels a text takes in Verdana at 11 pixels, near enough: it is drawn to just that width.
func textWidth(s string) int {
	width := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijl,. ", r):
			width += 3.6
		case strings.ContainsRune("frt", r):
			width += 4.5
		case strings.ContainsRune("mw", r):
			width += 9.9
		default:
			width += 6.8
		}
	}
	return int(width + 0.5)
}
