package targets

import (
	"fmt"
	"regexp"
	"strings"
)

// Env looks up an environment variable, as os.LookupEnv does.
type Env func(name string) (string, bool)

// envUse is one variable whose value went into a text. A default written in the file is no use: it is no secret.
type envUse struct{ name, value string }

// envError says why a text could not be expanded.
type envError struct{ msg, hint string }

func (e *envError) Error() string { return e.msg }

var envReference = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(:-)?`)

// expandEnv replaces ${NAME} and ${NAME:-default} in a text; $${ stands for a literal ${. A variable that is set to
// nothing counts as missing, because that is what a CI service makes of a secret it withholds; ${NAME:-} allows it.
// {{…}} and every other $ stay as they are.
func expandEnv(text string, env Env) (string, []envUse, *envError) {
	var out strings.Builder
	var uses []envUse
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			out.WriteString(text)
			return out.String(), uses, nil
		}
		if at > 0 && text[at-1] == '$' {
			out.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		out.WriteString(text[:at])
		value, use, rest, err := expandOne(text[at+2:], env)
		if err != nil {
			return "", nil, err
		}
		out.WriteString(value)
		if use.value != "" {
			uses = append(uses, use)
		}
		text = rest
	}
}

// expandOne expands what stands behind a "${" and gives what follows its "}".
func expandOne(text string, env Env) (value string, use envUse, rest string, err *envError) {
	end := closingBrace(text)
	inner := text[:max(end, 0)]
	m := envReference.FindStringSubmatch(inner)
	if end < 0 || m == nil || (m[2] == "" && len(m[0]) != len(inner)) {
		return "", use, "", &envError{msg: fmt.Sprintf("%q is no reference to an environment variable", "${"+firstRunes(text, 20)),
			hint: "write ${NAME} or ${NAME:-default}, or $${ for a literal ${"}
	}
	name := m[1]
	rest = text[end+1:]
	if env != nil {
		if v, set := env(name); set {
			value = v
		}
	}
	if value != "" {
		return value, envUse{name, value}, rest, nil
	}
	if m[2] != "" {
		return inner[len(m[0]):], use, rest, nil
	}
	return "", use, "", &envError{msg: fmt.Sprintf("the environment variable %s is not set", name),
		hint: fmt.Sprintf("set it as in `%s=… idemcheck …`, or give a default as in ${%s:-…}", name, name)}
}

// closingBrace finds the } that ends a reference. Braces within a default pair up, so that it may hold {{port}}.
func closingBrace(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
