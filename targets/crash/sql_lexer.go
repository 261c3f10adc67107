package crash

import "strings"

// dialect is whose SQL is read.
type dialect int

const (
	postgresSQL dialect = iota
	mysqlSQL
)

// tokenKind is what a token is. Punctuation has its own byte as its kind.
type tokenKind byte

const (
	endToken    tokenKind = 0
	wordToken   tokenKind = 'w'
	quotedToken tokenKind = 'q' // a quoted name; the text is without quotes
	stringToken tokenKind = 's'
	numberToken tokenKind = 'n' // and parameters
)

type token struct {
	kind tokenKind
	text string
}

// is reports whether the token is a word, written in any case.
func (t token) is(word string) bool { return t.kind == wordToken && strings.EqualFold(t.text, word) }

// lexer cuts SQL into tokens. It never fails: what has no end ends with the text.
type lexer struct {
	s       string
	dialect dialect
	ahead   token
	peeked  bool
}

// peek gives the next token without taking it.
func (l *lexer) peek() token {
	if !l.peeked {
		l.ahead, l.peeked = l.scan(), true
	}
	return l.ahead
}

// next takes a token.
func (l *lexer) next() token {
	t := l.peek()
	l.peeked = false
	return t
}

// skip takes the next token if it is one of the words.
func (l *lexer) skip(words ...string) bool {
	for _, w := range words {
		if l.peek().is(w) {
			l.next()
			return true
		}
	}
	return false
}

// scan reads a token.
func (l *lexer) scan() token {
	l.blank()
	if l.s == "" {
		return token{}
	}
	switch c := l.s[0]; {
	case isWord(c) && !isDigit(c) && c != '$':
		return l.word()
	case isDigit(c):
		return token{numberToken, l.take(l.span(isNumber))}
	case c == '\'':
		return token{stringToken, l.quoted(c, l.dialect == mysqlSQL)}
	case c == '"' || c == '`':
		return token{quotedToken, l.quoted(c, false)}
	case c == '$' && l.dialect == postgresSQL:
		return l.dollar()
	default:
		return token{tokenKind(c), l.take(1)}
	}
}

// blank skips white space and comments.
func (l *lexer) blank() {
	for {
		l.s = strings.TrimLeft(l.s, " \t\r\n\f\v\x00")
		switch {
		case strings.HasPrefix(l.s, "--"), l.dialect == mysqlSQL && strings.HasPrefix(l.s, "#"):
			_, l.s, _ = strings.Cut(l.s, "\n")
		case strings.HasPrefix(l.s, "/*"):
			l.comment()
		default:
			return
		}
	}
}

// comment skips a comment, which in PostgreSQL may hold others.
func (l *lexer) comment() {
	depth := 0
	for i := 0; i+1 < len(l.s); i++ {
		switch {
		case l.s[i] == '/' && l.s[i+1] == '*' && (depth == 0 || l.dialect == postgresSQL):
			depth++
			i++
		case l.s[i] == '*' && l.s[i+1] == '/':
			depth--
			i++
			if depth == 0 {
				l.s = l.s[i+1:]
				return
			}
		}
	}
	l.s = ""
}

// word reads a word, or a string with a letter before it (E'…').
func (l *lexer) word() token {
	n := l.span(isWord)
	if n == 1 && len(l.s) > 1 && l.s[1] == '\'' {
		escapes := l.dialect == mysqlSQL || l.s[0] == 'e' || l.s[0] == 'E'
		l.take(1)
		return token{stringToken, l.quoted('\'', escapes)}
	}
	return token{wordToken, l.take(n)}
}

// quoted reads what stands between quotes. A doubled quote stands for one.
func (l *lexer) quoted(quote byte, escapes bool) string {
	var b strings.Builder
	for i := 1; i < len(l.s); i++ {
		switch c := l.s[i]; {
		case escapes && c == '\\' && i+1 < len(l.s):
			i++
			b.WriteByte(l.s[i])
		case c != quote:
			b.WriteByte(c)
		case i+1 < len(l.s) && l.s[i+1] == quote:
			i++
			b.WriteByte(quote)
		default:
			l.s = l.s[i+1:]
			return b.String()
		}
	}
	l.s = ""
	return b.String()
}

// dollar reads a parameter, or a string between dollars ($tag$…$tag$).
func (l *lexer) dollar() token {
	n := 1
	for n < len(l.s) && isWord(l.s[n]) && l.s[n] != '$' {
		n++
	}
	if n == len(l.s) || l.s[n] != '$' || n > 1 && isDigit(l.s[1]) {
		return token{numberToken, l.take(n)}
	}
	tag := l.take(n + 1)
	text, rest, _ := strings.Cut(l.s, tag)
	l.s = rest
	return token{stringToken, text}
}

// take takes n bytes.
func (l *lexer) take(n int) string {
	t := l.s[:n]
	l.s = l.s[n:]
	return t
}

// span counts the bytes that belong to the kind.
func (l *lexer) span(belongs func(byte) bool) int {
	n := 0
	for n < len(l.s) && belongs(l.s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}

func isNumber(c byte) bool { return isWord(c) || c == '.' }
