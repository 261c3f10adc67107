package targets

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Placeholder gives a header line ("Authorization: Bearer …") as one word of a POSIX shell, for a curl command that a
// reader runs again: in single quotes where nothing in it is secret, else in double quotes with a variable for each
// secret, "Authorization: Bearer $STAGING_TOKEN". The variable is the one that the target file took the secret from;
// a secret that stands in the file itself becomes $IDEMCHECK_SECRET_AUTHORIZATION, after the header's name (a second one
// for that header $IDEMCHECK_SECRET_AUTHORIZATION_2), behind the scheme (Bearer, Basic) where there is one.
func (s *Secrets) Placeholder(name, value string) string {
	shown, secret := s.withVariables(value)
	if secret && SecretName(name) && !onlyVariables.MatchString(shown) {
		secret = false // the rest of the value stands in the file and is just as secret
	}
	if !secret && value != "" && (SecretName(name) || s.isShort(value) || s.Redact(value) != value) {
		shown, secret = fallback(name, value), true
	}
	if !secret {
		return "'" + strings.ReplaceAll(name+": "+value, "'", `'\''`) + "'"
	}
	return `"` + shellEscape(name) + ": " + shown + `"`
}

var onlyVariables = regexp.MustCompile(`^([A-Za-z]+ )?(\$\{[A-Za-z0-9_]+\}:?)+$`)

// withVariables writes $NAME for each secret in the value that has one, for the inside of double quotes. It gives up
// where anything secret would be left.
func (s *Secrets) withVariables(value string) (string, bool) {
	if s == nil {
		return "", false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	known := make([]string, 0, len(s.names))
	for v := range s.names {
		if strings.Contains(value, v) {
			known = append(known, v)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	if len(known) == 0 {
		return "", false
	}
	// A replacer takes the first of its pairs that matches, so the longest secrets stand first and escapes last.
	var pairs []string
	for _, v := range known {
		pairs = append(pairs, v, "${"+s.names[v]+"}")
	}
	shown := strings.NewReplacer(append(pairs, shellEscapes()...)...).Replace(value)
	if len(spansOf(shown, s.forms)) > 0 {
		return "", false
	}
	return shown, true
}

// fallback is the variable for a secret that has no name in the environment.
func fallback(name, value string) string {
	variable := "${" + SecretVariable(name) + "}"
	if scheme, _, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")) {
		return scheme + " " + variable
	}
	return variable
}

// SecretVariable gives the name of the shell variable that stands for a secret of a header, or of another place, with
// this name: IDEMCHECK_SECRET_AUTHORIZATION.
func SecretVariable(name string) string {
	return "IDEMCHECK_SECRET_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

func shellEscape(s string) string { return strings.NewReplacer(shellEscapes()...).Replace(s) }

// shellEscapes are the characters that mean something within double quotes, and what stands for them.
func shellEscapes() []string { return []string{`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`} }
