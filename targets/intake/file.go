package intake

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// SetList says how records are counted: call is "GET https://host/path?ref={{marker}}" (the method may be left out, the
// address may begin with the path), items the JSONPath of the items in its answer; empty: not known yet.
func (d *Draft) SetList(call, items string) error {
	method, address, ok := strings.Cut(strings.TrimSpace(call), " ")
	if !ok {
		method, address = "GET", method
	}
	address = strings.TrimSpace(address)
	if !strings.EqualFold(method, "GET") && !strings.EqualFold(method, "POST") {
		return fmt.Errorf("count by %q: expected GET https://…", call)
	}
	if !strings.HasPrefix(address, "/") {
		origin, rest, err := d.splitURL(address)
		if err != nil {
			return fmt.Errorf("count by %q: %w", call, err)
		}
		if origin != d.URL {
			return fmt.Errorf("count by %q: it is on another host than the create (%s), which is never sent to", call, d.URL)
		}
		address = rest
	}
	d.List = &List{Line: strings.ToUpper(method) + " " + address, Items: items}
	if !strings.Contains(address, "marker") {
		d.List.Where = "{{marker}}"
	}
	return nil
}

// Wanted is the name of the query field by which the list call looks for the marker; empty where there is none.
func (d *Draft) Wanted() string {
	if d.List == nil {
		return ""
	}
	_, query, _ := strings.Cut(d.List.Line, "?")
	for field := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(field, "="); strings.Contains(value, "marker") {
			plain, err := url.QueryUnescape(name)
			if err != nil {
				return name
			}
			return plain
		}
	}
	return ""
}

// Collection is the address of the collection that the create posts to, without its query: "/v1/orders".
func (d *Draft) Collection() string {
	_, path, _ := strings.Cut(d.Line, " ")
	path, _, _ = strings.Cut(path, "?")
	return strings.TrimSuffix(path, "/")
}

