package targets

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// decoder fills Go values from YAML nodes, strictly: every mistake is kept with its place, and reading goes on. It is a
// walker of its own and not yaml.v3's KnownFields, because that gives neither columns nor near names.
type decoder struct {
	file      string
	env       Env  // what ${NAME} stands for
	plain     bool // leave ${NAME} alone: profiles are public and know no environment
	secrets   *Secrets
	places    map[string]place // path ("operations.create.request") -> where it stands
	errs      FileErrors
	templates []usedTemplate // every {{name}} of the file
	broken    bool           // decoding has ended with errors: a field may be missing only because it could not be read
	visits    int
	depth     int
	open      map[*yaml.Node]bool // anchors being read, to find one that contains itself
}

type place struct{ line, column int }

func newDecoder(file string, env Env, secrets *Secrets) *decoder {
	return &decoder{file: file, env: env, secrets: secrets, places: map[string]place{}, open: map[*yaml.Node]bool{}}
}

// decode reads data into v, a pointer to a struct.
func (d *decoder) decode(data []byte, v any) {
	root, err := parseYAML(d.file, data)
	if err != nil {
		d.errs, d.broken = append(d.errs, err), true
		return
	}
	d.places[""] = place{root.Line, root.Column}
	d.value(root, reflect.ValueOf(v).Elem(), "")
	d.broken = len(d.errs) > 0
}

// err gives all mistakes in file order, or nil.
func (d *decoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	return d.errs.sorted()
}

// failAt notes a mistake at a node.
func (d *decoder) failAt(n *yaml.Node, hint, format string, args ...any) {
	d.errs = append(d.errs, &FileError{File: d.file, Line: n.Line, Column: n.Column, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// fail notes a mistake at a path, or at the nearest thing around it that stands in the file.
func (d *decoder) fail(path, hint, format string, args ...any) {
	at, ok := d.places[path]
	for up := path; !ok; at, ok = d.places[up] {
		if up == "" {
			at = place{1, 1}
			break
		}
		up = up[:max(strings.LastIndexAny(up, ".["), 0)]
	}
	d.errs = append(d.errs, &FileError{File: d.file, Line: at.line, Column: at.column, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// missing is fail for things that are not there. It is silent where the file could not be read whole: then the reason is
// most likely a misspelt name that has been reported already.
func (d *decoder) missing(path, hint, format string, args ...any) {
	if !d.broken {
		d.fail(path, hint, format, args...)
	}
}

// enter follows an alias and guards against files that grow or loop when they are read. The node is nil when the
// reader must turn back; leave must be called otherwise.
func (d *decoder) enter(n *yaml.Node) (inner *yaml.Node, leave func()) {
	inner = n
	if n.Kind == yaml.AliasNode {
		inner = n.Alias
	}
	d.visits++
	switch {
	case d.open[inner]:
		d.failAt(n, "", "the anchor %q contains itself", n.Value)
		return nil, nil
	case d.visits == maxVisits:
		d.failAt(n, "an alias of aliases?", "the file holds more than %d values", maxVisits)
		return nil, nil
	case d.visits > maxVisits:
		return nil, nil
	case d.depth > maxDepth:
		d.failAt(n, "", "the file is nested deeper than %d levels", maxDepth)
		return nil, nil
	}
	d.open[inner] = true
	d.depth++
	return inner, func() { d.depth--; delete(d.open, inner) }
}

// value reads one node into v. A null leaves v as it is: the field counts as not given.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	n, leave := d.enter(n)
	if n == nil {
		return
	}
	defer leave()
	if !d.knownTag(n) || isNull(n) || d.special(n, v, path) {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

// knownTag refuses tags that are no plain YAML, such as !!binary and !include.
func (d *decoder) knownTag(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp", "!!merge":
		return true
	}
	d.failAt(n, "", "the tag %q is not known", n.Tag)
	return false
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	if !d.wants(n, yaml.MappingNode, path, "a mapping") {
		return
	}
	fields, names := fieldsOf(v.Type())
	for _, p := range d.pairs(n) {
		index, ok := fields[p.name]
		if !ok {
			d.failAt(p.key, suggest(p.name, names), "unknown field %q%s", p.name, inside(path))
			continue
		}
		d.value(p.value, v.FieldByIndex(index), d.put(path, p))
	}
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if !d.wants(n, yaml.MappingNode, path, "a mapping") {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, p := range d.pairs(n) {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(p.value, elem, d.put(path, p))
		v.SetMapIndex(reflect.ValueOf(p.name), elem)
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if !d.wants(n, yaml.SequenceNode, path, "a list") {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.places[at] = place{item.Line, item.Column}
		d.value(item, v.Index(i), at)
	}
}

// put remembers where a member stands and gives its path. A member that is itself a mapping or a list stands where its
// name does: that is where a reader looks.
func (d *decoder) put(path string, p pair) string {
	at := p.name
	if path != "" {
		at = path + "." + p.name
	}
	d.places[at] = place{p.key.Line, p.key.Column}
	if p.value.Kind == yaml.ScalarNode && !isNull(p.value) {
		d.places[at] = place{p.value.Line, p.value.Column}
	}
	return at
}

// wants notes a mistake unless the node is of the kind that the field needs.
func (d *decoder) wants(n *yaml.Node, kind yaml.Kind, path, what string) bool {
	if n.Kind == kind {
		return true
	}
	hint := ""
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
		hint = "a value that begins with {{ must be quoted"
	}
	d.failAt(n, hint, "%s: expected %s, found %s", named(path), what, kindOf(n))
	return false
}

// fieldsOf gives the YAML names of a struct's fields, inline ones flattened, in their order.
func fieldsOf(t reflect.Type) (index map[string][]int, names []string) {
	index = map[string][]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			inner, more := fieldsOf(f.Type)
			for _, m := range more {
				index[m] = append([]int{i}, inner[m]...)
			}
			names = append(names, more...)
		} else if name != "-" && name != "" {
			index[name] = []int{i}
			names = append(names, name)
		}
	}
	return index, names
}

func named(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func inside(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}
