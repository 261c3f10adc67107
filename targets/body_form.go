package targets

import (
	"net/url"
	"strconv"
	"strings"
)

const formType = "application/x-www-form-urlencoded"

// appendForm writes a tree as a form: a=1&b[c]=2&d[0]=3, the way that Rack, PHP and Stripe read nesting.
func appendForm(out []byte, name string, n node) []byte {
	switch n.kind {
	case nodeObject:
		for _, m := range n.members {
			out = appendForm(out, formName(name, m.name), m.value)
		}
		return out
	case nodeArray:
		for i, item := range n.items {
			out = appendForm(out, formName(name, strconv.Itoa(i)), item)
		}
		return out
	}
	return appendField(out, name, n.text)
}

func appendField(out []byte, name, value string) []byte {
	if len(out) > 0 {
		out = append(out, '&')
	}
	return append(out, escapeFormName(name)+"="+escapeQuery(value)...)
}

func formName(outer, name string) string {
	if outer == "" {
		return name
	}
	return outer + "[" + name + "]"
}

// escapeFormName leaves brackets readable: every form reader takes them as they are.
func escapeFormName(name string) string {
	return strings.NewReplacer("%5B", "[", "%5D", "]").Replace(escapeQuery(name))
}

// escapeQuery escapes a query or form value with %20 for a space, which both readings of a query take.
func escapeQuery(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// isForm reports whether a media type is that of a form.
func isForm(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(media), formType)
}
