package scenarios

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// expectWord is the member of a step that holds several expectations: `expect: {records: 1}` is the verb records, and
// `expect: {status: 201}` the verb expect_status.
const expectWord = "expect"

// steps reads a list of steps.
func (r *reader) steps(n *yaml.Node, part, keyword string, each []Variant) []Step {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "", "%s: expected a list of steps, found %s", part, kindOf(n))
		return nil
	}
	var list []Step
	for _, item := range n.Content {
		before := len(r.errs)
		for _, s := range r.step(item) {
			s.Keyword, s.Later = keyword, part == "cleanup"
			if len(r.errs) == before { // else what is missing was most likely misspelt
				r.checkStep(s, each)
			}
			list = append(list, s)
		}
	}
	return list
}

// step reads one step: {verb: arguments}, or the bare verb where it needs none.
func (r *reader) step(n *yaml.Node) []Step {
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		return r.use(member{n.Value, n, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}}, nil)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) != 2 {
		r.fail(n, "", "a step is one verb with its arguments, found %d members", len(n.Content)/2)
		return nil
	}
	var list []Step
	for _, m := range r.members(n, "a step", nil) {
		if m.name == expectWord {
			list = append(list, r.expectations(m)...)
		} else {
			list = append(list, r.use(m, nil)...)
		}
	}
	return list
}

// expectations reads `expect:`. The member `as` names the attempt for all of them that are about one.
func (r *reader) expectations(m member) []Step {
	shared := map[string]*yaml.Node{}
	var list []Step
	members := r.members(m.value, expectWord, nil)
	for _, e := range members {
		if e.name == "as" {
			shared["as"] = e.value
		}
	}
	about := 0
	for _, e := range members {
		if e.name == "as" {
			continue
		}
		for _, s := range r.use(e, shared) {
			list = append(list, s)
			if s.Verb.arg("as") != nil {
				about++
			}
		}
	}
	switch {
	case len(list) == 0 && len(r.errs) == 0:
		r.fail(m.value, "for example {records: 1}", "expect: nothing is expected")
	case shared["as"] != nil && about == 0 && len(r.errs) == 0:
		r.fail(shared["as"], "", "expect: nothing here is about an attempt, so that `as` has no meaning")
	}
	return list
}

// use reads a verb with its arguments: a mapping, or a single value for the first one.
func (r *reader) use(m member, shared map[string]*yaml.Node) []Step {
	verb := r.language.verb(m.name)
	if shared != nil && r.language.verb(expectWord+"_"+m.name) != nil {
		verb = r.language.verb(expectWord + "_" + m.name)
	}
	if verb == nil {
		r.fail(m.key, suggest(m.name, r.language.verbNames(shared != nil)), "there is no verb %q", m.name)
		return nil
	}
	s := Step{Verb: verb, Args: map[string]string{}, at: positionOf(m.key), places: map[string]Position{}}
	for name, n := range shared {
		if verb.arg(name) != nil {
			r.argument(&s, member{name, n, n})
		}
	}
	switch {
	case isNull(m.value):
	case m.value.Kind == yaml.MappingNode && !r.isValue(verb, m.value):
		for _, a := range r.members(m.value, verb.Name, verb.argNames()) {
			r.argument(&s, a)
		}
	case firstOf(verb, shared) == nil:
		r.fail(m.value, "", "%s takes no arguments", verb.Name)
	default:
		r.argument(&s, member{firstOf(verb, shared).Name, m.key, m.value})
	}
	return []Step{s}
}

// firstOf gives the argument that a single value stands for: the first one that is not given yet.
func firstOf(v *Verb, given map[string]*yaml.Node) *Arg {
	for i := range v.Args {
		if given[v.Args[i].Name] == nil {
			return &v.Args[i]
		}
	}
	return nil
}

// isValue reports whether a mapping is the value of the verb's only argument, and not its list of arguments.
func (r *reader) isValue(v *Verb, n *yaml.Node) bool {
	return len(v.Args) == 1 && v.Args[0].JSON && (len(n.Content) == 0 || n.Content[0].Value != v.Args[0].Name)
}

func (r *reader) argument(s *Step, m member) {
	a := s.Verb.arg(m.name)
	switch {
	case isNull(m.value) && !a.JSON:
		r.fail(m.value, "", "%s.%s: expected a value, found nothing", s.Verb.Name, m.name)
		return
	case m.value.Kind != yaml.ScalarNode && !a.JSON:
		r.fail(m.value, "", "%s.%s: expected a single value, found %s", s.Verb.Name, m.name, kindOf(m.value))
		return
	}
	text, err := textOf(m.value)
	if err != nil {
		r.fail(m.value, "", "%s.%s: %v", s.Verb.Name, m.name, err)
		return
	}
	if m.value.Kind == yaml.ScalarNode {
		text = a.value(text)
	}
	s.Args[m.name], s.places[m.name] = text, positionOf(m.value)
}

// checkStep says what a step lacks, and which values are none of an argument's, in every variant.
func (r *reader) checkStep(s Step, each []Variant) {
	at := &yaml.Node{Line: s.at.Line, Column: s.at.Column}
	for _, name := range s.Verb.required() {
		if _, given := s.Args[name]; !given && s.Verb.arg(name).Default == "" {
			r.fail(at, "", "%s needs %q: %s", s.Verb.Name, name, s.Verb.arg(name).Doc)
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		place := s.places[name]
		here := &yaml.Node{Line: place.Line, Column: place.Column}
		if missing, hint := unknownValue(s.Args[name], each); missing != "" {
			r.fail(here, hint, "%s.%s: no variant has a value called %q", s.Verb.Name, name, missing)
			continue
		}
		for _, text := range variants(s.Args[name], s.Verb.arg(name).JSON, each) {
			if hint, err := s.Verb.checkValue(name, text); err != nil {
				r.fail(here, hint, "%s.%s: %v", s.Verb.Name, name, err)
				break
			}
		}
	}
	if _, ok := s.Verb.say(s.values(each)); !ok && len(r.errs) == 0 {
		r.fail(at, "idemcheck steps lists the ways to write it", "%s cannot be said with these arguments", s.Verb.Name)
	}
}

// checkValue reports a value that an argument does not take, with what it takes.
func (v *Verb) checkValue(name, text string) (hint string, err error) {
	a := v.arg(name)
	if a.Number {
		if !digits.MatchString(text) {
			return "", fmt.Errorf("expected a whole number, found %q", text)
		}
		return "", nil
	}
	known := v.implied(name)
	for _, c := range a.Choices {
		if c.Value == text || strings.HasSuffix(c.Value, ":") && strings.HasPrefix(text, c.Value) {
			return "", nil
		}
		if !slices.Contains(known, c.Value) {
			known = append(known, c.Value)
		}
	}
	if len(known) == 0 || a.Open || slices.Contains(known, text) {
		return "", nil
	}
	if best, ok := nearest(text, known); ok {
		hint = fmt.Sprintf("did you mean %q?", best)
	}
	return hint, fmt.Errorf("%q is none of %s", text, strings.Join(known, ", "))
}

var digits = regexp.MustCompile(`^[0-9]{1,9}$`)

func (l *Language) verb(name string) *Verb {
	for _, v := range l.verbs {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// verbNames lists what a step may begin with; within `expect:` its expectations also without that word.
func (l *Language) verbNames(expected bool) []string {
	names := []string{expectWord}
	for _, v := range l.verbs {
		name := v.Name
		if expected {
			name = strings.TrimPrefix(name, expectWord+"_")
		}
		names = append(names, name)
	}
	return names
}
