package targets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// node is a JSON value that keeps the order of its members and the writing of its numbers.
type node struct {
	kind    nodeKind
	text    string // of a text its value; of a number or boolean its JSON
	members []member
	items   []node
}

type member struct {
	name  string
	value node
}

type nodeKind int

const (
	nodeNull nodeKind = iota
	nodeText
	nodeNumber
	nodeBool
	nodeObject
	nodeArray
)

func textNode(s string) node { return node{kind: nodeText, text: s} }

// literalNode gives what an unquoted value would be in JSON.
func literalNode(s string) node {
	switch {
	case isJSONNumber(s):
		return node{kind: nodeNumber, text: s}
	case s == "true" || s == "false":
		return node{kind: nodeBool, text: s}
	case s == "True" || s == "TRUE":
		return node{kind: nodeBool, text: "true"}
	case s == "False" || s == "FALSE":
		return node{kind: nodeBool, text: "false"}
	}
	return textNode(s)
}

func isJSONNumber(s string) bool {
	return s != "" && (s[0] == '-' || (s[0] >= '0' && s[0] <= '9')) && json.Valid([]byte(s))
}

// parseNode reads exactly one JSON value.
func parseNode(data []byte) (node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	n, err := readNode(dec)
	if err != nil {
		return node{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return node{}, errors.New("more than one JSON value")
	}
	return n, nil
}

func readNode(dec *json.Decoder) (node, error) {
	token, err := dec.Token()
	if err != nil {
		return node{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(dec)
		}
		return readArray(dec)
	case string:
		return textNode(t), nil
	case json.Number:
		return node{kind: nodeNumber, text: t.String()}, nil
	case bool:
		return node{kind: nodeBool, text: fmt.Sprint(t)}, nil
	}
	return node{kind: nodeNull}, nil
}

func readObject(dec *json.Decoder) (node, error) {
	out := node{kind: nodeObject}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return node{}, err
		}
		value, err := readNode(dec)
		if err != nil {
			return node{}, err
		}
		out.members = append(out.members, member{name.(string), value})
	}
	_, err := dec.Token()
	return out, err
}

func readArray(dec *json.Decoder) (node, error) {
	out := node{kind: nodeArray}
	for dec.More() {
		item, err := readNode(dec)
		if err != nil {
			return node{}, err
		}
		out.items = append(out.items, item)
	}
	_, err := dec.Token()
	return out, err
}

// appendJSON writes the value compactly, without the HTML escapes of encoding/json.
func appendJSON(out []byte, n node) []byte { return appendJSONWith(out, n, jsonText) }

// appendJSONWith is appendJSON with another way to write texts; the names of members are written as ever.
func appendJSONWith(out []byte, n node, text func(string) []byte) []byte {
	switch n.kind {
	case nodeText:
		return append(out, text(n.text)...)
	case nodeNumber, nodeBool:
		return append(out, n.text...)
	case nodeObject:
		out = append(out, '{')
		for i, m := range n.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, jsonText(m.name)...), ':')
			out = appendJSONWith(out, m.value, text)
		}
		return append(out, '}')
	case nodeArray:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSONWith(out, item, text)
		}
		return append(out, ']')
	}
	return append(out, "null"...)
}

// jsonText writes a text as JSON. Invalid UTF-8 becomes U+FFFD.
func jsonText(s string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return []byte(`""`) // cannot happen: every string encodes
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// each gives a copy of n in which every text (not the names) went through f.
func (n node) each(f func(string) (string, error)) (node, error) {
	out, err := n, error(nil)
	if n.kind == nodeText {
		out.text, err = f(n.text)
		return out, err
	}
	out.members = slices.Clone(n.members)
	for i, m := range n.members {
		if out.members[i].value, err = m.value.each(f); err != nil {
			return node{}, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	out.items = slices.Clone(n.items)
	for i, item := range n.items {
		if out.items[i], err = item.each(f); err != nil {
			return node{}, err
		}
	}
	return out, nil
}

// eachText shows every text of n to f.
func (n node) eachText(f func(string)) {
	_, _ = n.each(func(s string) (string, error) { f(s); return s, nil })
}

func expanded(n node, vars Vars) (node, error) {
	return n.each(func(s string) (string, error) { return Expand(s, vars) })
}

// overlay puts change over n, object by object.
func overlay(n, change node) node {
	if n.kind != nodeObject || change.kind != nodeObject {
		return change
	}
	out := node{kind: nodeObject, members: slices.Clone(n.members)}
	for _, m := range change.members {
		i := out.index(m.name)
		if i < 0 {
			out.members = append(out.members, m)
			continue
		}
		out.members[i].value = overlay(out.members[i].value, m.value)
	}
	return out
}

func (n node) index(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// reversed gives n with the members of every object in reverse order. Lists keep theirs: it means something.
func reversed(n node) node {
	out := node{kind: n.kind, text: n.text}
	for _, m := range slices.Backward(n.members) {
		out.members = append(out.members, member{m.name, reversed(m.value)})
	}
	for _, item := range n.items {
		out.items = append(out.items, reversed(item))
	}
	return out
}
