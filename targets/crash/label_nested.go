package crash

import (
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// prepare reads a PREPARE: PREPARE name (types) AS statement, or in MySQL PREPARE name FROM 'statement'.
func (p *labeller) prepare() statement {
	if p.skip("TRANSACTION") {
		return statement{label: "PREPARE TRANSACTION"}
	}
	name := p.name()
	p.until("AS", "FROM")
	inner := unknownLabel
	switch t := p.peek(); {
	case p.depth >= maxNesting:
	case t.kind == stringToken:
		inner = join(labelsOf(read(t.text, p.dialect, p.depth+1)))
	case t.kind == wordToken:
		p.depth++
		inner = p.statement().label
		p.depth--
	}
	return statement{label: targets.Preparing + inner, prepares: name}
}

func labelsOf(found []statement) []string {
	labels := make([]string, len(found))
	for i, s := range found {
		labels[i] = s.label
	}
	return labels
}

// with reads a WITH: the statements within that write, and the one behind unless it only selects what they have given.
func (p *labeller) with() string {
	p.skip("RECURSIVE")
	var writes []string
	for {
		p.name()
		if p.peek().kind == '(' { // names of columns
			p.next()
			p.closing()
		}
		p.until("AS")
		p.skipAll("NOT", "MATERIALIZED")
		if p.peek().kind != '(' {
			return unknownLabel
		}
		p.next()
		if label, is := p.write(); is && len(writes) < maxParts {
			writes = append(writes, label)
		}
		p.closing()
		if p.peek().kind != ',' {
			break
		}
		p.next()
	}
	return p.behind(writes)
}

// behind adds the statement behind the queries of a WITH.
func (p *labeller) behind(writes []string) string {
	for t := p.peek(); t.kind == '(' || t.is("SEARCH") || t.is("CYCLE"); t = p.peek() {
		if t.kind != '(' {
			p.untilPeek("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE")
			break
		}
		p.next()
	}
	t := p.peek()
	if t.kind == wordToken && (!t.is("SELECT") || len(writes) == 0) {
		p.next()
		writes = append(writes, p.plain(strings.ToUpper(clean(t.text, maxName))))
	}
	if len(writes) == 0 {
		return unknownLabel
	}
	return strings.Join(writes, " + ")
}

// write gives the label of a query within WITH, if it writes.
func (p *labeller) write() (string, bool) {
	for _, verb := range []string{"INSERT", "UPDATE", "DELETE", "MERGE"} {
		if p.skip(verb) {
			return p.plain(verb), true
		}
	}
	return "", false
}

// closing takes everything up to the parenthesis that closes the one before.
func (p *labeller) closing() {
	for depth := 1; depth > 0; {
		t := p.peek()
		switch t.kind {
		case endToken, ';':
			return
		case '(':
			depth++
		case ')':
			depth--
		}
		p.next()
	}
}

// untilPeek takes everything before one of the words.
func (p *labeller) untilPeek(words ...string) {
	for {
		t := p.peek()
		if t.kind == endToken || t.kind == ';' {
			return
		}
		for _, w := range words {
			if t.is(w) {
				return
			}
		}
		p.next()
	}
}
