package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// File is a scenario file in YAML, as it was read.
type File struct {
	Path      string
	Feature   string // its title
	About     string
	Scenarios []Scenario
	at        Position
}

// Scenario is one scenario of a file; with variants it stands for several cases.
type Scenario struct {
	ID     string
	Title  string
	Why    string
	Level  string // must, should, may
	Source []string
	Needs  []string
	Tags   []string
	After  string // the case it stands on
	Steps  []Step // in the order in which they stand in Gherkin: clean-up steps are registered first
	Each   []Variant
	at     Position
}

// Step is one use of a verb.
type Step struct {
	Keyword string // Given, When or Then
	Later   bool   // a clean-up step
	Verb    *Verb
	Args    map[string]string
	at      Position
	places  map[string]Position // of the arguments
}

// In gives the arguments of the step as a variant has them.
func (s Step) In(v Variant) map[string]string {
	out := map[string]string{}
	for name, text := range s.Args {
		out[name] = variants(text, s.Verb.arg(name).JSON, []Variant{v})[0]
	}
	return out
}

// Variant is one row of `each:`. Its address is the scenario's id with its label in brackets.
type Variant struct {
	Label  string
	Needs  []string
	Values map[string]string // by the name that stands in angle brackets in the steps
	at     Position
}

// The members of a scenario file, of a scenario, and the members of a variant that are no values.
var (
	fileMembers     = []string{"feature", "about", "level", "source", "needs", "after", "tags", "scenarios"}
	scenarioMembers = []string{"id", "title", "why", "level", "source", "needs", "after", "tags", "given", "when", "then", "cleanup", "each"}
	levels          = []string{"must", "should", "may"}
)

// Load reads a scenario file. All mistakes come back together as FileErrors.
func (l *Language) Load(path string, data []byte) (*File, error) {
	root, bad := parseYAML(path, data)
	if bad != nil {
		return nil, FileErrors{bad}
	}
	r := &reader{file: path, language: l}
	f := r.readFile(root)
	if err := r.errs.sorted(); err != nil {
		return nil, err
	}
	return f, nil
}

// reader fills a File from YAML nodes: every mistake is kept with its place, and reading goes on.
type reader struct {
	file     string
	language *Language
	errs     FileErrors
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.errs = append(r.errs, &FileError{r.file, positionOf(n), fmt.Sprintf(format, args...), hint})
}

// member is one name and value of a mapping.
type member struct {
	name       string
	key, value *yaml.Node
}

// members gives the members of a mapping in their order. A name that stands twice is a mistake, and so is one that is
// not known, unless known is nil.
func (r *reader) members(n *yaml.Node, what string, known []string) []member {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "", "%s: expected a mapping, found %s", what, kindOf(n))
		return nil
	}
	var list []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, name := n.Content[i], n.Content[i].Value
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(key, "a value that begins with {{ must be quoted", "%s: a name must be a text, found %s", what, kindOf(key))
		case slices.ContainsFunc(list, func(m member) bool { return m.name == name }):
			r.fail(key, "", "%q is given twice", name)
		case known != nil && !slices.Contains(known, name):
			r.fail(key, suggest(name, known), "%s has no member %q", what, name)
		default:
			list = append(list, member{name, key, n.Content[i+1]})
		}
	}
	return list
}

// text reads a text, without the white space around it.
func (r *reader) text(m member) string {
	if m.value.Kind != yaml.ScalarNode || isNull(m.value) {
		r.fail(m.value, "", "%s: expected a text, found %s", m.name, kindOf(m.value))
		return ""
	}
	return strings.TrimSpace(m.value.Value)
}

// words reads a list of words, which may be written as its only item. A word holds no white space.
func (r *reader) words(m member) []string {
	items := []*yaml.Node{m.value}
	if m.value.Kind == yaml.SequenceNode {
		items = m.value.Content
	}
	var list []string
	for _, item := range items {
		word := r.text(member{m.name, m.key, item})
		if strings.ContainsFunc(word, blankOrControl) {
			r.fail(item, "", "%s: %q is not one word", m.name, word)
			continue
		}
		list = append(list, strings.ReplaceAll(word, "@", "%40")) // it becomes a tag, and tags begin with @
	}
	return list
}

func blankOrControl(c rune) bool {
	return c <= ' ' || c == 0x7f || c == 0x85 || c == 0xa0 || c >= 0x2000 && c <= 0x206f
}

