package main

import (
	"fmt"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"
)

var templateName = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}`)

// unfitForKeys lists names that do not belong into a key, with the reason.
var unfitForKeys = []struct {
	name *regexp.Regexp
	why  string
}{
	{regexp.MustCompile(`(?i)payload|body|digest|revision`), "the payload travels beside the key: with it in the key, a changed payload is a new write and no conflict"},
	{regexp.MustCompile(`(?i)time|date|now$|clock|second`), "a time differs between the attempts of one write, so that each retry is a new write"},
	{regexp.MustCompile(`(?i)rand|uuid|nonce|attempt|retry|(^|_)run(_|$)`), "it differs between the attempts of one write, so that each retry is a new write"},
	{regexp.MustCompile(`(?i)mail|phone|(^|_)name$|birth|iban|address|user|customer`), "keys are logged, and it identifies a person and not a write"},
}

// keyWarnings warns of templates of keys that change between the attempts of one write, or that hold what is personal.
func keyWarnings(path string, data []byte) []problem {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return nil // a mistake that is reported already
	}
	template := memberOf(memberOf(doc.Content[0], "key"), "template")
	if template == nil {
		return nil
	}
	var list []problem
	for _, m := range templateName.FindAllStringSubmatch(template.Value, -1) {
		for _, unfit := range unfitForKeys {
			if unfit.name.MatchString(m[1]) {
				list = append(list, problem{file: path, line: template.Line, column: template.Column, warning: true,
					text: fmt.Sprintf("key.template: {{%s}} does not belong into a key: %s", m[1], unfit.why)})
				break
			}
		}
	}
	return list
}

// memberOf gives a member of a mapping; nil where there is none.
func memberOf(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	i := slices.IndexFunc(n.Content, func(c *yaml.Node) bool { return c.Value == name })
	if i < 0 || i%2 != 0 || i+1 == len(n.Content) {
		return nil
	}
	return n.Content[i+1]
}
