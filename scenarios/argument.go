package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CheckTable reports the first row of a step's table that names no argument of the verb.
func (v *Verb) CheckTable(rows [][]string) error {
	for _, row := range rows {
		if len(row) != 2 {
			return fmt.Errorf("a table below %q has two columns, argument and value, not %d", v.Name, len(row))
		}
		if v.arg(argName(row[0])) == nil {
			return v.noArgument(row[0])
		}
	}
	return nil
}

// Fill puts a table's values over the arguments of a match.
func (m Match) Fill(rows [][]string) {
	for _, row := range rows {
		name := argName(row[0])
		m.Args[name] = m.Verb.arg(name).value(row[1])
	}
}

// argName lets a table say "target record" for target_record.
func argName(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), " ", "_") }

func (v *Verb) argNames() []string {
	names := make([]string, len(v.Args))
	for i, a := range v.Args {
		names[i] = a.Name
	}
	return names
}

// FillJSON puts the members of a JSON object over the arguments of a match: what stands in a doc string below a step. A
// member that is no text keeps its JSON.
func (m Match) FillJSON(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	var members map[string]json.RawMessage
	err := dec.Decode(&members)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	if err != nil {
		return fmt.Errorf("read the JSON object below %q: %w", m.Verb.Name, err)
	}
	for name, raw := range members {
		a := m.Verb.arg(name)
		if a == nil {
			return m.Verb.noArgument(name)
		}
		var word string
		if json.Unmarshal(raw, &word) != nil {
			var plain bytes.Buffer
			if err := json.Compact(&plain, raw); err != nil {
				return fmt.Errorf("read %s below %q: %w", name, m.Verb.Name, err)
			}
			word = unescaped(plain.Bytes())
		}
		m.Args[name] = word
	}
	return nil
}

// unescaped writes JSON again with its angle brackets as they are.
func unescaped(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return string(raw)
	}
	text, err := plainJSON(v)
	if err != nil {
		return string(raw)
	}
	return text
}

// plainJSON writes a value as JSON in one line, with angle brackets as they are.
func plainJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("write a value as JSON: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func (v *Verb) noArgument(name string) error {
	return fmt.Errorf("the step %q takes no %q (it takes: %s)", v.Name, name, strings.Join(v.argNames(), ", "))
}

// required lists the arguments without which no sentence of the verb can be said.
func (v *Verb) required() []string {
	var list []string
	for _, name := range v.argNames() {
		if !slices.ContainsFunc(v.Sentences, func(s Sentence) bool { return !s.speaksOf(name) }) {
			list = append(list, name)
		}
	}
	return list
}

func (s Sentence) speaksOf(name string) bool {
	_, set := s.Set[name]
	return set || strings.Contains(s.Text, "{"+name+"}")
}

// implied lists the values of an argument that only words imply, in the order of the sentences; nil for any other.
func (v *Verb) implied(name string) []string {
	var list []string
	for _, s := range v.Sentences {
		value, set := s.Set[name]
		if !set {
			return nil
		}
		if !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}
