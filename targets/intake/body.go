package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// maxDepth bounds how deep a body may be nested.
const maxDepth = 100

// SetBody takes the create's body: JSON or a form become members that can be varied, anything else stays one text. Empty
// means that there is none.
func (d *Draft) SetBody(data string) error {
	trimmed := strings.TrimSpace(data)
	defer d.takeBodyKey()
	switch {
	case trimmed == "":
		return nil
	case looksLikeJSON(d.contentType()) || d.assumed == "" && trimmed[0] == '{':
		return d.setJSON(trimmed)
	case isForm(d.contentType()) && d.header("Content-Type") == "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)):
		d.guess("the body is JSON, though the command names no content type and curl would send it as a form; it is sent as application/json")
		d.assumed = ""
		return d.setJSON(trimmed)
	case isForm(d.contentType()):
		return d.setForm(trimmed)
	}
	d.text = data
	return nil
}

// takeBodyKey takes a key out of the body that was made for the pasted request. It becomes the draft's way of carrying
// the key, unless another is known.
func (d *Draft) takeBodyKey() {
	if d.body == nil || d.body.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(d.body.Content); i += 2 {
		name := d.body.Content[i].Value
		ours := d.Key.In == targets.InForm && d.Key.Name == name || d.Key.In == targets.InBody && d.Key.Name == "/"+name
		if !ours && (d.Key.Name != "" || !strings.Contains(strings.ToLower(strings.ReplaceAll(name, "_", "")), "idempoten")) {
			continue
		}
		if !ours {
			d.setBodyKey(name, isForm(d.contentType()))
		}
		d.body.Content = slices.Delete(d.body.Content, i, i+2)
		return
	}
}

func (d *Draft) setBodyKey(name string, form bool) {
	d.Key = targets.Key{In: targets.InBody, Name: "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
	if form {
		d.Key = targets.Key{In: targets.InForm, Name: name}
	}
	d.guess("the key travels in the body, as " + name)
}

func looksLikeJSON(mediaType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	t = strings.TrimSpace(t)
	return t == "application/json" || strings.HasSuffix(t, "+json")
}

func (d *Draft) setJSON(text string) error {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	root, err := d.readValue(dec, "", 0)
	if err != nil {
		return fmt.Errorf("read the body: it is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("read the body: it is more than one JSON value")
	}
	d.body = root
	return nil
}

// readValue reads one JSON value as a YAML node, with the order of members and the writing of numbers kept.
func (d *Draft) readValue(dec *json.Decoder, name string, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		return d.readInner(dec, t, name, depth)
	case string:
		return d.textNode(name, t), nil
	case json.Number:
		return scalar("!!float", t.String()), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(t)), nil
	}
	return scalar("!!null", "null"), nil
}

func (d *Draft) readInner(dec *json.Decoder, open json.Delim, name string, depth int) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if open == '{' {
		out = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ = token.(string)
			if seen[name] {
				return nil, fmt.Errorf("the member %q stands twice", name)
			}
			seen[name] = true
			out.Content = append(out.Content, quoted(name))
		}
		value, err := d.readValue(dec, name, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, value)
	}
	_, err := dec.Token()
	return out, err
}

// textNode hides a text whose name says that it is secret.
func (d *Draft) textNode(name, text string) *yaml.Node {
	if targets.SecretName(name) && len(text) > 3 {
		return quoted(d.secret(name, text))
	}
	return quoted(d.plain(text))
}

// setForm reads a=1&b=2. A form in which a name stands twice cannot be a mapping and stays a text.
func (d *Draft) setForm(text string) error {
	d.defaultHeader("Content-Type", formType)
	out, seen := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, map[string]bool{}
	for field := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(field, "=")
		plainName, err1 := url.QueryUnescape(name)
		plainValue, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil || seen[plainName] || plainName == "" || strings.ContainsAny(plainName, "[]") {
			d.text = d.plain(text)
			return nil
		}
		seen[plainName] = true
		out.Content = append(out.Content, quoted(plainName), d.textNode(plainName, plainValue))
	}
	d.body = out
	return nil
}

// scalar is a plain YAML scalar. A text with letters or an exponent that YAML would read otherwise keeps its tag.
func scalar(tag, value string) *yaml.Node {
	if tag == "!!float" && !strings.ContainsAny(value, ".eE") {
		tag = "!!int"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// quoted is a text in double quotes, which stays a text whatever it looks like.
func quoted(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
}

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Content = nil
	for _, c := range n.Content {
		out.Content = append(out.Content, cloneNode(c))
	}
	return &out
}
