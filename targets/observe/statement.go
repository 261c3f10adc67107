package observe

import "strings"

// readers are the words that a query begins with. Other statements are refused when the observer is opened, though
// queries run read-only: MariaDB carries out a `drop table` inside a read-only transaction (found with 10.11).
var readers = map[string]bool{"select": true, "with": true, "values": true, "table": true}

// reads reports whether the first word of SQL, behind comments and parentheses, is a reader.
func reads(query string) bool {
	for rest := query; rest != ""; {
		n, blank := token(rest)
		if !blank && rest[0] != '(' {
			return readers[word(rest)]
		}
		rest = rest[n:]
	}
	return false
}

// word gives the letters at the beginning, in lower case.
func word(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return (r|' ') < 'a' || (r|' ') > 'z' })
	if end < 0 {
		end = len(s)
	}
	return strings.ToLower(s[:end])
}

// oneStatement reports whether nothing but space and comments follows the first semicolon outside of quotes.
func oneStatement(query string) bool {
	ended := false
	for rest := query; rest != ""; {
		n, blank := token(rest)
		if rest[:n] == ";" {
			ended = true
		} else if ended && !blank {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// token gives the length of the quoted text, comment or character at the beginning of SQL, and whether it is blank.
func token(s string) (n int, blank bool) {
	switch {
	case strings.HasPrefix(s, "--"):
		return through(s, 2, "\n"), true
	case strings.HasPrefix(s, "/*!"), strings.HasPrefix(s, "/*M!"):
		return 1, false // what MySQL and MariaDB carry out is no comment
	case strings.HasPrefix(s, "/*"):
		return through(s, 2, "*/"), true
	case s[0] == '\'' || s[0] == '"' || s[0] == '`':
		return through(s, 1, s[:1]), false // a doubled quote reads as two texts in a row, which ends at the same place
	case s[0] == '[':
		return through(s, 1, "]"), false
	}
	return 1, strings.TrimSpace(s[:1]) == ""
}

// through gives the length up to and including end, searched from a position; all of s where there is none.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}
