// Package scenarios is the scenario language: what a Verb is, how its sentences are recognised in Gherkin, and the
// built-in YAML scenarios. The steps package fills the table of verbs; nothing of ours is imported here.
package scenarios

import (
	"fmt"
	"regexp"
	"strings"
)

// Verb is one word of the scenario language. In YAML it is a member of a step; in Gherkin it owns one or more
// sentences.
type Verb struct {
	Name      string // the YAML word
	Doc       string // one line
	Sentences []Sentence
	Args      []Arg
}

// Arg is one argument of a verb. In a sentence it stands as {name}; what a sentence does not mention can be given in a
// table below it, one row per argument.
type Arg struct {
	Name    string
	Doc     string
	Number  bool     // a whole number
	JSON    bool     // any value; one that is no text travels as JSON
	Open    bool     // texts beside the choices are taken as well
	Default string   // the value that a sentence says where none is given
	Choices []Choice // the phrases it may take in a sentence; empty: any text in double quotes, or a number
}

// Choice is one phrase of an argument and the value it stands for in YAML.
type Choice struct {
	Phrase string
	Value  string
}

// Sentence is one way to write a verb in Gherkin: words, with {argument} in place of each argument it takes. Set gives
// values to arguments that the words imply.
type Sentence struct {
	Text string
	Set  map[string]string
}

// Match is a sentence recognised in the text of a step, with its arguments by name.
type Match struct {
	Verb  *Verb
	Args  map[string]string
	Later bool // a clean-up step: it is carried out after the case has ended
}

// Later is how the text of a clean-up step begins.
const Later = "in the end, "

// Language recognises the sentences of a table of verbs. Build it with Compile.
type Language struct {
	rules []rule
	verbs []*Verb
}

type rule struct {
	verb     *Verb
	sentence Sentence
	pattern  *regexp.Regexp
}

// Compile builds the patterns of all sentences. It fails on a sentence that names an argument its verb does not have.
func Compile(verbs []Verb) (*Language, error) {
	l := &Language{}
	for i := range verbs {
		v := &verbs[i]
		l.verbs = append(l.verbs, v)
		for _, s := range v.Sentences {
			text, err := v.pattern(s)
			if err != nil {
				return nil, err
			}
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("compile the sentence %q: %w", s.Text, err)
			}
			l.rules = append(l.rules, rule{v, s, re})
		}
	}
	return l, nil
}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// pattern turns a sentence into a regular expression without capture groups of its own but the named ones.
func (v *Verb) pattern(s Sentence) (string, error) {
	var b strings.Builder
	b.WriteString("^")
	last := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(s.Text, -1) {
		b.WriteString(literal(s.Text[last:at[0]]))
		name := s.Text[at[2]:at[3]]
		arg := v.arg(name)
		if arg == nil {
			return "", fmt.Errorf("compile the sentence %q: the verb %s has no argument %q", s.Text, v.Name, name)
		}
		b.WriteString(arg.group(quotedAt(s.Text, at[0])))
		last = at[1]
	}
	b.WriteString(literal(s.Text[last:]) + "$")
	return b.String(), nil
}

// literal quotes words for a pattern; "(s)" stands for an optional s.
func literal(s string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(s), `\(s\)`, "s?")
}

func (v *Verb) arg(name string) *Arg {
	for i := range v.Args {
		if v.Args[i].Name == name {
			return &v.Args[i]
		}
	}
	return nil
}

// quotedAt reports whether the argument at a place of a sentence stands in double quotes: there it is any text.
func quotedAt(sentence string, at int) bool { return at > 0 && sentence[at-1] == '"' }

func (a *Arg) group(quoted bool) string {
	switch {
	case quoted:
	case a.Number:
		return "(?P<" + a.Name + ">[0-9]+)"
	case len(a.Choices) > 0:
		phrases := make([]string, len(a.Choices))
		for i, c := range a.Choices {
			phrases[i] = regexp.QuoteMeta(c.Phrase)
		}
		return "(?P<" + a.Name + ">" + strings.Join(phrases, "|") + ")"
	}
	return `(?P<` + a.Name + `>[^"]*)` // the sentence itself has the quotes around it
}

// value gives the value a phrase stands for.
func (a *Arg) value(phrase string) string {
	for _, c := range a.Choices {
		if c.Phrase == phrase {
			return c.Value
		}
	}
	return phrase
}

// Patterns gives the regular expressions of all sentences, each also as it is said of what comes later.
func (l *Language) Patterns() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, r := range l.rules {
		later := regexp.MustCompile("^" + Later + strings.TrimPrefix(r.pattern.String(), "^"))
		list = append(list, r.pattern, later)
	}
	return list
}

// Recognise finds the one sentence that a step's text is. No match or several are an error that quotes the text.
func (l *Language) Recognise(text string) (Match, error) {
	if rest, later := strings.CutPrefix(text, Later); later {
		m, err := l.Recognise(rest)
		m.Later = true
		return m, err
	}
	var found []rule
	for _, r := range l.rules {
		if r.pattern.MatchString(text) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return Match{}, fmt.Errorf("no step reads %q (%s)", text, l.hint(text))
	case 1:
		return found[0].match(text), nil
	}
	return Match{}, fmt.Errorf("%q reads as %q and as %q", text, found[0].sentence.Text, found[1].sentence.Text)
}

func (r rule) match(text string) Match {
	groups := r.pattern.FindStringSubmatch(text)
	args := map[string]string{}
	for name, value := range r.sentence.Set {
		args[name] = value
	}
	for i, name := range r.pattern.SubexpNames() {
		if name != "" {
			args[name] = groups[i]
			if !strings.Contains(r.sentence.Text, `"{`+name+`}"`) {
				args[name] = r.verb.arg(name).value(groups[i])
			}
		}
	}
	return Match{Verb: r.verb, Args: args}
}

// hint names the sentence that a misspelt one most likely means.
func (l *Language) hint(text string) string {
	var known []string
	for _, r := range l.rules {
		known = append(known, r.sentence.Text)
	}
	if best, ok := nearest(text, known); ok {
		return fmt.Sprintf("did you mean %q? idemcheck steps lists them all", best)
	}
	return "idemcheck steps lists them all"
}
