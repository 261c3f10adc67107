package crash

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxLabel      = 200 // bytes of one statement's label
	maxName       = 80
	maxStatements = 1000 // of one query that are looked at
	maxNesting    = 4    // of statements that hold others
	unknownLabel  = "statement"
)

// statement is what is known of one statement of SQL.
type statement struct {
	label      string // verb and table
	prepares   string // PREPARE: the name; the label is "prepare " and that of the statement
	executes   string // EXECUTE: the name
	forgets    string // DEALLOCATE: the name
	forgetsAll bool
}

// statements reads what a piece of SQL does, statement by statement. It takes anything.
func statements(sql string, d dialect) []statement {
	return read(sql, d, 0)
}

func read(sql string, d dialect, depth int) []statement {
	p := &labeller{lexer: lexer{s: sql, dialect: d}, depth: depth}
	var found []statement
	for len(found) < maxStatements {
		for k := p.peek().kind; k == ';' || k == '('; k = p.peek().kind {
			p.next()
		}
		if p.peek().kind == endToken {
			break
		}
		s := p.statement()
		s.label = clean(s.label, maxLabel)
		found = append(found, s)
		for k := p.peek().kind; k != ';' && k != endToken; k = p.peek().kind {
			p.next()
		}
	}
	return found
}

// clean makes one printable line of bounded length.
func clean(s string, size int) string {
	if len(s) > size {
		s = s[:size]
	}
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// labeller reads statements.
type labeller struct {
	lexer
	depth int
}

// statement reads the beginning of a statement.
func (p *labeller) statement() statement {
	t := p.next()
	if t.kind != wordToken {
		return statement{label: unknownLabel}
	}
	verb := strings.ToUpper(clean(t.text, maxName))
	switch verb {
	case "PREPARE":
		return p.prepare()
	case "EXECUTE":
		name := p.name()
		return statement{label: "EXECUTE", executes: name}
	case "DEALLOCATE":
		p.skip("PREPARE")
		if p.skip("ALL") {
			return statement{label: "DEALLOCATE", forgetsAll: true}
		}
		return statement{label: "DEALLOCATE", forgets: p.name()}
	case "DISCARD":
		return statement{label: verb, forgetsAll: p.skip("ALL")}
	case "WITH":
		return statement{label: p.with()}
	}
	return statement{label: p.plain(verb)}
}

// plain gives the label of a statement that holds no other.
func (p *labeller) plain(verb string) string {
	switch verb {
	case "SELECT":
		return p.selects()
	case "INSERT", "REPLACE", "MERGE":
		p.skipAll("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE")
		p.skip("INTO")
		return named(verb+" INTO", p.name())
	case "DELETE":
		p.until("FROM")
		p.skip("ONLY")
		return named("DELETE FROM", p.name())
	case "UPDATE":
		p.skipAll("ONLY", "LOW_PRIORITY", "IGNORE")
		return named(verb, p.name())
	case "CREATE", "ALTER", "DROP":
		return p.defines(verb)
	case "TRUNCATE", "LOCK":
		p.skipAll("TABLE", "TABLES", "ONLY")
		return named(verb, p.name())
	case "SET":
		p.skipAll("SESSION", "LOCAL", "GLOBAL")
		return named(verb, p.name())
	case "CALL", "COPY", "SHOW", "LISTEN", "UNLISTEN", "NOTIFY", "USE", "TABLE", "REFRESH", "REINDEX":
		return named(verb, p.name())
	}
	return p.transaction(verb)
}

// transaction gives the label of what begins and ends transactions, without names: they are often numbered.
func (p *labeller) transaction(verb string) string {
	switch verb {
	case "START":
		return "BEGIN"
	case "COMMIT", "END":
		return p.ending("COMMIT")
	case "ROLLBACK", "ABORT":
		p.skip("WORK", "TRANSACTION")
		if p.skip("TO") {
			return "ROLLBACK TO"
		}
		return p.ending("ROLLBACK")
	case "XA", "LOAD":
		return named(verb, strings.ToUpper(p.name()))
	}
	return verb
}

func (p *labeller) ending(verb string) string {
	if p.skip("PREPARED") {
		return verb + " PREPARED"
	}
	return verb
}

// selects gives the label of a SELECT: the first table, or the first function where there is none.
func (p *labeller) selects() string {
	p.skipAll("DISTINCT", "ALL")
	first, depth := p.peek(), 0
	for {
		t := p.next()
		switch {
		case t.kind == endToken, t.kind == ';', t.kind == ')' && depth == 0:
			p.ahead, p.peeked = t, true
			return selected(first)
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case depth == 0 && t.is("FROM"):
			return p.from()
		}
	}
}

// from gives the label of a SELECT whose FROM was just read. The table may stand in parentheses, or in a query there.
func (p *labeller) from() string {
	for p.peek().kind == '(' {
		p.next()
	}
	if p.peek().is("SELECT") {
		p.until("FROM")
		for p.peek().kind == '(' {
			p.next()
		}
	}
	p.skipAll("ONLY", "LATERAL")
	return named("SELECT FROM", p.name())
}

// selected gives the label of a SELECT without FROM.
func selected(first token) string {
	switch {
	case first.kind == wordToken, first.kind == numberToken && first.text == "1":
		return "SELECT " + clean(first.text, maxName)
	default:
		return "SELECT"
	}
}

// defines gives the label of what changes the schema.
func (p *labeller) defines(verb string) string {
	p.skipAll("OR", "REPLACE", "TEMP", "TEMPORARY", "UNIQUE", "UNLOGGED", "GLOBAL", "LOCAL", "MATERIALIZED", "DEFINER")
	t := p.next()
	if t.kind != wordToken {
		return verb
	}
	p.skipAll("CONCURRENTLY", "IF", "NOT", "EXISTS", "ONLY")
	return named(verb+" "+strings.ToUpper(clean(t.text, maxName)), p.name())
}

// named puts a name behind a verb, if there is one.
func named(verb, name string) string {
	if name == "" {
		return verb
	}
	return verb + " " + name
}

// name reads a name with its qualifiers. Signs of variables are skipped.
func (p *labeller) name() string {
	for p.peek().kind == '@' || p.peek().kind == ':' {
		p.next()
	}
	var parts []string
	for len(parts) < 4 {
		t := p.peek()
		if t.kind != wordToken && t.kind != quotedToken {
			break
		}
		p.next()
		parts = append(parts, clean(t.text, maxName))
		if p.peek().kind != '.' {
			break
		}
		p.next()
	}
	return strings.Join(parts, ".")
}

// skipAll takes all words of the list that come now.
func (p *labeller) skipAll(words ...string) {
	for p.skip(words...) {
	}
}

// until takes everything up to and with one of the words, but no more than the statement.
func (p *labeller) until(words ...string) {
	for {
		t := p.peek()
		if t.kind == endToken || t.kind == ';' {
			return
		}
		p.next()
		if slices.ContainsFunc(words, t.is) {
			return
		}
	}
}
