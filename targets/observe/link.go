package observe

import (
	"errors"
	"strings"
)

// errLink means that a Link header does not follow its grammar. Taking it for "no next page" would count too few.
var errLink = errors.New("the Link header is malformed")

// linkNext finds the target of rel="next" in the values of the Link header (RFC 8288 section 3). Links with an anchor
// speak about another resource and are passed over.
func linkNext(values []string) (string, bool, error) {
	for _, v := range values {
		for rest := v; ; {
			rest = strings.TrimLeft(rest, " \t,")
			if rest == "" {
				break
			}
			l, after, err := oneLink(rest)
			if err != nil {
				return "", false, err
			}
			if l.rel("next") {
				return l.uri, true, nil
			}
			rest = after
		}
	}
	return "", false, nil
}

// link is one link-value: <uri>; name=value; …
type link struct {
	uri    string
	params map[string]string // first occurrence of each, names in lower case
}

// rel reports whether the link has the relation; rel holds several, separated by spaces, in any case.
func (l link) rel(name string) bool {
	if _, ok := l.params["anchor"]; ok {
		return false
	}
	for _, r := range strings.Fields(l.params["rel"]) {
		if strings.EqualFold(r, name) {
			return true
		}
	}
	return false
}

// oneLink reads one link-value and gives what follows its comma.
func oneLink(s string) (link, string, error) {
	end := strings.IndexByte(s, '>')
	if s[0] != '<' || end < 0 {
		return link{}, "", errLink
	}
	l, rest := link{uri: strings.TrimSpace(s[1:end]), params: map[string]string{}}, s[end+1:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] == ',' {
			return l, rest, nil
		}
		if rest[0] != ';' {
			return link{}, "", errLink
		}
		name, value, after, err := oneParam(rest[1:])
		if err != nil {
			return link{}, "", err
		}
		if _, ok := l.params[name]; !ok && name != "" {
			l.params[name] = value
		}
		rest = after
	}
}

// oneParam reads name, name=token or name="quoted string", up to the next semicolon or comma.
func oneParam(s string) (name, value, rest string, err error) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		end = len(s)
	}
	name, rest = strings.ToLower(strings.TrimSpace(s[:end])), s[end:]
	if rest == "" || rest[0] != '=' {
		return name, "", rest, nil
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if strings.HasPrefix(rest, `"`) {
		value, rest, err = quotedString(rest[1:])
		return name, value, rest, err
	}
	if end = strings.IndexAny(rest, ";,"); end < 0 {
		end = len(rest)
	}
	return name, strings.TrimSpace(rest[:end]), rest[end:], nil
}

// quotedString reads up to the closing quote, with backslash escapes (RFC 9110 section 5.6.4).
func quotedString(s string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", errLink
}
