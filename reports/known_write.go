package reports

import (
	"fmt"
	"io"
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

// knownFor is how long a new entry counts.
const knownFor = 90 * 24 * time.Hour

// knownTodo stands where a person has to say why a failure is lived with.
const knownTodo = "TODO: the ticket, or why this is lived with"

// WriteKnown writes the list of known failures that this run would need, as YAML to paste into the target file: an entry
// for each kind of finding of a case or of a part of one. Entries that came as expected stay as they are; those that are
// new last 90 days and ask for a reason; stale ones are left out. Without a finding it says so in a comment.
func WriteKnown(w io.Writer, r Report) error {
	entries := knownKept(r)
	for _, c := range r.Cases {
		for _, f := range c.Findings {
			e := KnownEntry{Case: c.ID, Finding: f.Kind, Reason: knownTodo, Until: r.Started.Add(knownFor).Format(time.DateOnly)}
			if f.Part != "" {
				e.Case += "/" + f.Part
			}
			if f.Known == "" && !slices.ContainsFunc(entries, func(o KnownEntry) bool { return o.Case == e.Case && o.Finding == e.Finding }) {
				entries = append(entries, e)
			}
		}
	}
	text := "# no finding: there is nothing to list as known\n"
	if len(entries) > 0 {
		text = "known:\n"
	}
	for _, e := range entries {
		line, err := flowEntry(e)
		if err != nil {
			return fmt.Errorf("write the known failures: %w", err)
		}
		text += "  - " + line + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write the known failures: %w", err)
	}
	return nil
}

// knownKept gives the entries that need no change, with those of which nothing could be told.
func knownKept(r Report) []KnownEntry {
	var out []KnownEntry
	for _, k := range r.Known {
		if !k.Stale() {
			out = append(out, k.KnownEntry)
		}
	}
	return out
}

// flowEntry writes an entry in one line: {case: K4, finding: wrong-status, reason: ORD-1234, until: 2027-01-31}
func flowEntry(e KnownEntry) (string, error) {
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, pair := range [][2]string{{"case", e.Case}, {"finding", string(e.Finding)}, {"reason", e.Reason}, {"until", e.Until}} {
		node.Content = append(node.Content, scalar(pair[0]), scalar(visible(pair[1])))
	}
	text, err := yaml.Marshal(node)
	if err != nil {
		return "", err
	}
	return string(text[:len(text)-1]), nil
}

// scalar gives a text as YAML. A date stays as it is: the target file reads it as text.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		n.SetString(s)
	}
	return n
}
