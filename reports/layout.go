package reports

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// cells gives how many columns of a terminal s takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

// pad fills s up to n columns; a longer s stays as it is.
func pad(s string, n int) string {
	if gap := n - cells(s); gap > 0 {
		return s + strings.Repeat(" ", gap)
	}
	return s
}

// clip cuts s to n columns, the last of them an ellipsis.
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		if used += runeCells(r); used > n-1 {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// clipMiddle cuts s to n columns and keeps its end, which is what tells crash points apart.
func clipMiddle(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	runes := []rune(s)
	from, used := len(runes), 0
	for from > 0 && used+runeCells(runes[from-1]) <= n*3/5 {
		from--
		used += runeCells(runes[from])
	}
	return clip(string(runes[:from]), n-used) + string(runes[from:])
}

// wrap breaks s between words into lines of at most n columns. A word that is longer has a line of its own.
func wrap(s string, n int) []string { return flow(strings.Fields(s), " ", n) }

// flow joins parts with sep into lines of at most n columns.
func flow(parts []string, sep string, n int) []string {
	var lines []string
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case cells(line)+cells(sep)+cells(part) <= n:
			line += sep + part
		default:
			lines, line = append(lines, line), part
		}
	}
	return append(lines, line)
}

// words gives a duration as a person says it.
func words(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// shortener cuts ids and keys to the length at which the ids of one case still differ: ids that were made at the same
// time often begin alike.
type shortener int

// shortest is the least that is left of an id. An id that loses just a character or two is not worth cutting.
const shortest = 8

func newShortener(ids []string) shortener {
	n := shortest
	for i, a := range ids {
		for _, b := range ids[:i] {
			if a == b {
				continue
			}
			same := 0
			for same < len(a) && same < len(b) && a[same] == b[same] {
				same++
			}
			n = max(n, same+1)
		}
	}
	return shortener(min(n, longestID))
}

func (s shortener) short(id string) string {
	runes := []rune(id)
	if len(runes) <= int(s)+3 {
		return id
	}
	return string(runes[:s]) + "…"
}

// join gives up to most of the ids, shortened, and how many more there are.
func (s shortener) join(ids []string, most int) string {
	var out []string
	for i, id := range ids {
		if i == most {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(ids)-most)
		}
		out = append(out, s.short(id))
	}
	return strings.Join(out, ", ")
}
