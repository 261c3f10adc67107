package reference

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// refusal is an error answer as a clause documents it, on the ground of the reference's own: its status, its code and
// its pointer to the record, each at its place. about is the id of the record, where the answer speaks of one.
func (m *manners) refusal(c targets.Clause, own problem, about string) error {
	if spoken(c) == "" {
		return own
	}
	if c.RetryHint != nil {
		own.retryAfter = 0
	}
	own.Status = m.statusOf(c, own.Status)
	reply := own.answer()
	if c.RetryHint != nil {
		reply.Header[c.RetryHint.Name] = hintOf(c.RetryHint)
	}
	if c.Code != nil {
		reply = plant(reply, c.Code.At, codeOf(c.Code, about))
	}
	if c.ID != "" && about != "" {
		reply = plant(reply, c.ID, about)
	}
	if m.Refused != nil && reply.Status < http.StatusBadRequest && (c.Code == nil || c.Code.At != m.Refused.At) {
		reply = plant(reply, m.Refused.At, codeOf(&m.Refused.Code, own.Code))
	}
	return shaped(reply)
}

// statusOf is the documented status, or a success where that is how the owner says that something is an error.
func (m *manners) statusOf(c targets.Clause, own int) int {
	switch {
	case len(c.Status) > 0:
		return c.Status[0]
	case m.Refused != nil:
		return http.StatusOK
	}
	return own
}

// codeOf gives a text that a code may be.
func codeOf(c *targets.Code, otherwise string) string {
	if len(c.In) > 0 {
		return c.In[0]
	}
	return otherwise
}

// hintOf gives a value for a header that says when to try again.
func hintOf(m *targets.Marker) string {
	if len(m.Value) == 0 && strings.EqualFold(m.Name, "Retry-After") {
		return "1"
	}
	return valueOf(m)
}

// plant puts a text at a place in an answer: header:NAME, xml:NAME, xml:NAME@ATTRIBUTE or a JSONPath. It makes what is
// missing on the way there.
func plant(reply answer, at, text string) answer { return plantValue(reply, at, text) }

// plantValue is plant for a text or a truth value, which stays one where the answer is JSON.
func plantValue(reply answer, at string, value any) answer {
	if name, ok := strings.CutPrefix(at, "header:"); ok {
		return withHeader(reply, strings.TrimSpace(name), fmt.Sprint(value))
	}
	if element, ok := strings.CutPrefix(at, "xml:"); ok {
		reply = withHeader(reply, "Content-Type", "application/xml")
		reply.Body = []byte(xmlWith(element, fmt.Sprint(value)))
		return reply
	}
	var doc map[string]any
	if json.Unmarshal(reply.Body, &doc) != nil || doc == nil {
		doc = map[string]any{}
	}
	if merged, ok := merged(doc, grown(pathSteps(at), value)).(map[string]any); ok {
		doc = merged
	}
	body, err := json.Marshal(doc)
	if err != nil { // what was read as JSON always encodes
		panic(err)
	}
	reply.Body = body
	return reply
}

// xmlWith writes a document with one element, or one attribute of it.
func xmlWith(element, text string) string {
	name, attribute, has := strings.Cut(element, "@")
	if has {
		return fmt.Sprintf(`<reply><%s %s="%s">refused</%s></reply>`, name, attribute, html.EscapeString(text), name)
	}
	return fmt.Sprintf(`<reply><%s>%s</%s></reply>`, name, html.EscapeString(text), name)
}

// pathSteps takes a JSONPath apart, as far as profiles use them: names, the first of several names, and "*" for a list.
func pathSteps(path string) []string {
	var steps []string
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(path, "$"), func(r rune) bool { return r == '.' || r == '[' }) {
		name, _, _ := strings.Cut(strings.TrimSuffix(part, "]"), ",")
		steps = append(steps, strings.Trim(name, `'"`))
	}
	return steps
}

// grown is the JSON value that holds another one at the end of some steps.
func grown(steps []string, value any) any {
	if len(steps) == 0 {
		return value
	}
	inner := grown(steps[1:], value)
	if steps[0] == "*" {
		return []any{inner}
	}
	return map[string]any{steps[0]: inner}
}

// merged puts one JSON value into another: objects member by member, lists at their first item.
func merged(old, more any) any {
	switch m := more.(type) {
	case map[string]any:
		o, ok := old.(map[string]any)
		if !ok {
			return more
		}
		for name, value := range m {
			o[name] = merged(o[name], value)
		}
		return o
	case []any:
		if o, ok := old.([]any); ok && len(o) > 0 {
			o[0] = merged(o[0], m[0])
			return o
		}
	}
	return more
}
