package targets

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// changeAt gives n with the value at a pointer changed.
func changeAt(n node, tokens []string) (node, error) {
	if len(tokens) == 0 {
		out, ok := changed(n)
		if !ok {
			return n, errors.New("it holds nothing that could be changed")
		}
		return out, nil
	}
	switch n.kind {
	case nodeObject:
		i := n.index(tokens[0])
		if i < 0 {
			return n, fmt.Errorf("the body has no member %q (it has: %s)", tokens[0], strings.Join(n.names(), ", "))
		}
		value, err := changeAt(n.members[i].value, tokens[1:])
		return n.withMember(i, value), err
	case nodeArray:
		i, err := strconv.Atoi(tokens[0])
		if err != nil || i < 0 || i >= len(n.items) {
			return n, fmt.Errorf("the list has no item %q", tokens[0])
		}
		value, err := changeAt(n.items[i], tokens[1:])
		return n.withItem(i, value), err
	}
	return n, fmt.Errorf("nothing stands below it at %q", tokens[0])
}

// changed gives another value of the same type, and whether there is one.
func changed(n node) (node, bool) {
	switch n.kind {
	case nodeText:
		return textNode(otherText(n.text)), true
	case nodeNumber:
		return node{kind: nodeNumber, text: nextNumber(n.text)}, true
	case nodeBool:
		return node{kind: nodeBool, text: strconv.FormatBool(n.text != "true")}, true
	case nodeObject:
		for i, m := range n.members {
			if value, ok := changed(m.value); ok {
				return n.withMember(i, value), true
			}
		}
	case nodeArray:
		for i, item := range n.items {
			if value, ok := changed(item); ok {
				return n.withItem(i, value), true
			}
		}
	}
	return n, false
}

// otherText appends a word, or moves a date or time by one day: " (changed)" would make those invalid, and a target may
// refuse an invalid body before it looks at the key.
func otherText(s string) string {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.AddDate(0, 0, 1).Format(layout)
		}
	}
	return s + " (changed)"
}

// nextNumber adds 1 and keeps the writing: 12 -> 13, 9.50 -> 10.50. A number with an exponent is replaced by a small one, since
// adding 1 to it may change nothing.
func nextNumber(text string) string {
	if strings.ContainsAny(text, "eE") {
		return "1"
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "1"
	}
	_, decimals, _ := strings.Cut(text, ".")
	return r.Add(r, big.NewRat(1, 1)).FloatString(len(decimals))
}

func (n node) names() []string {
	out := make([]string, 0, len(n.members))
	for _, m := range n.members {
		out = append(out, m.name)
	}
	return out
}

func (n node) withMember(i int, value node) node {
	n.members = slices.Clone(n.members)
	n.members[i].value = value
	return n
}

func (n node) withItem(i int, value node) node {
	n.items = slices.Clone(n.items)
	n.items[i] = value
	return n
}
