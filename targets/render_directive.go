package targets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// splitDirective takes the name of a key in a GraphQL directive apart: idempotent(key).
func splitDirective(name string) (directive, argument string, err error) {
	directive, rest, ok := strings.Cut(strings.TrimPrefix(name, "@"), "(")
	argument, end, closed := strings.Cut(rest, ")")
	argument = strings.TrimSuffix(strings.TrimSpace(argument), ":")
	if !ok || !closed || end != "" || !isGraphQLName(directive) || !isGraphQLName(argument) {
		return "", "", fmt.Errorf("%q is no GraphQL directive with its argument", name)
	}
	return directive, argument, nil
}

// placeInDirective puts the key into a directive of the GraphQL document at /query of a JSON body. A directive that the
// document holds gets the key: in place of the text there, or in the variable that it names. Where it holds none, the
// directive is added to the first field of the operation.
func placeInDirective(k Key, key string, a *Attempt) error {
	directive, argument, err := splitDirective(k.Name)
	if err != nil {
		return err
	}
	var body struct {
		Query *string `json:"query"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Query == nil {
		return errors.New("the key travels in a GraphQL directive, but the body holds no member query")
	}
	document, variable, err := setDirective(*body.Query, directive, argument, key)
	if err != nil {
		return err
	}
	at, text := "/query", document
	if variable != "" {
		at, text = "/variables/"+variable, key
	}
	a.Body, err = SetJSONPointer(a.Body, at, text)
	return err
}

// setDirective gives the document with the key in it, or the name of the variable that must hold it.
func setDirective(document, directive, argument, key string) (changed, variable string, err error) {
	tokens := graphQLTokens(document)
	for i := range tokens {
		if !tokens.are(i, "@", directive, "(") {
			continue
		}
		for j := i + 3; j+2 < len(tokens) && tokens[j].text != ")"; j++ {
			if !tokens.are(j, argument, ":") {
				continue
			}
			value := tokens[j+2]
			if value.text == "$" && j+3 < len(tokens) {
				return "", tokens[j+3].text, nil
			}
			return document[:value.start] + graphQLText(key) + document[value.end():], "", nil
		}
	}
	end, err := tokens.firstField()
	if err != nil {
		return "", "", err
	}
	return document[:end] + " @" + directive + "(" + argument + ": " + graphQLText(key) + ")" + document[end:], "", nil
}

// token is one token of a GraphQL document: a name or number, a text with its quotes, or one punctuator.
type token struct {
	text  string
	start int
}

func (t token) end() int { return t.start + len(t.text) }

type tokenList []token

// are reports whether the tokens from i on are these.
func (l tokenList) are(i int, texts ...string) bool {
	if i+len(texts) > len(l) {
		return false
	}
	for n, text := range texts {
		if l[i+n].text != text {
			return false
		}
	}
	return true
}

// firstField finds where the first field of the first operation ends: its name (behind an alias), with its arguments.
func (l tokenList) firstField() (end int, err error) {
	i, depth := 0, 0
	for ; i < len(l) && (l[i].text != "{" || depth > 0); i++ {
		depth += nesting(l[i].text) // default values of variables may hold braces
	}
	i++
	if l.isAlias(i) {
		i += 2
	}
	if i >= len(l) || !isGraphQLName(l[i].text) {
		return 0, errors.New("the GraphQL document holds no field that the directive could be put to")
	}
	if !l.are(i+1, "(") {
		return l[i].end(), nil
	}
	for i, depth = i+1, 0; i < len(l); i++ {
		if depth += nesting(l[i].text); depth == 0 {
			return l[i].end(), nil
		}
	}
	return 0, errors.New("the arguments of the first field of the GraphQL document do not end")
}

func (l tokenList) isAlias(i int) bool { return l.are(i+1, ":") }

func nesting(text string) int {
	switch text {
	case "(":
		return 1
	case ")":
		return -1
	}
	return 0
}

// graphQLTokens splits a document by the lexical rules of GraphQL (October 2021, section 2.1), leaving out white space,
// commas and comments. What does not end runs to the end of the document.
func graphQLTokens(s string) tokenList {
	var list tokenList
	for i := 0; i < len(s); {
		n := 1
		switch {
		case strings.IndexByte(" \t\r\n,", s[i]) >= 0:
			i++
			continue
		case s[i] == '#':
			i += lengthUntil(s[i:], "\n")
			continue
		case strings.HasPrefix(s[i:], `"""`):
			n = 3 + lengthUntil(s[i+3:], `"""`)
		case s[i] == '"':
			n = lengthOfText(s[i:])
		case inGraphQLName(s[i]):
			for i+n < len(s) && inGraphQLName(s[i+n]) {
				n++
			}
		}
		list = append(list, token{s[i : i+n], i})
		i += n
	}
	return list
}

// lengthUntil gives the length of s up to and with the mark, or the whole of it.
func lengthUntil(s, mark string) int {
	if at := strings.Index(s, mark); at >= 0 {
		return at + len(mark)
	}
	return len(s)
}

func lengthOfText(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func inGraphQLName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isGraphQLName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !inGraphQLName(s[i]) {
			return false
		}
	}
	return true
}

// graphQLText writes a text as GraphQL does, which is as JSON does.
func graphQLText(s string) string {
	return string(bytes.TrimSpace(jsonText(s)))
}
