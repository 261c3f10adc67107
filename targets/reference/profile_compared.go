package reference

import (
	"encoding/json"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// compared leaves of a request what the profile says is compared to tell a mismatch; where it does not say, all of it.
// The parts are those of a fingerprint: method, path, query, and the body in its canonical form.
func (m *manners) compared(method, path, query string, canonical []byte) (string, string, string, []byte) {
	if m == nil || len(m.Mismatch.Compares) == 0 {
		return method, path, query, canonical
	}
	var body []byte
	parts := map[string]string{"method": method, "path": path, "query": query}
	kept := map[string]string{}
	for _, part := range m.Mismatch.Compares {
		switch {
		case part == "body":
			body = canonical
		case part == "query" && m.Key.In == targets.InQuery:
			kept[part], body = query, canonical // parameters of a query interface, which here travel in a body
		case strings.HasPrefix(part, "/"):
			body = append(body, memberAt(canonical, part)...)
		default:
			kept[part] = parts[part]
		}
	}
	return kept["method"], kept["path"], kept["query"], body
}

// memberAt gives a member of a JSON body as text; nothing where there is none.
func memberAt(body []byte, pointer string) []byte {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	value, there := takeOut(doc, strings.Split(strings.TrimPrefix(pointer, "/"), "/"))
	if !there {
		return nil
	}
	text, err := json.Marshal(map[string]any{pointer: value})
	if err != nil { // what was read as JSON always encodes
		panic(err)
	}
	return text
}
