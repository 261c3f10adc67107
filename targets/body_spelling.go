package targets

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spelling is another way to write a JSON body. Some spellings mean the same to every reader of JSON (RFC 8259), others
// only to some.
type Spelling string

// The spellings.
const (
	OtherOrder    Spelling = "order"    // the members of every object in reverse order: the same value
	Spaced        Spelling = "spacing"  // white space between the tokens: the same value
	Escaped       Spelling = "escapes"  // the first character of every text as \u0041: the same value
	WithPoint     Spelling = "point"    // whole numbers as 1.0: the same number, but not to all readers
	WithExponent  Spelling = "exponent" // whole numbers as 1e0: the same number, but not to all readers
	OtherSequence Spelling = "arrays"   // the items of every list in reverse order: another value
)

// Spells reports whether the body can be written in a spelling and then has other bytes: numbers need a whole number,
// lists one with two items or more.
func (b *Body) Spells(s Spelling) bool {
	if !b.IsJSON() {
		return false
	}
	found := false
	b.root.walk(func(n node) { found = found || spells(n, s) })
	return found
}

func spells(n node, s Spelling) bool {
	switch s {
	case OtherOrder:
		return n.kind == nodeObject && len(n.members) > 1
	case Spaced:
		return n.kind == nodeObject || n.kind == nodeArray
	case Escaped:
		return n.kind == nodeText && n.text != ""
	case WithPoint, WithExponent:
		return n.kind == nodeNumber && isWhole(n.text)
	}
	return n.kind == nodeArray && len(n.items) > 1
}

// Spelled gives the body in another spelling. A body that is not JSON has none and is an error.
func (b *Body) Spelled(vars Vars, s Spelling) ([]byte, error) {
	if !b.IsJSON() {
		return nil, errors.New("spell a body in another way: it is not JSON")
	}
	root, err := expanded(b.root, vars)
	if err != nil {
		return nil, fmt.Errorf("spell a body in another way: %w", err)
	}
	switch s {
	case OtherOrder:
		return appendJSON(nil, reversed(root)), nil
	case Spaced:
		return indented(root)
	case Escaped:
		return appendJSONWith(nil, root, escapedText), nil
	case WithPoint:
		return appendJSON(nil, root.numbers(".0")), nil
	case WithExponent:
		return appendJSON(nil, root.numbers("e0")), nil
	case OtherSequence:
		return appendJSON(nil, root.sequences()), nil
	}
	return nil, fmt.Errorf("spell a body in another way: %q is no spelling", s)
}

// Added gives the body with one more top-level member that holds a text. A body that is no mapping is an error.
func (b *Body) Added(vars Vars, name, value string) ([]byte, error) {
	return b.RenderWith(vars, &Body{root: node{kind: nodeObject, members: []member{{name, textNode(value)}}}})
}

// Without gives the body without one top-level member. One that it does not have is an error.
func (b *Body) Without(vars Vars, name string) ([]byte, error) {
	if !slices.Contains(b.Members(), name) {
		return nil, fmt.Errorf("leave %s out of a body: it has no such member (it has: %s)", name, strings.Join(b.Members(), ", "))
	}
	root := b.root
	root.members = slices.DeleteFunc(slices.Clone(root.members), func(m member) bool { return m.name == name })
	return b.write(root, vars)
}

// Reworded gives a plain text with a word behind it. A structured body is an error; see Changed.
func (b *Body) Reworded(vars Vars) ([]byte, error) {
	if !b.IsText() {
		return nil, errors.New("reword a body: it is no plain text")
	}
	out, err := b.Render(vars)
	return append(out, " (changed)"...), err
}

// IsText reports whether the body is sent as the text it is.
func (b *Body) IsText() bool { return b != nil && b.text && !b.form }

// MemberMentions reports whether {{var}} stands in a top-level member.
func (b *Body) MemberMentions(name, variable string) bool {
	i := b.root.index(name)
	return i >= 0 && (&Body{root: b.root.members[i].value}).mentions(variable)
}

func indented(root node) ([]byte, error) {
	out, err := json.MarshalIndent(json.RawMessage(appendJSON(nil, root)), " ", "\t")
	if err != nil {
		return nil, fmt.Errorf("put white space into a body: %w", err)
	}
	return append(out, '\n'), nil
}

// escapedText writes a text as JSON with its first character as a \u escape, of which a character beyond U+FFFF takes two.
func escapedText(s string) []byte {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return jsonText(s)
	}
	out := []byte{'"'}
	units := []rune{r}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		units = []rune{high, low}
	}
	for _, u := range units {
		out = fmt.Appendf(out, `\u%04x`, u)
	}
	return append(out, jsonText(s[size:])[1:]...)
}

func isWhole(number string) bool { return !strings.ContainsAny(number, ".eE") }

// numbers gives n with a tail behind every whole number.
func (n node) numbers(tail string) node {
	return n.mapped(func(n node) node {
		if n.kind == nodeNumber && isWhole(n.text) {
			n.text += tail
		}
		return n
	})
}

// sequences gives n with the items of every list in reverse order.
func (n node) sequences() node {
	return n.mapped(func(n node) node {
		n.items = slices.Clone(n.items)
		slices.Reverse(n.items)
		return n
	})
}

// mapped gives a copy of n in which f was applied to every value, from the inside out.
func (n node) mapped(f func(node) node) node {
	out := n
	out.members = slices.Clone(n.members)
	for i, m := range n.members {
		out.members[i].value = m.value.mapped(f)
	}
	out.items = slices.Clone(n.items)
	for i, item := range n.items {
		out.items[i] = item.mapped(f)
	}
	return f(out)
}

// walk shows every value of n to f.
func (n node) walk(f func(node)) {
	n.mapped(func(n node) node { f(n); return n })
}