// defaults are what a file says for all its scenarios.
type defaults struct {
	level, after        string
	source, needs, tags []string
}

func (r *reader) readFile(n *yaml.Node) *File {
	f := &File{Path: r.file, at: positionOf(n)}
	var d defaults
	var list *yaml.Node
	for _, m := range r.members(n, "the file", fileMembers) {
		switch m.name {
		case "feature":
			f.Feature, f.at = oneLine(r.text(m)), positionOf(m.key)
		case "about":
			f.About = r.text(m)
		case "scenarios":
			list = m.value
		default:
			r.common(m, &d)
		}
	}
	switch {
	case list == nil && len(r.errs) == 0:
		r.fail(n, "", "the file has no `scenarios`")
	case list != nil && (list.Kind != yaml.SequenceNode || len(list.Content) == 0):
		r.fail(list, "", "scenarios: expected a list of scenarios, found %s", kindOf(list))
	case list != nil:
		for _, item := range list.Content {
			f.Scenarios = append(f.Scenarios, r.scenario(item, d))
		}
	}
	if f.Feature == "" {
		f.Feature = "Scenarios of " + oneLine(f.Path)
	}
	return f
}

// common reads a member that files and scenarios share.
func (r *reader) common(m member, d *defaults) {
	switch m.name {
	case "level":
		if d.level = r.text(m); !slices.Contains(levels, d.level) {
			r.fail(m.value, suggest(d.level, levels), "level: %q is none of %s", d.level, strings.Join(levels, ", "))
		}
	case "after":
		if words := r.words(m); len(words) == 1 {
			d.after = words[0]
		} else {
			r.fail(m.value, "", "after: expected one case, found %d", len(words))
		}
	case "source":
		d.source = r.words(m)
	case "needs":
		d.needs = append(slices.Clone(d.needs), r.words(m)...)
	case "tags":
		d.tags = append(slices.Clone(d.tags), r.words(m)...)
	}
}

var (
	caseID    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._-]+\])?$`)
	caseLabel = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

func (r *reader) scenario(n *yaml.Node, d defaults) Scenario {
	s := Scenario{at: positionOf(n)}
	before := len(r.errs)
	steps := map[string]*yaml.Node{}
	for _, m := range r.members(n, "a scenario", scenarioMembers) {
		switch m.name {
		case "id":
			if s.ID = r.text(m); !caseID.MatchString(s.ID) {
				r.fail(m.value, "letters, digits and . _ -, for example order-twice", "id: %q cannot be an id", s.ID)
			}
			s.at = positionOf(m.key)
		case "title":
			s.Title = oneLine(r.text(m))
		case "why":
			s.Why = r.text(m)
		case "each":
			s.Each = r.variants(m)
		case "given", "when", "then", "cleanup":
			steps[m.name] = m.value
		default:
			r.common(m, &d)
		}
	}
	s.Level, s.After, s.Source, s.Needs, s.Tags = d.level, d.after, d.source, d.needs, d.tags
	for _, part := range []struct{ name, keyword string }{{"cleanup", "Given"}, {"given", "Given"}, {"when", "When"}, {"then", "Then"}} {
		if steps[part.name] != nil {
			s.Steps = append(s.Steps, r.steps(steps[part.name], part.name, part.keyword, s.Each)...)
		}
	}
	if len(r.errs) == before { // else what is missing was most likely misspelt
		r.complete(s)
	}
	return s
}

// complete says what a scenario lacks.
func (r *reader) complete(s Scenario) {
	at := &yaml.Node{Line: s.at.Line, Column: s.at.Column}
	switch {
	case s.ID == "":
		r.fail(at, "", "the scenario has no `id`: reports and --only speak of it")
	case s.Title == "":
		r.fail(at, "", "the scenario %s has no `title`: what does it prove?", s.ID)
	case s.Level == "":
		r.fail(at, "known: "+strings.Join(levels, ", "), "the scenario %s has no `level`", s.ID)
	case len(s.Steps) == 0:
		r.fail(at, "", "the scenario %s has no steps (given, when, then)", s.ID)
	case len(s.Each) > 0 && strings.Contains(s.ID, "["):
		r.fail(at, "", "the scenario %s has variants, so that its id cannot have brackets", s.ID)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
