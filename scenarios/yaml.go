package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxFileSize = 1 << 20
	maxDepth    = 50
)

// parseYAML reads the one document of a file and refuses what a scenario file may not hold: other documents, anchors,
// tags and deep nesting.
func parseYAML(file string, data []byte) (*yaml.Node, *FileError) {
	fail := func(line, column int, hint, format string, args ...any) (*yaml.Node, *FileError) {
		return nil, &FileError{file, Position{max(line, 1), max(column, 1)}, fmt.Sprintf(format, args...), hint}
	}
	if len(data) > maxFileSize {
		return fail(1, 1, "", "the file is larger than 1 MiB")
	}
	doc, rest, err := documents(data)
	switch {
	case errors.Is(err, io.EOF):
		return fail(1, 1, "", "the file is empty")
	case err != nil:
		return nil, syntaxError(file, data, err)
	case rest != nil:
		return fail(rest.Line, rest.Column, "", "a second YAML document begins here; a file holds exactly one")
	}
	if n, why := unfit(doc.Content[0], 0); n != nil {
		return fail(n.Line, n.Column, "", "%s", why)
	}
	return doc.Content[0], nil
}

// documents gives the first document and, where there is one, the start of a second.
func documents(data []byte) (doc, rest *yaml.Node, err error) {
	// The parser has panicked on broken input before; a file must never end the program.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	doc, rest = new(yaml.Node), new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		return nil, nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil, io.EOF
	}
	if err := dec.Decode(rest); !errors.Is(err, io.EOF) {
		return doc, rest, err
	}
	return doc, nil, nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntaxError turns an error of yaml.v3 ("yaml: line 3: …") into a FileError. A tab that indents is named, since it looks
// like nothing.
func syntaxError(file string, data []byte, err error) *FileError {
	msg := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	at := Position{1, 1}
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	lines := strings.Split(string(data), "\n")
	for i := max(at.Line-1, 0); i < min(len(lines), at.Line+2); i++ {
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
		if tab := strings.Index(indent, "\t"); tab >= 0 {
			return &FileError{file, Position{i + 1, tab + 1}, "a tab stands where the line is indented", "YAML indents with spaces"}
		}
	}
	if at.Line <= len(lines) {
		at.Column = len(lines[at.Line-1]) - len(strings.TrimLeft(lines[at.Line-1], " ")) + 1
	}
	return &FileError{File: file, Position: at, Msg: msg}
}

// plainTags are the types that a scenario file may hold.
var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp"}

// unfit finds the first node that has no place in a scenario file, and says why.
func unfit(n *yaml.Node, depth int) (*yaml.Node, string) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return n, "a scenario file takes no anchors and no aliases (& and *): write it out, or quote the value"
	case !slices.Contains(plainTags, n.ShortTag()):
		return n, fmt.Sprintf("the tag %q is not known", n.ShortTag())
	case depth > maxDepth:
		return n, fmt.Sprintf("the file is nested deeper than %d levels", maxDepth)
	}
	for _, inner := range n.Content {
		if bad, why := unfit(inner, depth+1); bad != nil {
			return bad, why
		}
	}
	return nil, ""
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func positionOf(n *yaml.Node) Position { return Position{n.Line, n.Column} }

// kindOf names what a node is, in the words of error messages.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode:
		return "a mapping (a value that begins with {{ must be quoted)"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// textOf gives a value as an argument carries it: a scalar as it is written, everything else as JSON.
func textOf(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	value, err := valueOf(n)
	if err != nil {
		return "", err
	}
	return plainJSON(value)
}

// valueOf gives a value as JSON knows it.
func valueOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			v, err := valueOf(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		members := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := members[key.Value]; twice || key.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("the name of a member must be a text and stand once, found %s", kindOf(key))
			}
			v, err := valueOf(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			members[key.Value] = v
		}
		return members, nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) { // not 0x1f and not .inf
			return json.Number(n.Value), nil
		}
	}
	return n.Value, nil
}

// jsonText writes a value as JSON in one line. Angle brackets are escaped, so that no outline replaces them.
func jsonText(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write a value as JSON: %w", err)
	}
	return string(b), nil
}
