package targets

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

const xmlAt = "xml:"

// CodeIn reports whether an answer holds one of the codes: in its content, or in a header. A nil code matches
// everything; a code without values matches any value at its place.
func CodeIn(c *Code, x Exchange) bool {
	if c == nil {
		return true
	}
	if name, ok := strings.CutPrefix(c.At, headerID); ok {
		return slices.ContainsFunc(x.Answer.Values(strings.TrimSpace(name)), func(v string) bool { return c.holds(v) })
	}
	return CodeMatches(c, x.Content)
}

func (c *Code) holds(text string) bool { return len(c.In) == 0 || slices.Contains(c.In, text) }

// CodeFound gives the code that an answer holds at the place of c; empty where there is none.
func CodeFound(c *Code, x Exchange) string {
	text, _ := placeText(c.At, x)
	return text
}

// placeText gives the first text at a place in an answer: header:NAME, xml:NAME, xml:NAME@ATTRIBUTE or a JSONPath.
func placeText(at string, x Exchange) (string, bool) {
	if name, ok := strings.CutPrefix(at, headerID); ok {
		text := x.Answer.Get(strings.TrimSpace(name))
		return text, text != ""
	}
	if strings.HasPrefix(at, xmlAt) {
		if found := xmlTexts(at, x.Content); len(found) > 0 {
			return found[0], true
		}
		return "", false
	}
	return QueryText(at, x.Content)
}

// xmlTexts gives the texts of all elements (or of an attribute of theirs) of a name, without their name spaces, as far as
// the content can be read as XML. It never fails on hostile content.
func xmlTexts(at string, content []byte) []string {
	name, attribute, wantsAttribute := strings.Cut(strings.TrimPrefix(at, xmlAt), "@")
	var found []string
	dec := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := dec.Token()
		if err != nil {
			return found
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != name {
			continue
		}
		if wantsAttribute {
			for _, a := range start.Attr {
				if a.Name.Local == attribute {
					found = append(found, a.Value)
				}
			}
			continue
		}
		if inner, err := dec.Token(); err == nil {
			if text, ok := inner.(xml.CharData); ok {
				found = append(found, strings.TrimSpace(string(text)))
			}
		}
	}
}

// checkPlace holds a place in an answer against its forms.
func checkPlace(d *decoder, path, at string) {
	header, isHeader := strings.CutPrefix(at, headerID)
	element, isXML := strings.CutPrefix(at, xmlAt)
	switch {
	case isHeader:
		if err := headerOK(strings.TrimSpace(header), ""); err != nil {
			d.fail(path, "for example header:Location", "%s: %s", path, err)
		}
	case isXML:
		name, attribute, has := strings.Cut(element, "@")
		if name == "" || has && attribute == "" {
			d.fail(path, "for example xml:Code, or xml:error@code", "%s: %s names no element", path, fmt.Sprintf("%q", at))
		}
	default:
		checkPath(d, path, at)
	}
}
