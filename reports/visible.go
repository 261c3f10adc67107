package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible writes every character that does not print (controls, escape sequences, direction overrides, zero-width
// characters, bytes that are no UTF-8) as an escape, so that a text from a target is seen and cannot steer a terminal,
// start a line of its own or hide a part of itself.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// visibleCopy gives a deep copy of v in which every text is visible. What is printed is a copy, so that no single line of
// a report has to remember to do it.
func visibleCopy[T any](v T) T {
	return mapTexts(v, visible)
}
