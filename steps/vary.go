package steps

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// fillerSize is the length of {{filler}}, the text that makes an answer large, in bytes: below the request limits that servers have by default
// (1 MiB), above the limits of answers that stores have (B62: a body limit; a row of 64 KiB).
const fillerSize = 100_000

// build renders the request, varied as asked: "", reordered, invalid, large, text, changed:<member>, removed:<member>,
// added, one of the spellings of a body, query:<name=value>, slash.
func (w *world) build(op targets.Operation, base string, headers map[string]string, vars targets.Vars, variation string) (targets.Attempt, error) {
	kind, arg, _ := strings.Cut(variation, ":")
	switch {
	case kind == "query" || kind == "slash":
		a, err := op.Request.Build(base, headers, vars)
		if err != nil {
			return a, err
		}
		a.URL, err = otherAddress(a.URL, kind, arg)
		return a, err
	case kind == "" || op.Body == nil:
		return op.Request.Build(base, headers, vars)
	}
	body, err := varied(op, vars, kind, arg)
	if err != nil {
		return targets.Attempt{}, fmt.Errorf("vary the body of %s: %w", op.Name, err)
	}
	return op.Request.BuildBody(base, headers, vars, body)
}

// varied gives the body of an operation in a variation.
func varied(op targets.Operation, vars targets.Vars, kind, arg string) ([]byte, error) {
	switch kind {
	case "changed":
		return op.Body.Changed(vars, arg)
	case "removed":
		return op.Body.Without(vars, arg)
	case "added":
		return op.Body.Added(vars, addedMember, "added")
	case "reordered":
		return op.Body.Reordered(vars)
	case "invalid":
		return op.Body.RenderWith(vars, op.Invalid)
	case "large":
		return op.Body.RenderWith(vars.With(targets.Vars{"filler": strings.Repeat("idemcheck ", fillerSize/10)}), op.Large)
	case "text":
		return op.Body.Reworded(vars)
	}
	return op.Body.Spelled(vars, targets.Spelling(kind))
}

// addedMember is the name of a body member that no target knows.
const addedMember = "idemcheck_extra"

// otherAddress gives an address with a further query, or with another end of its path.
func otherAddress(address, kind, query string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("vary the address: %w", err)
	}
	if kind == "query" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
		return u.String(), nil
	}
	path := u.EscapedPath() + "/"
	if plain, had := strings.CutSuffix(u.EscapedPath(), "/"); had {
		path = plain
	}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return "", fmt.Errorf("vary the address: %w", err)
	}
	u.RawPath = path
	return u.String(), nil
}
