package targets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// template matches {{name}}. Other double braces, as in GraphQL or mustache, are left alone.
var template = regexp.MustCompile(`\{\{\s*(services\.[A-Za-z0-9_-]+|[A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// VarNames lists every name that a template in a target file may use. What each stands for is said at Vars.
func VarNames() []string {
	return []string{"environment", "tenant", "event", "target_record", "operation", "revision", "payload", "marker",
		"key", "id", "duration", "seconds", "port", "dir", "label", "occurrence", "side", "row", "rows", "event_id", "filler", "status"}
}

// Expand replaces each {{name}} in a template by its value as it is. A name that vars does not hold is an error that
// says which names are known. Values are not expanded again.
func Expand(template string, vars Vars) (string, error) {
	return expandWith(template, vars, func(s string) string { return s })
}

// expandWith is Expand with each value escaped for the place where it goes.
func expandWith(text string, vars Vars, escape func(string) string) (string, error) {
	var err error
	out := template.ReplaceAllStringFunc(text, func(found string) string {
		name := template.FindStringSubmatch(found)[1]
		value, ok := vars[name]
		if !ok && err == nil {
			err = unknownVar(name, vars)
		}
		return escape(value)
	})
	if err != nil {
		return "", err
	}
	return out, nil
}

func unknownVar(name string, vars Vars) error {
	known := make([]string, 0, len(vars))
	for k := range vars {
		known = append(known, k)
	}
	slices.Sort(known)
	return fmt.Errorf("{{%s}} has no value here (known: %s)", name, strings.Join(known, ", "))
}

// templateNames lists the names that a text uses, in order.
func templateNames(text string) []string {
	var out []string
	for _, m := range template.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func mentions(text, name string) bool { return slices.Contains(templateNames(text), name) }
