package targets

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Body is a request body template: a JSON value written as YAML, whose texts may hold {{name}}, or one plain text. A
// nil *Body is no body. Where the request's Content-Type is application/x-www-form-urlencoded, a mapping is written as
// a form instead, nested members as a[b]=c. A Body is never changed after it was made.
type Body struct {
	root node
	text bool // a plain text, sent as it is
	form bool
}

// NewBody makes a body from JSON. Texts in it are templates.
func NewBody(data []byte) (*Body, error) {
	root, err := parseNode(data)
	if err != nil {
		return nil, fmt.Errorf("read a body: %w", err)
	}
	return &Body{root: root}, nil
}

// NewTextBody makes a body that is sent as the text it is, with {{name}} replaced.
func NewTextBody(text string) *Body { return &Body{root: textNode(text), text: true} }

// Form gives the same body, to be written as application/x-www-form-urlencoded.
func (b *Body) Form() *Body {
	if b == nil {
		return nil
	}
	out := *b
	out.form = true
	return &out
}

// IsJSON reports whether the body is written as JSON.
func (b *Body) IsJSON() bool { return b != nil && !b.text && !b.form }

// Members lists the top-level members in the order of the file; nil where the body is no mapping.
func (b *Body) Members() []string {
	if b == nil || b.root.kind != nodeObject {
		return nil
	}
	var out []string
	for _, m := range b.root.members {
		out = append(out, m.name)
	}
	return out
}

// Render gives the body's bytes: compact JSON in the member order of the file, a form, or the text. A {{name}} that vars
// does not hold is an error that names it. A nil body gives nil.
func (b *Body) Render(vars Vars) ([]byte, error) { return b.RenderWith(vars, nil) }

// RenderWith is Render with the members of change put over those of the body, mapping by mapping; everything else in
// change replaces, null included. Both must be mappings. A nil change changes nothing.
func (b *Body) RenderWith(vars Vars, change *Body) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	root := b.root
	if change != nil {
		if root.kind != nodeObject || change.root.kind != nodeObject {
			return nil, errors.New("change a body: both the body and the change must be mappings")
		}
		root = overlay(root, change.root)
	}
	return b.write(root, vars)
}

// Reordered gives the same JSON value in another writing: the members in reverse order at every level, with white space
// that means nothing. A form comes with its fields in reverse order; a plain text has no second writing and is an error.
func (b *Body) Reordered(vars Vars) ([]byte, error) {
	if b == nil || b.text {
		return nil, errors.New("reorder a body: it is not structured")
	}
	if b.form {
		return b.write(reversed(b.root), vars)
	}
	root, err := expanded(reversed(b.root), vars)
	if err != nil {
		return nil, fmt.Errorf("reorder a body: %w", err)
	}
	return indented(root)
}

// Changed gives the body with one member changed to another value of the same type: " (changed)" is appended to a text, a
// date (2027-01-31) or RFC 3339 time moves by a day, 1 is added to a number, a boolean flipped; of a mapping or list
// the first such value in it changes. member is a top-level name or an RFC 6901 pointer ("/customer/name"). An unknown
// member is an error.
func (b *Body) Changed(vars Vars, member string) ([]byte, error) {
	if b == nil || b.text {
		return nil, fmt.Errorf("change %s: the body is not structured", member)
	}
	root, err := expanded(b.root, vars)
	if err != nil {
		return nil, fmt.Errorf("change %s: %w", member, err)
	}
	tokens, err := b.tokens(member)
	if err != nil {
		return nil, err
	}
	root, err = changeAt(root, tokens)
	if err != nil {
		return nil, fmt.Errorf("change %s: %w", member, err)
	}
	return b.encode(root), nil
}

func (b *Body) tokens(member string) ([]string, error) {
	if strings.HasPrefix(member, "/") && !slices.Contains(b.Members(), member) {
		return pointerTokens(member)
	}
	return []string{member}, nil
}

// write renders a tree: templates first, then bytes.
func (b *Body) write(root node, vars Vars) ([]byte, error) {
	root, err := b.fill(root, vars)
	if err != nil {
		return nil, fmt.Errorf("render a body: %w", err)
	}
	return b.encode(root), nil
}

func (b *Body) encode(root node) []byte {
	switch {
	case b.text:
		return []byte(root.text)
	case b.form:
		return appendForm(nil, "", root)
	}
	return appendJSON(nil, root)
}

// fill replaces the templates of a tree; in a text that is a form, values are escaped for it.
func (b *Body) fill(root node, vars Vars) (node, error) {
	if b.text && b.form {
		s, err := expandWith(root.text, vars, escapeQuery)
		return textNode(s), err
	}
	return expanded(root, vars)
}

// mentions reports whether {{name}} stands anywhere in the body.
func (b *Body) mentions(name string) bool {
	found := false
	if b != nil {
		b.root.eachText(func(s string) { found = found || mentions(s, name) })
	}
	return found
}

// body reads a body template from YAML. Numbers and booleans keep their type, also where they came from ${NAME} without
// quotes; a value that is no JSON number, such as 00123, is a text.
func (d *decoder) body(n *yaml.Node, path string) *Body {
	root := d.node(n, path)
	return &Body{root: root, text: n.Kind == yaml.ScalarNode && root.kind == nodeText}
}

func (d *decoder) node(n *yaml.Node, path string) node {
	switch n.Kind {
	case yaml.MappingNode:
		out := node{kind: nodeObject}
		for _, p := range d.pairs(n) {
			out.members = append(out.members, member{p.name, d.inner(p.value, d.put(path, p))})
		}
		return out
	case yaml.SequenceNode:
		out := node{kind: nodeArray}
		for i, item := range n.Content {
			out.items = append(out.items, d.inner(item, fmt.Sprintf("%s[%d]", path, i)))
		}
		return out
	}
	return d.leaf(n, path)
}

func (d *decoder) inner(n *yaml.Node, path string) node {
	n, leave := d.enter(n)
	if n == nil {
		return node{kind: nodeNull}
	}
	defer leave()
	if !d.knownTag(n) {
		return node{kind: nodeNull}
	}
	return d.node(n, path)
}

func (d *decoder) leaf(n *yaml.Node, path string) node {
	s, ok := d.text(n, path)
	switch tag := n.ShortTag(); {
	case !ok || isNull(n):
		return node{kind: nodeNull}
	case !utf8.ValidString(s):
		d.failAt(n, "", "%s: the text is not UTF-8", named(path))
		return textNode("")
	case tag == "!!int" || tag == "!!float":
		return d.number(n, path)
	case tag == "!!bool" || (n.Style == 0 && s != n.Value):
		return literalNode(s)
	default:
		return textNode(s)
	}
}

// number keeps a number as it is written where JSON allows that, and otherwise (0x1F, 1_000, +1) gives its value.
func (d *decoder) number(n *yaml.Node, path string) node {
	if isJSONNumber(n.Value) {
		return node{kind: nodeNumber, text: n.Value}
	}
	var v any
	if err := n.Decode(&v); err == nil {
		if text, err := json.Marshal(v); err == nil && isJSONNumber(string(text)) {
			return node{kind: nodeNumber, text: string(text)}
		}
	}
	d.failAt(n, "", "%s: JSON cannot hold the number %s", named(path), n.Value)
	return node{kind: nodeNull}
}
