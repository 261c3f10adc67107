package observe

import (
	"errors"
	"fmt"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// itemsPath finds the items in a page. An RFC 9535 path that finds nothing may mean an empty list or an answer of
// another shape, so the path of the list itself is kept beside it: that one must be there.
type itemsPath struct {
	items  string
	list   string // the path up to the first selector that may choose several, e.g. $.tasks of $.tasks[*]
	direct bool   // items ends at the list itself ($.tasks)
}

func parseItems(path string) (itemsPath, error) {
	if path == "" {
		return itemsPath{}, errors.New("items is missing, the JSONPath of the items, e.g. $.tasks[*]")
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		return itemsPath{}, fmt.Errorf("items: %w", err)
	}
	all := p.Query().Segments()
	n := 0
	for n < len(all) && single(all[n]) {
		n++
	}
	return itemsPath{items: path, list: written(path, spec.Query(true, all[:n]...)), direct: n == len(all)}, nil
}

// written finds the beginning of a path that says the same as q, so that messages show what the user wrote.
func written(path string, q *spec.PathQuery) string {
	for i := 1; i <= len(path); i++ {
		if p, err := jsonpath.Parse(path[:i]); err == nil && p.String() == q.String() {
			return path[:i]
		}
	}
	return q.String()
}

// single reports whether a segment chooses one member or element.
func single(s *spec.Segment) bool {
	if len(s.Selectors()) != 1 {
		return false
	}
	switch s.Selectors()[0].(type) {
	case spec.Name, spec.Index:
		return true
	}
	return false
}

// in finds the items in a body. Where the path ends at the list itself ($.tasks), its elements are the items. A list
// that is null is empty, as some encoders write it.
func (p itemsPath) in(body []byte) ([]any, error) {
	lists, err := targets.Query(p.list, body)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", p.list, err)
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("there is no %s", p.list)
	}
	elements := []any{}
	for _, l := range lists {
		switch l := l.(type) {
		case []any:
			elements = append(elements, l...)
		case nil:
		case map[string]any:
			if p.direct {
				return nil, fmt.Errorf("%s is an object and not a list", p.list)
			}
		default:
			return nil, fmt.Errorf("%s is not a list", p.list)
		}
	}
	if p.direct {
		return elements, nil
	}
	return targets.Query(p.items, body)
}

// checkPath finds mistakes in a path when the observer is opened; an empty path is none.
func checkPath(field, path string) error {
	if path == "" {
		return nil
	}
	if _, err := jsonpath.Parse(path); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}
