package scenarios

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// values gives each argument of a step as every variant has it: one text where all have the same.
func (s Step) values(each []Variant) map[string][]string {
	out := map[string][]string{}
	for name, text := range s.Args {
		list := variants(text, s.Verb.arg(name).JSON, each)
		if len(slices.Compact(slices.Clone(list))) == 1 {
			list = list[:1]
		}
		out[name] = list
	}
	return out
}

// saying is a way to say a step: a sentence, what stands in place of its arguments, and the arguments that go below it.
type saying struct {
	sentence Sentence
	words    map[string][]string // by argument, as they stand in the sentence
	rest     []string
	clumsy   int
}

// say finds the sentence that leaves the fewest arguments to be given below it. There is none where no sentence can be
// said with these arguments.
func (v *Verb) say(args map[string][]string) (saying, bool) {
	var best saying
	found := false
	for _, s := range v.Sentences {
		if way, ok := v.try(s, args); ok && (!found || way.clumsy < best.clumsy) {
			best, found = way, true
		}
	}
	return best, found
}

// try says a step by one sentence.
func (v *Verb) try(s Sentence, args map[string][]string) (saying, bool) {
	way := saying{sentence: s, words: map[string][]string{}}
	covered := map[string]bool{}
	for name, value := range s.Set {
		given, known := args[name]
		if !known {
			given = []string{v.arg(name).Default}
		}
		if len(given) != 1 || given[0] != value {
			return way, false
		}
		covered[name] = true
	}
	for _, at := range placeholder.FindAllStringSubmatchIndex(s.Text, -1) {
		name := s.Text[at[2]:at[3]]
		words, whole, ok := v.wordsFor(name, quotedAt(s.Text, at[0]), args)
		if !ok {
			return way, false
		}
		if _, given := args[name]; !given {
			way.clumsy++
		}
		way.words[name], covered[name] = words, whole
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !covered[name] {
			way.rest = append(way.rest, name)
			way.clumsy += 10
		}
	}
	return way, true
}

// wordsFor gives what stands in place of an argument. It is not whole where the text cannot stand in a sentence as it is:
// then the sentence has what is left of it, and the text goes below.
func (v *Verb) wordsFor(name string, quoted bool, args map[string][]string) (words []string, whole, ok bool) {
	a := v.arg(name)
	given, known := args[name]
	switch {
	case !known && a.Default == "":
		return nil, false, false
	case !known:
		given = []string{a.Default}
	}
	whole = true
	for _, text := range given {
		word := text
		switch {
		case !quoted && len(a.Choices) > 0:
			if word, ok = a.phrase(text); !ok {
				return nil, false, false
			}
		case !plain(text) || !quoted && text == "":
			word, whole = tamed(text), false
		}
		words = append(words, word)
	}
	return words, whole, true
}

// phrase gives the phrase of a value.
func (a *Arg) phrase(value string) (string, bool) {
	for _, c := range a.Choices {
		if c.Value == value {
			return c.Phrase, true
		}
	}
	return "", false
}

// plain reports whether a text can stand within a sentence, or a cell of a table, as it is.
func plain(text string) bool {
	return strings.TrimSpace(text) == text && !strings.ContainsFunc(text, wild)
}

func wild(c rune) bool { return strings.ContainsRune(`"<>`, c) || !unicode.IsPrint(c) }

// tamed gives what is left of a text when everything is taken out that cannot stand in a sentence.
func tamed(text string) string {
	return oneLine(strings.Map(func(c rune) rune {
		if wild(c) {
			return ' '
		}
		return c
	}, text))
}
