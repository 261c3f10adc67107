package reports

import (
	"fmt"
	"strings"
)

// breakHere is a zero-width space. It stands where GitHub would make a link of a text or call a person by it.
const breakHere = "&#8203;"

// markdownText gives s so that it shows as it is in a table cell, in a paragraph and inside of HTML, in at most `most`
// bytes. Markdown reads no structure from character references, so everything that could be structure is one.
//
//	a|b <b>hi</b> @you   →   a&#124;b &lt;b&gt;hi&lt;/b&gt; @&#8203;you
func markdownText(s string, most int) string {
	var b strings.Builder
	s = visible(s)
	for i, r := range s {
		piece := markdownRune(s, i, r)
		if b.Len()+len(piece)+len("…") > most {
			return b.String() + "…"
		}
		b.WriteString(piece)
	}
	return b.String()
}

func markdownRune(s string, i int, r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '|', '`', '*', '_', '[', ']', '~', '\\':
		return fmt.Sprintf("&#%d;", r)
	case '$':
		return "<span>$</span>" // what GitHub documents against formulas
	}
	if isLinked(s, i, r) {
		return string(r) + breakHere
	}
	return string(r)
}

// isLinked reports whether the character at i is one behind which GitHub sees a mention, an issue, an address or a link:
// @you, #12, gh-12, https://, www.
func isLinked(s string, i int, r rune) bool {
	rest := s[i+1:]
	switch r {
	case '@':
		return true
	case '#':
		return startsWithDigit(rest)
	case ':':
		return strings.HasPrefix(rest, "//")
	case '.':
		return i >= 3 && strings.EqualFold(s[i-3:i], "www")
	case '-':
		return i >= 2 && strings.EqualFold(s[i-2:i], "gh") && startsWithDigit(rest)
	}
	return false
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// fenced gives a block of code. Its fence is longer than any run of backticks in the text, so no line of it can end the
// block. The text is visible already, but for its line feeds.
func fenced(language, text string) string {
	run, longest := 0, 2
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// folded gives a part that opens on a click. The summary is escaped already.
func folded(summary, body string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + strings.TrimRight(body, "\n") + "\n\n</details>\n\n"
}

// tableHead gives the first two lines of a table.
func tableHead(columns ...string) string {
	return "| " + strings.Join(columns, " | ") + " |\n|" + strings.Repeat(" --- |", len(columns)) + "\n"
}

// tableRow gives one line of a table. The cells are escaped already.
func tableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
