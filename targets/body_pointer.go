package targets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SetJSONPointer gives the body with the text value put at an RFC 6901 pointer ("/meta/key"). Everything else stays
// byte for byte as it was: order, spacing, numbers. Missing objects on the way are made; "-" appends to a list. The
// body must be one JSON value and the pointer must not be the whole of it.
func SetJSONPointer(body []byte, pointer, value string) ([]byte, error) {
	tokens, err := pointerTokens(pointer)
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, fmt.Errorf("put a value at %s: the body is not JSON", pointer)
	}
	start := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	end := len(bytes.TrimRight(body, " \t\r\n"))
	inner, err := setAt(body[start:end], tokens, value)
	if err != nil {
		return nil, fmt.Errorf("put a value at %s: %w", pointer, err)
	}
	return slices.Concat(body[:start], inner, body[end:]), nil
}

// pointerTokens splits an RFC 6901 pointer into its unescaped tokens.
func pointerTokens(pointer string) ([]string, error) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("read the JSON pointer %q: it must begin with /", pointer)
	}
	if !utf8.ValidString(pointer) {
		return nil, fmt.Errorf("read the JSON pointer %q: it is not UTF-8", pointer)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		bare := strings.NewReplacer("~0", "", "~1", "").Replace(t)
		if strings.Contains(bare, "~") {
			return nil, fmt.Errorf("read the JSON pointer %q: ~ must be written ~0", pointer)
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return tokens, nil
}

// setAt works on one trimmed JSON value.
func setAt(value []byte, tokens []string, text string) ([]byte, error) {
	if len(tokens) == 0 {
		return jsonText(text), nil
	}
	parts, err := partsOf(value)
	if err != nil {
		return nil, err
	}
	if value[0] == '[' {
		return setItem(value, parts, tokens, text)
	}
	if value[0] != '{' {
		return nil, fmt.Errorf("nothing can stand below %s at %q", firstRunes(string(value), 20), tokens[0])
	}
	// Where a name stands twice, the last one counts for most readers.
	for _, p := range slices.Backward(parts) {
		if p.name == tokens[0] {
			return splice(value, p.start, p.end, tokens[1:], text)
		}
	}
	added, err := setAt([]byte("{}"), tokens[1:], text)
	if err != nil {
		return nil, err
	}
	return insert(value, parts, slices.Concat(jsonText(tokens[0]), []byte(":"), added)), nil
}

func setItem(value []byte, parts []part, tokens []string, text string) ([]byte, error) {
	if tokens[0] == "-" {
		added, err := setAt([]byte("{}"), tokens[1:], text)
		if err != nil {
			return nil, err
		}
		return insert(value, parts, added), nil
	}
	i, err := strconv.Atoi(tokens[0])
	if err != nil || i < 0 || i >= len(parts) || strconv.Itoa(i) != tokens[0] {
		return nil, fmt.Errorf("the list has no item %q", tokens[0])
	}
	return splice(value, parts[i].start, parts[i].end, tokens[1:], text)
}

func splice(value []byte, start, end int, tokens []string, text string) ([]byte, error) {
	inner, err := setAt(value[start:end], tokens, text)
	if err != nil {
		return nil, err
	}
	return slices.Concat(value[:start], inner, value[end:]), nil
}

// insert adds a member or item behind the last one.
func insert(value []byte, parts []part, added []byte) []byte {
	if len(parts) == 0 {
		return slices.Concat(value[:1], added, value[1:])
	}
	end := parts[len(parts)-1].end
	return slices.Concat(value[:end], []byte(","), added, value[end:])
}

// part is where a member's value, or an item, stands within its JSON value.
type part struct {
	name       string
	start, end int
}

func partsOf(value []byte) ([]part, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if _, ok := open.(json.Delim); !ok {
		return nil, nil
	}
	var parts []part
	for dec.More() {
		var p part
		if open == json.Delim('{') {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			p.name, _ = name.(string)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		p.end = int(dec.InputOffset())
		p.start = p.end - len(raw)
		parts = append(parts, p)
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("the JSON value does not end")
	}
	return parts, nil
}
