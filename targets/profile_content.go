package targets

import (
	"reflect"
	"strconv"
)

// ContentFilter is a check for equal content that goes on beside the key. It hides a missing key check, and it makes two
// legitimate equal writes one.
type ContentFilter struct {
	Within   Duration `yaml:"within"`   // how long equal content counts as a repeat; zero: for ever
	Compares Strings  `yaml:"compares"` // the members that are compared, by the owner's names for them
	// Members are where those stand in the body of the main operation: JSON pointers, in a target file only. Content is
	// equal where all of them are.
	Members Strings `yaml:"members"`
	Status  Ints    `yaml:"status"` // of the refusal
	Claim   `yaml:",inline"`
}

// Given reports whether there is said to be such a check.
func (f ContentFilter) Given() bool {
	return f.Provenance != "" && f.Provenance != Unknown || len(f.Members) > 0
}

// mergeContentFilter puts what the file says over the profile's. Where the members stand is no promise: a file that says
// nothing else leaves the profile's standing as it is.
func mergeContentFilter(profile ContentFilter, file *ContentFilter) ContentFilter {
	if file == nil {
		return profile
	}
	out := profile
	layer(&out, file, "Claim")
	onlyPlace := reflect.DeepEqual(*file, ContentFilter{Members: file.Members})
	if profile.Given() && onlyPlace {
		return out
	}
	out.Claim = mergeClaim(profile.Claim, file.Claim)
	return out
}

// checkFilter holds what a target file says of a content filter against its request: each member must stand in the body
// of the main operation, and {{marker}} in one of them, or the content of one case would be that of another.
func checkFilter(d *decoder, t *Target) {
	f := t.ContentFilter
	if f == nil {
		return
	}
	checkStatuses(d, "content_filter", f.Status, nil)
	const at = "content_filter.members"
	switch {
	case len(f.Members) == 0:
		return
	case len(t.Operations) == 0 || !t.Operations[0].Body.IsJSON():
		d.fail(at, "", "%s: they stand in the JSON body of the main operation, and it has none", at)
		return
	}
	values, found := placesOf(d, at, t.Operations[0], f.Members)
	if marked := (&Body{root: node{kind: nodeArray, items: values}}).mentions("marker"); found && !marked {
		d.fail(at, "let it stand in a member that may be any text",
			"%s: {{marker}} must stand in one of them, or the content of one case is that of another", at)
	}
}

// placesOf finds what stands at some pointers in the body of an operation, and reports whether something stands at each.
func placesOf(d *decoder, path string, op Operation, pointers Strings) (values []node, found bool) {
	found = true
	for i, p := range pointers {
		tokens, err := pointerTokens(p)
		value, ok := op.Body.root.at(tokens)
		switch {
		case err != nil:
			d.fail(item(path, i), suggest("/"+p, pointersTo(op.Body)), "%s: %s", path, err)
		case !ok:
			d.fail(item(path, i), suggest(p, pointersTo(op.Body)), "%s: the body of %s has nothing at %s", path, op.Name, p)
		}
		values, found = append(values, value), found && ok && err == nil
	}
	return values, found
}

// pointersTo gives pointers to the top-level members of a body.
func pointersTo(b *Body) []string {
	var list []string
	for _, name := range b.Members() {
		list = append(list, "/"+name)
	}
	return list
}

// WithContent gives the operation with other content for a filter that compares some members: the texts in them that hold
// {{marker}} have a number at their end. The first content, 1, is what the file says.
func (o Operation) WithContent(members Strings, n int) Operation {
	if n <= 1 || o.Body == nil {
		return o
	}
	body := *o.Body
	for _, m := range members {
		tokens, err := pointerTokens(m)
		if err != nil {
			continue // refused when the file was read
		}
		body.root = body.root.replacedAt(tokens, func(value node) node {
			return value.mapped(func(leaf node) node {
				if leaf.kind == nodeText && mentions(leaf.text, "marker") {
					leaf.text += "-" + strconv.Itoa(n)
				}
				return leaf
			})
		})
	}
	o.Body = &body
	return o
}

// ContentOf gives what stands in a body at the members that a filter compares, as one text: equal texts are equal content.
// A body that is not JSON has none.
func ContentOf(body []byte, members Strings) string {
	root, err := parseNode(body)
	if err != nil {
		return ""
	}
	var out []byte
	for _, m := range members {
		tokens, err := pointerTokens(m)
		if err != nil {
			continue // refused when the file was read
		}
		if value, ok := root.at(tokens); ok {
			out = appendJSON(out, value)
		}
		out = append(out, '\n')
	}
	return string(out)
}

// at gives the value at a pointer.
func (n node) at(tokens []string) (node, bool) {
	for _, token := range tokens {
		i := n.child(token)
		switch {
		case i < 0:
			return node{}, false
		case n.kind == nodeObject:
			n = n.members[i].value
		default:
			n = n.items[i]
		}
	}
	return n, true
}

// replacedAt gives n with what f makes of the value at a pointer.
func (n node) replacedAt(tokens []string, f func(node) node) node {
	if len(tokens) == 0 {
		return f(n)
	}
	i := n.child(tokens[0])
	switch {
	case i < 0:
		return n
	case n.kind == nodeObject:
		return n.withMember(i, n.members[i].value.replacedAt(tokens[1:], f))
	}
	return n.withItem(i, n.items[i].replacedAt(tokens[1:], f))
}

// child is where what a token of a pointer names stands among the members or items; negative for nowhere.
func (n node) child(token string) int {
	switch n.kind {
	case nodeObject:
		return n.index(token)
	case nodeArray:
		if i, err := strconv.Atoi(token); err == nil && i < len(n.items) && strconv.Itoa(i) == token {
			return i
		}
	}
	return -1
}
