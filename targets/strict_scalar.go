package targets

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// special reads the types that are more than their Go kind. It reports whether v is one of them.
func (d *decoder) special(n *yaml.Node, v reflect.Value, path string) bool {
	switch p := v.Addr().Interface().(type) {
	case **Body:
		*p = d.body(n, path)
	case *Operations:
		*p = d.operations(n, path)
	case *Services:
		*p = d.services(n, path)
	case *Strings:
		d.listOrOne(n, v, path)
	case *Ints:
		d.listOrOne(n, v, path)
	case *Duration:
		parseInto(d, n, path, p, parseDuration)
	case *Schedule:
		d.schedule(n, p, path)
	case **Clock:
		return d.clockWord(n, p, path)
	case *TimeFormat:
		enumInto(d, n, path, p, []TimeFormat{FormatRFC3339, FormatHTTPDate, FormatUnix})
	case *Rate:
		parseInto(d, n, path, p, parseRate)
	case *Level:
		enumInto(d, n, path, p, Levels())
	case *Scheme:
		enumInto(d, n, path, p, Schemes())
	case *Provenance:
		enumInto(d, n, path, p, Provenances())
	case *KeyIn:
		enumInto(d, n, path, p, KeyPlaces())
	case *Quoting:
		enumInto(d, n, path, p, []Quoting{QuotingBare, QuotingSFString, QuotingEither})
	case *Generator:
		enumInto(d, n, path, p, Generators())
	case *Role:
		enumInto(d, n, path, p, []Role{RoleServer, RoleReceiver})
	default:
		return false
	}
	return true
}

// operations reads the operations in file order, which a Go map would lose.
func (d *decoder) operations(n *yaml.Node, path string) Operations {
	if !d.wants(n, yaml.MappingNode, path, "a mapping of names to operations") {
		return nil
	}
	var out Operations
	for _, p := range d.pairs(n) {
		op := Operation{Name: p.name}
		d.value(p.value, reflect.ValueOf(&op).Elem(), d.put(path, p))
		out = append(out, op)
	}
	return out
}

// services reads the services in file order.
func (d *decoder) services(n *yaml.Node, path string) Services {
	if !d.wants(n, yaml.MappingNode, path, "a mapping of names to services") {
		return nil
	}
	var out Services
	for _, p := range d.pairs(n) {
		s := Service{Name: p.name}
		d.value(p.value, reflect.ValueOf(&s).Elem(), d.put(path, p))
		out = append(out, s)
	}
	return out
}

// listOrOne reads a list that may be written as its only item.
func (d *decoder) listOrOne(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.SequenceNode {
		d.list(n, v, path)
		return
	}
	if !d.wants(n, yaml.ScalarNode, path, "one value or a list") {
		return
	}
	one := reflect.New(v.Type().Elem()).Elem()
	before := len(d.errs)
	d.scalar(n, one, path)
	if len(d.errs) == before {
		v.Set(reflect.Append(v, one))
	}
}

// scalar reads texts, numbers and booleans. A text field takes any scalar as it is written, so that `018` stays `018`.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.text(n, path); ok {
			v.SetString(s)
		}
	case reflect.Int:
		parseInto(d, n, path, v.Addr().Interface().(*int), parseInt)
	case reflect.Bool:
		parseInto(d, n, path, v.Addr().Interface().(*bool), parseBool)
	default:
		d.failAt(n, "", "%s: the reader does not know the Go type %s", named(path), v.Type())
	}
}

// text reads a free text and notes which of it is secret.
func (d *decoder) text(n *yaml.Node, path string) (string, bool) {
	s, uses, ok := d.expanded(n, path, "a text")
	if ok {
		d.noteSecrets(path, s, uses)
	}
	for _, name := range templateNames(s) {
		d.templates = append(d.templates, usedTemplate{path, name, place{n.Line, n.Column}})
	}
	return s, ok
}

// expanded gives the text of a scalar with its ${NAME} replaced.
func (d *decoder) expanded(n *yaml.Node, path, what string) (string, []envUse, bool) {
	if !d.wants(n, yaml.ScalarNode, path, what) {
		return "", nil, false
	}
	if d.plain {
		return n.Value, nil, true
	}
	s, uses, err := expandEnv(n.Value, d.env)
	if err != nil {
		d.failAt(n, err.hint, "%s: %s", named(path), err.msg)
		return "", nil, false
	}
	return s, uses, true
}

// parseInto reads a scalar by a parser whose error says what was expected.
func parseInto[T any](d *decoder, n *yaml.Node, path string, into *T, parse func(string) (T, error)) {
	s, _, ok := d.expanded(n, path, "a single value")
	if !ok {
		return
	}
	v, err := parse(strings.TrimSpace(s))
	if err != nil {
		d.failAt(n, "", "%s: %s", named(path), err)
		return
	}
	*into = v
}

// enumInto reads one of a fixed set of words.
func enumInto[T ~string](d *decoder, n *yaml.Node, path string, into *T, known []T) {
	s, _, ok := d.expanded(n, path, "one of "+words(known))
	if !ok {
		return
	}
	for _, k := range known {
		if s == string(k) {
			*into = k
			return
		}
	}
	hint := ""
	if best, ok := nearest(s, texts(known)); ok {
		hint = fmt.Sprintf("did you mean %q?", best)
	}
	d.failAt(n, hint, "%s: %q is none of %s", named(path), s, words(known))
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

func words[T ~string](list []T) string { return strings.Join(texts(list), ", ") }

func parseInt(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("expected a whole number, found %q", s)
	}
	return n, nil
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("expected true or false, found %q", s)
}

// parseDuration reads "30s", "24h", "7d", "1d12h". Days are 24 hours. Negative durations have no meaning anywhere.
func parseDuration(s string) (Duration, error) {
	bad := fmt.Errorf("expected a duration such as 500ms, 30s, 24h or 7d, found %q", s)
	rest, total := s, time.Duration(0)
	if days, tail, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > math.MaxInt64/int(24*time.Hour) {
			return 0, bad
		}
		total, rest = time.Duration(n)*24*time.Hour, tail
		if rest == "" {
			return Duration(total), nil
		}
	}
	part, err := time.ParseDuration(rest)
	if err != nil || part < 0 || total+part < total {
		return 0, bad
	}
	return Duration(total + part), nil
}

// parseRate reads "20/s", "100/m" or "5/h" as requests per second.
func parseRate(s string) (Rate, error) {
	per := map[string]float64{"s": 1, "m": 60, "h": 3600}
	count, unit, _ := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(strings.TrimSpace(count), 64)
	seconds, ok := per[strings.TrimSpace(unit)]
	if err != nil || !ok || !(n > 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("expected a rate such as 20/s or 100/m, found %q", s)
	}
	return Rate(n / seconds), nil
}
