package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Spelled is one way to write a step: the sentence in Gherkin, and the same in YAML.
type Spelled struct {
	Gherkin string `json:"gherkin"`
	YAML    string `json:"yaml"`
}

// Spellings gives all sentences of a verb in both languages, with examples in place of free texts.
func (v *Verb) Spellings() ([]Spelled, error) {
	var list []Spelled
	for _, s := range v.Sentences {
		args := maps.Clone(s.Set)
		if args == nil {
			args = map[string]string{}
		}
		for _, found := range placeholder.FindAllStringSubmatch(s.Text, -1) {
			a := v.arg(found[1])
			if value := a.example(); value != a.Default || value == "" {
				args[a.Name] = value
			}
		}
		text, err := v.YAML(args)
		if err != nil {
			return nil, err
		}
		list = append(list, Spelled{s.Text, text})
	}
	return list, nil
}

// example is a value that an argument might have: its name in capital letters where it is any text.
func (a *Arg) example() string {
	switch {
	case a.Number:
		return "2"
	case a.Default != "":
		return a.Default
	case len(a.Choices) > 0 && !strings.HasSuffix(a.Choices[0].Value, ":"):
		return a.Choices[0].Value
	}
	return strings.ToUpper(a.Name)
}

// YAML writes the use of a verb as one step in YAML, in one line.
func (v *Verb) YAML(args map[string]string) (string, error) {
	step := v.node(args)
	out, err := yaml.Marshal([]*yaml.Node{step})
	if err != nil {
		return "", fmt.Errorf("write a step as YAML: %w", err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(out), "\n    ", " ")), nil
}

func (v *Verb) node(args map[string]string) *yaml.Node {
	name := scalar(v.Name)
	if len(args) == 0 {
		return name
	}
	value := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	if text, one := args[v.firstArg()]; one && len(args) == 1 && !v.Args[0].JSON {
		value = scalar(text)
	} else {
		for _, a := range v.Args {
			if text, given := args[a.Name]; given {
				value.Content = append(value.Content, scalar(a.Name), a.node(text))
			}
		}
	}
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{name, value}}
}

func (v *Verb) firstArg() string {
	if len(v.Args) == 0 {
		return ""
	}
	return v.Args[0].Name
}

// node writes a value: an argument that holds JSON as what it stands for.
func (a *Arg) node(text string) *yaml.Node {
	var doc yaml.Node
	if a.JSON && text != "" && strings.ContainsAny(text[:1], "{[") && yaml.Unmarshal([]byte(text), &doc) == nil && len(doc.Content) == 1 {
		doc.Content[0].Style = yaml.FlowStyle
		return doc.Content[0]
	}
	return scalar(text)
}

// scalar writes a text so that it is read as the same text, and numbers without quotes.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if digits.MatchString(text) && (text == "0" || !strings.HasPrefix(text, "0")) {
		n.Tag = "!!int"
		return n
	}
	n.SetString(text)
	if strings.ContainsAny(text, "\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// Verbs lists the verbs of the language in the order of the table.
func (l *Language) Verbs() []*Verb { return slices.Clone(l.verbs) }
