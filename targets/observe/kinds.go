package observe

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// kind is one way to count.
type kind struct {
	name   string
	set    func(targets.Observer) bool // whether the target file asks for this kind
	open   func(context.Context, targets.Observer, Deps) (counter, error)
	scoped func(targets.Observer) bool // see Scoped
}

// kinds lists every kind, in the order of the target file's documentation.
func kinds() []kind {
	return []kind{
		{"list", func(o targets.Observer) bool { return o.List != nil }, openList, always},
		{"sql", func(o targets.Observer) bool { return o.SQL != nil }, openQuery, func(o targets.Observer) bool {
			return namesScope(append([]string{o.SQL.Query}, o.SQL.Args...))
		}},
		{"command", func(o targets.Observer) bool { return o.Command != nil }, openCommand, func(o targets.Observer) bool {
			texts := append([]string(nil), o.Command.Argv...)
			for _, v := range o.Command.Env {
				texts = append(texts, v)
			}
			return namesScope(texts)
		}},
		{"sink", func(o targets.Observer) bool { return o.Sink != nil }, openSink, never},
		{"answers", func(o targets.Observer) bool { return o.Answers }, openAnswers, always},
	}
}

func always(targets.Observer) bool { return true }
func never(targets.Observer) bool  { return false }

// Scoped reports whether the observer can tell namespaces apart. A list call can: it uses the namespace's address and
// credentials. So can the answers: they are noted per namespace. An SQL query or a command can only if it is given
// {{tenant}} or {{environment}}. A sink cannot: all namespaces call the same listener. A spec of no kind, or of several,
// is not scoped.
func Scoped(spec targets.Observer) bool {
	k, err := kindOf(spec)
	return err == nil && k.scoped(spec)
}

// scope matches the templates that name a namespace.
var scope = regexp.MustCompile(`\{\{\s*(tenant|environment)\s*\}\}`)

func namesScope(texts []string) bool {
	for _, t := range texts {
		if scope.MatchString(t) {
			return true
		}
	}
	return false
}

// kindOf finds the one kind that spec asks for.
func kindOf(spec targets.Observer) (kind, error) {
	var found []kind
	var all, names []string
	for _, k := range kinds() {
		all = append(all, k.name)
		if k.set(spec) {
			found = append(found, k)
			names = append(names, k.name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return kind{}, errors.New("it has none of " + strings.Join(all, ", "))
	}
	return kind{}, fmt.Errorf("it has %s, only one can be", strings.Join(names, " and "))
}
