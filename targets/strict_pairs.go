package targets

import (
	"gopkg.in/yaml.v3"
)

// pair is one member of a mapping.
type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs gives the members of a mapping in their order, with merge keys (<<) resolved: what stands in the mapping
// itself goes before what it merges. A name given twice is a mistake.
func (d *decoder) pairs(n *yaml.Node) []pair {
	own := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			continue
		}
		if own[key.Value] {
			d.failAt(key, "", "%q is given twice", key.Value)
		}
		own[key.Value] = true
	}
	var out []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, d.member(n.Content[i], n.Content[i+1], own, seen)...)
	}
	return out
}

// member gives the pair of one key, or those that a merge key brings in. seen holds what has been given out already.
func (d *decoder) member(key, value *yaml.Node, own, seen map[string]bool) []pair {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	switch {
	case key.Kind != yaml.ScalarNode:
		d.failAt(key, "a value that begins with {{ must be quoted", "a name must be a text, found %s", kindOf(key))
		return nil
	case key.ShortTag() == "!!merge":
		return d.merged(value, own, seen)
	case seen[key.Value]:
		return nil
	}
	seen[key.Value] = true
	return []pair{{name: key.Value, key: key, value: value}}
}

// merged gives the members that `<<: *anchor` (or a list of anchors) adds; the first that names a member gives it.
func (d *decoder) merged(n *yaml.Node, own, seen map[string]bool) []pair {
	n, leave := d.enter(n)
	if n == nil {
		return nil
	}
	defer leave()
	var out []pair
	switch n.Kind {
	case yaml.MappingNode:
		for _, p := range d.pairs(n) {
			if !own[p.name] && !seen[p.name] {
				seen[p.name] = true
				out = append(out, p)
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			out = append(out, d.merged(item, own, seen)...)
		}
	default:
		d.failAt(n, "", "<<: expected a mapping, found %s", kindOf(n))
	}
	return out
}
