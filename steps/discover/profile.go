package discover

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// ProfileYAML writes a profile as a file that `profile:` in a target file can name. Only what the contract says is
// written.
func ProfileYAML(p targets.Profile) ([]byte, error) {
	root := fields{}
	root.put("name", p.Name)
	root.put("title", p.Title)
	root.put("source", p.Source)
	key := fields{}
	key.put("in", string(p.Key.In))
	key.put("name", p.Key.Name)
	key.put("quoting", string(p.Key.Quoting))
	key.put("max_length", p.Key.MaxLength)
	key.put("companions", p.Key.Companions)
	key.claim(p.Key.Claim)
	root.put("key", key)
	for _, c := range []clause{{"replay", p.Replay, p.Replay}, {"mismatch", p.Mismatch, p.Mismatch}, {"in_flight", p.InFlight, p.InFlight},
		{"missing", p.Missing, p.Missing}} {
		root.put(c.name, clauseFields(c.seen))
	}
	failures := fields{}
	failures.put("validation", clauseFields(p.Failures.Validation))
	root.put("failures", failures)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root.node()); err != nil {
		return nil, fmt.Errorf("write the profile: %w", err)
	}
	return out.Bytes(), nil
}

// fields are the members of a mapping that are not empty, in order.
type fields []field

type field struct {
	name  string
	value any
}

func (f *fields) put(name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case fields:
		if len(v) == 0 {
			return
		}
	case map[string]string:
		if len(v) == 0 {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	case []int:
		if len(v) == 0 {
			return
		}
	}
	*f = append(*f, field{name, value})
}

func (f *fields) claim(c targets.Claim) {
	f.put("level", string(c.Level))
	f.put("provenance", string(c.Provenance))
	f.put("date", c.Date)
	f.put("note", c.Note)
}

func clauseFields(c targets.Clause) fields {
	out := fields{}
	if len(c.Mode) == 0 {
		return out
	}
	out.put("mode", []string(c.Mode))
	out.put("status", []int(c.Status))
	if c.Code != nil {
		out.put("code", fields{{"at", c.Code.At}, {"in", []string(c.Code.In)}})
	}
	for _, m := range []struct {
		name string
		of   *targets.Marker
	}{{"marker", c.Marker}, {"retry_hint", c.RetryHint}} {
		if m.of == nil {
			continue
		}
		marker := fields{}
		marker.put("name", m.of.Name)
		marker.put("value", []string(m.of.Value))
		marker.claim(m.of.Claim)
		out.put(m.name, marker)
	}
	out.claim(c.Claim)
	return out
}

// node writes the fields as YAML, with short lists on one line.
func (f fields) node() *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, one := range f {
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: one.name}, valueNode(one.value))
	}
	return m
}

func valueNode(value any) *yaml.Node {
	switch v := value.(type) {
	case fields:
		return v.node()
	case int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(v)}
	case []string:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, s := range v {
			list.Content = append(list.Content, valueNode(s))
		}
		return list
	case []int:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, n := range v {
			list.Content = append(list.Content, valueNode(n))
		}
		return list
	case map[string]string:
		m := fields{}
		for _, name := range sorted(v) {
			m.put(name, v[name])
		}
		return m.node()
	}
	n := &yaml.Node{}
	n.SetString(fmt.Sprint(value))
	return n
}
