package targets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxFileSize = 1 << 20
	maxLocate   = 4 << 20 // bytes that may be parsed again to find the column of a syntax error
	maxVisits   = 100_000 // nodes read from one file, aliases counted each time: stops a "billion laughs"
	maxDepth    = 100
)

// parseYAML reads the one document of a file. A syntax error comes back as a FileError with a column, which yaml.v3
// does not give.
func parseYAML(file string, data []byte) (*yaml.Node, *FileError) {
	if len(data) > maxFileSize {
		return nil, &FileError{File: file, Line: 1, Column: 1, Msg: "the file is larger than 1 MiB"}
	}
	doc, rest, err := readDocument(data)
	switch {
	case errors.Is(err, io.EOF):
		return nil, &FileError{File: file, Line: 1, Column: 1, Msg: "the file is empty"}
	case err != nil:
		return nil, syntaxError(file, data, err)
	case rest != nil:
		return nil, &FileError{File: file, Line: rest.Line, Column: max(rest.Column, 1),
			Msg: "a second YAML document begins here; a file holds exactly one"}
	}
	root := doc.Content[0]
	if isNull(root) {
		return nil, &FileError{File: file, Line: 1, Column: 1, Msg: "the file is empty"}
	}
	return root, nil
}

// readDocument gives the first document and, where there is one, the start of a second.
func readDocument(data []byte) (doc, rest *yaml.Node, err error) {
	// The parser has panicked on broken input before; a target file must never end the program.
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
	if err := dec.Decode(rest); errors.Is(err, io.EOF) {
		return doc, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	return doc, rest, nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntaxError turns an error of yaml.v3 ("yaml: line 3: …") into a FileError.
func syntaxError(file string, data []byte, err error) *FileError {
	msg := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	line := 1
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	at, column := locate(data, line)
	e := &FileError{File: file, Line: at, Column: column, Msg: msg}
	if strings.Contains(lineOf(data, at), "\t") && strings.Contains(msg, "cannot start any token") {
		e.Hint = "YAML indents with spaces, not with tabs"
	}
	if strings.Contains(msg, "expected ',' or") {
		e.Hint = "a bracket that is not closed, or a value with , ? [ ] { } that must be quoted"
	}
	return e
}

// locate finds where the syntax error is. A parser reads from the front, so what it cannot read begins right behind
// the longest prefix that it can: first by whole lines, then within the line. The line that yaml.v3 names is a lower
// bound, because it is often that of the surrounding mapping.
func locate(data []byte, reported int) (line, column int) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	good, end := len(lines)-1, len(data)-len(lines[len(lines)-1])
	budget := maxLocate
	for good > 0 && good >= reported && !parses(data[:end], &budget) {
		good--
		end -= len(lines[good])
	}
	if budget < 0 {
		return reported, 1
	}
	return good + 1, columnIn(data[:end], strings.TrimRight(string(lines[good]), "\r\n"), &budget)
}

// columnIn gives the column, from 1, of the first character of text that cannot follow head.
func columnIn(head []byte, text string, budget *int) int {
	runes := []rune(text)
	const longest = 400 // nobody counts to a column beyond that
	for n := min(len(runes), longest); n > 0 && *budget >= 0; n-- {
		if parses(append(bytes.Clone(head), string(runes[:n])...), budget) {
			return min(n+1, len(runes))
		}
	}
	return 1
}

// parses reports whether a beginning of a file can be read. It takes from a budget of bytes, since it is asked again
// and again; when that is used up, it says no.
func parses(data []byte, budget *int) bool {
	if *budget -= len(data) + 1; *budget < 0 {
		return false
	}
	_, _, err := readDocument(data)
	return err == nil || errors.Is(err, io.EOF)
}

func lineOf(data []byte, line int) string {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
}

// kindOf names what a node is, in the words of error messages.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!int", "!!float":
			return "a number"
		case "!!bool":
			return "true or false"
		case "!!null":
			return "nothing"
		}
		return "a text"
	}
	return "something else"
}