// YAML writes the target file, with comments that say what was guessed.
func (d *Draft) YAML() ([]byte, error) {
	root := mapping()
	d.head(root)
	if d.Key.Name != "" && d.Profile == "" {
		put(root, "key", d.keyNode())
	}
	put(root, "operations", mapping("create", d.operation()))
	if d.List != nil {
		put(root, "observers", d.observers())
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Made by idemcheck from %s.\n", d.from)
	for _, g := range d.Guesses {
		fmt.Fprintf(&out, "# - %s\n", strings.Join(strings.Fields(g), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		fmt.Fprintf(&out, "# It needs the environment variable %s.\n", name)
	}
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return nil, fmt.Errorf("write the target file: %w", err)
	}
	if d.List == nil {
		d.missingList(&out)
	}
	return out.Bytes(), nil
}

// missingList shows what an observer would look like: without one only the ids in the answers can be counted.
func (d *Draft) missingList(out *bytes.Buffer) {
	fmt.Fprintf(out, "# No way to count is known, so that the ids in the answers are counted, which is weaker. A list call, for example:\n"+
		"# observers:\n#   - name: records\n#     list: {request: \"GET %s?q={{marker}}\", items: \"$.data[*]\", id: $.id}\n", d.Collection())
}

func (d *Draft) head(root *yaml.Node) {
	put(root, "name", quoted(d.Name))
	if d.Profile != "" {
		put(root, "profile", quoted(d.Profile))
	}
	put(root, "url", quoted(d.URL))
	if d.Remote {
		put(root, "remote", scalar("!!bool", "true"))
	}
	if d.Timeout != "" {
		put(root, "timeout", scalar("!!str", d.Timeout))
	}
	headers := mapping()
	for _, h := range d.Headers {
		if !strings.EqualFold(h.Name, "Content-Type") {
			put(headers, h.Name, quoted(h.Value))
		}
	}
	if len(headers.Content) > 0 {
		put(root, "headers", headers)
	}
	limits := mapping()
	if d.Rate != "" {
		put(limits, "rate", scalar("!!str", d.Rate))
	}
	if d.Records > 0 {
		put(limits, "records", scalar("!!int", fmt.Sprint(d.Records)))
	}
	if len(limits.Content) > 0 {
		put(root, "limits", limits)
	}
	if tls := d.tls(); len(tls.Content) > 0 {
		put(root, "tls", tls)
	}
}

func (d *Draft) tls() *yaml.Node {
	tls := mapping()
	for _, f := range []struct{ name, value string }{{"ca", d.TLS.CA}, {"cert", d.TLS.Cert}, {"key", d.TLS.Key}} {
		if f.value != "" {
			put(tls, f.name, quoted(f.value))
		}
	}
	if d.TLS.SkipVerify {
		put(tls, "skip_verify", scalar("!!bool", "true"))
	}
	return tls
}

func (d *Draft) keyNode() *yaml.Node {
	key := mapping("in", scalar("!!str", "header"), "name", quoted(d.Key.Name))
	if d.Key.In != "" {
		key.Content[1].Value = string(d.Key.In)
	}
	if d.Key.Quoting != "" {
		put(key, "quoting", scalar("!!str", string(d.Key.Quoting)))
	}
	if len(d.Key.Companions) > 0 {
		companions := mapping()
		for _, name := range slices.Sorted(maps.Keys(d.Key.Companions)) {
			put(companions, name, quoted(d.Key.Companions[name]))
		}
		put(key, "companions", companions)
	}
	return key
}

func (d *Draft) operation() *yaml.Node {
	op := mapping("request", quoted(d.Line))
	if t := d.header("Content-Type"); t != "" && (isForm(t) || !looksLikeJSON(t) || d.body == nil) {
		put(op, "headers", mapping("Content-Type", quoted(t)))
	}
	switch {
	case d.body != nil:
		put(op, "body", cloneNode(d.body))
	case d.text != "":
		put(op, "body", quoted(d.text))
	}
	if d.ID != "" {
		d.putGuessed(op, "id", d.ID)
	}
	if len(d.Invalid) > 0 {
		invalid := mapping()
		for _, name := range d.Invalid {
			put(invalid, name, mapping("not", quoted("valid")))
		}
		invalid.Style = yaml.FlowStyle
		put(op, "invalid", invalid)
		op.Content[len(op.Content)-1].LineComment = "guessed: values of another type, to be refused"
	}
	if d.Read != "" {
		d.putGuessed(op, "read", d.Read)
	}
	if d.Delete != "" {
		d.putGuessed(op, "delete", d.Delete)
	}
	return op
}

func (d *Draft) putGuessed(m *yaml.Node, name, value string) {
	n := quoted(value)
	n.LineComment = d.comments[name]
	put(m, name, n)
}

func (d *Draft) observers() *yaml.Node {
	list := mapping("request", quoted(d.List.Line))
	list.Content[1].LineComment = d.comments["list"]
	items := d.List.Items
	if items == "" {
		items = "$.data[*]"
		d.comment("items", "guessed")
	}
	d.putGuessed(list, "items", items)
	for _, f := range []struct{ name, value string }{{"id", d.List.ID}, {"where", d.List.Where}} {
		if f.value != "" {
			put(list, f.name, quoted(f.value))
		}
	}
	o := mapping("name", quoted("records"), "list", list)
	if d.List.Settle != "" {
		put(o, "settle", scalar("!!str", d.List.Settle))
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{o}}
}

// Target reads the draft as the target file that it is. The values behind ${NAME} come from the draft, else from env.
func (d *Draft) Target(file string, env targets.Env) (*targets.Target, error) {
	text, err := d.YAML()
	if err != nil {
		return nil, err
	}
	return targets.Parse(file, text, func(name string) (string, bool) {
		if value, known := d.Env[name]; known {
			return value, true
		}
		if env == nil {
			return "", false
		}
		return env(name)
	})
}

// mapping makes a YAML mapping of names and nodes in turn.
func mapping(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(pairs); i += 2 {
		put(m, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return m
}

func put(m *yaml.Node, name string, value *yaml.Node) {
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}
