package targets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
)

// Query gives everything an RFC 9535 JSONPath finds in a JSON body: string, json.Number, bool, nil, map[string]any or
// []any. Numbers are exact; those found directly are written without an exponent, so that 1e3 and 1000 are one id.
// Nothing found is an empty list and no error; a bad path or a body that is not one JSON value is an error.
func Query(path string, body []byte) (hits []any, err error) {
	// Bodies are hostile and the path library panics on states that it holds for impossible.
	defer func() {
		if p := recover(); p != nil {
			hits, err = nil, fmt.Errorf("query %s: %v", path, p)
		}
	}()
	parsed, err := jsonpath.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", path, err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("query %s: the body is not JSON: %w", path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("query %s: the body is more than one JSON value", path)
	}
	hits = parsed.Select(value)
	for i, hit := range hits {
		if n, ok := hit.(json.Number); ok {
			hits[i] = plainNumber(n)
		}
	}
	return hits, nil
}

// plainNumber writes a number without an exponent, unless that would take more than a few hundred digits: 1e999999999
// is a valid JSON number.
func plainNumber(n json.Number) json.Number {
	mantissa, exponent, ok := strings.Cut(strings.ToLower(n.String()), "e")
	if !ok || len(strings.TrimLeft(exponent, "+-0")) > 2 || len(mantissa) > 300 {
		return n
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return n
	}
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	return json.Number(strings.TrimRight(r.FloatString(len(mantissa)+100), "0"))
}

// QueryText gives the first text, number or boolean that a JSONPath finds: a text as it is, the others as JSON. It
// reports false where there is none, for whatever reason.
func QueryText(path string, body []byte) (string, bool) {
	hits, err := Query(path, body)
	if err != nil {
		return "", false
	}
	for _, hit := range hits {
		if s, ok := scalarText(hit); ok {
			return s, true
		}
	}
	return "", false
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

const headerID = "header:"

// RecordID gives the id of the record that an answer speaks of, by the operation's `id`: a JSONPath into the content, or
// header:Location, of which the last path segment counts. Empty where there is none. It never fails on hostile content.
func (o Operation) RecordID(x Exchange) string { return IDAt(o.ID, x) }

// IDAt gives the id at a place in an answer: a JSONPath into the content, xml:NAME, or header:NAME, of which the last path
// segment counts. Empty where there is none.
func IDAt(at string, x Exchange) string {
	if name, ok := strings.CutPrefix(at, headerID); ok {
		return lastSegment(x.Answer.Get(strings.TrimSpace(name)))
	}
	if at == "" || len(x.Content) == 0 {
		return ""
	}
	id, _ := placeText(at, x)
	return id
}

func lastSegment(location string) string {
	location, _, _ = strings.Cut(location, "#")
	location, _, _ = strings.Cut(location, "?")
	if _, rest, ok := strings.Cut(location, "://"); ok {
		_, location, _ = strings.Cut(rest, "/")
	}
	location = strings.TrimRight(location, "/")
	segment := location[strings.LastIndex(location, "/")+1:]
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}

// CodeMatches reports whether an answer's content holds one of the codes. A nil code matches everything; a code without
// values matches any value at its place.
func CodeMatches(c *Code, content []byte) bool {
	if c == nil {
		return true
	}
	if strings.HasPrefix(c.At, xmlAt) {
		return slices.ContainsFunc(xmlTexts(c.At, content), c.holds)
	}
	hits, err := Query(c.At, content)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(hits, func(hit any) bool {
		s, ok := scalarText(hit)
		return ok && c.holds(s)
	})
}
