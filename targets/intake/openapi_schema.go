package intake

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// deepest bounds how deep an example goes into a schema, which may refer to itself.
const deepest = 6

// sample makes a value that a schema permits, as far as can be told without running it. Of an object it makes the
// required members and those that look as if they took any text.
func sample(s *openapi3.Schema, name string, depth int) any {
	if s == nil || depth > deepest {
		return nil
	}
	switch {
	case s.Example != nil:
		return s.Example
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default != nil:
		return s.Default
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Properties) > 0 || s.Type.Includes("object"):
		return object(s, depth)
	case len(s.AllOf) > 0:
		return object(s, depth)
	case len(s.OneOf) > 0:
		return sample(s.OneOf[0].Value, name, depth+1)
	case len(s.AnyOf) > 0:
		return sample(s.AnyOf[0].Value, name, depth+1)
	}
	return plainSample(s, name, depth)
}

func plainSample(s *openapi3.Schema, name string, depth int) any {
	switch {
	case s.Type.Includes("array"):
		if s.Items == nil || s.Items.Value == nil {
			return []any{}
		}
		return []any{sample(s.Items.Value, name, depth+1)}
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return number(s)
	case s.Type.Includes("boolean"):
		return true
	}
	return text(s, name)
}

func number(s *openapi3.Schema) float64 {
	n := 1.0
	if s.Min != nil {
		n = max(n, *s.Min+1)
	}
	if s.Max != nil {
		n = min(n, *s.Max)
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		n = *s.MultipleOf
	}
	return n
}

// formats give a value for the formats of texts that are in use.
var formats = map[string]string{
	"date": "2030-01-31", "date-time": "2030-01-31T12:00:00Z", "email": "someone@example.com", "uuid": "0b5f1a52-6d0e-4a57-9f0e-5d3a3c1c0b11",
	"uri": "https://example.com/", "url": "https://example.com/", "hostname": "example.com", "ipv4": "192.0.2.1", "time": "12:00:00Z",
}

func text(s *openapi3.Schema, name string) string {
	if v := formats[s.Format]; v != "" {
		return v
	}
	out := orName(name)
	for uint64(len(out)) < min(s.MinLength, 1000) {
		out += "x"
	}
	if s.MaxLength != nil && uint64(len(out)) > *s.MaxLength {
		out = out[:*s.MaxLength]
	}
	return out
}

func orName(name string) string {
	if name == "" {
		return "text"
	}
	return "some " + strings.ReplaceAll(name, "_", " ")
}

func object(s *openapi3.Schema, depth int) map[string]any {
	out, required := map[string]any{}, requiredOf(s, 0)
	all := properties(s, 0)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		free := p.Type.Includes("string") && p.Format == "" && len(p.Enum) == 0 && score(name, "", "") >= 3
		if p.ReadOnly || !free && !slices.Contains(required, name) {
			continue
		}
		if v := sample(p, name, depth+1); v != nil {
			out[name] = v
		}
	}
	return out
}

// properties gathers the members of a schema and of all that it is made of.
func properties(s *openapi3.Schema, depth int) map[string]*openapi3.Schema {
	out := map[string]*openapi3.Schema{}
	if s == nil || depth > deepest {
		return out
	}
	for _, part := range s.AllOf {
		maps.Copy(out, properties(part.Value, depth+1))
	}
	for name, ref := range s.Properties {
		if ref != nil && ref.Value != nil {
			out[name] = ref.Value
		}
	}
	return out
}

func requiredOf(s *openapi3.Schema, depth int) []string {
	if s == nil || depth > deepest {
		return nil
	}
	out := slices.Clone(s.Required)
	for _, part := range s.AllOf {
		out = append(out, requiredOf(part.Value, depth+1)...)
	}
	return out
}

// formOf writes a flat object as a form.
func formOf(value any) string {
	object, _ := value.(map[string]any)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		fields = append(fields, url.QueryEscape(name)+"="+url.QueryEscape(fmt.Sprint(object[name])))
	}
	return strings.Join(fields, "&")
}

// answer finds the record's id in the answer to the create.
func (a *openAPI) answer() {
	s := success(a.op)
	if path := idPath(s, "$", 0); path != "" {
		a.draft.ID = path
		a.draft.comment("id", "from the schema of the answer")
		return
	}
	a.draft.ID = "$.id"
	a.draft.comment("id", "guessed: the document does not say what the answer holds")
}

// success gives the schema of the JSON answer to a successful request; nil where there is none.
func success(op *openapi3.Operation) *openapi3.Schema {
	if op == nil || op.Responses == nil {
		return nil
	}
	for _, status := range []string{"201", "200", "202", "2XX", "default"} {
		ref := op.Responses.Value(status)
		if ref == nil || ref.Value == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(ref.Value.Content)) {
			if m := ref.Value.Content[name]; looksLikeJSON(name) && m != nil && m.Schema != nil {
				return m.Schema.Value
			}
		}
	}
	return nil
}

func idPath(s *openapi3.Schema, path string, depth int) string {
	if s == nil || depth > 2 {
		return ""
	}
	all := properties(s, 0)
	for _, name := range []string{"id", "uuid", "guid", "ID", "Id"} {
		if all[name] != nil {
			return path + "." + name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !simpleName(name) || all[name].Type.Includes("array") {
			continue
		}
		if found := idPath(all[name], path+"."+name, depth+1); found != "" {
			return found
		}
	}
	return ""
}

func simpleName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// siblings finds the list call on the same collection, and how one record is read and deleted.
func (a *openAPI) siblings(base string) {
	if a.item.Get != nil {
		a.list(base)
	} else {
		a.draft.guess("the document has no GET " + a.path + ": records are counted by the ids in the answers, which is weaker")
	}
	for path, item := range a.doc.Paths.Map() {
		rest, below := strings.CutPrefix(path, strings.TrimSuffix(a.path, "/")+"/")
		if !below || !strings.HasPrefix(rest, "{") || !strings.HasSuffix(rest, "}") || strings.Contains(rest, "/") {
			continue
		}
		line := a.draft.Collection() + "/{{id}}"
		if item.Get != nil {
			a.draft.Read = "GET " + line
		}
		if item.Delete != nil {
			a.draft.Delete = "DELETE " + line
		}
	}
}

// list takes the GET on the collection, with the query parameter by which a text is likely to be found.
func (a *openAPI) list(base string) {
	best, field := 0, ""
	for _, p := range parametersOf(a.item, a.item.Get) {
		if p.In != "query" {
			continue
		}
		n := score(p.Name, "", "")
		if p.Name == "q" || p.Name == "query" || p.Name == "search" {
			n = 4
		}
		if n >= 3 && n > best {
			best, field = n, p.Name
		}
	}
	items, id := itemsPath(success(a.item.Get), "$", 0)
	if items == "" {
		items = "$.data[*]"
		a.draft.comment("items", "guessed: the document does not say where the items stand")
	}
	call := "GET " + a.draft.Collection()
	if field != "" {
		call += "?" + url.QueryEscape(field) + "={{marker}}"
		a.draft.comment("list", "guessed: "+field+" finds a record by its text")
	} else {
		a.draft.comment("list", "guessed: no query parameter looks for a text, so that the items are searched")
	}
	if err := a.draft.SetList(call, items); err != nil {
		a.draft.guess("the list call was left out: " + err.Error())
		return
	}
	a.draft.List.ID = id
}

// itemsPath finds the list in a schema, and the id of its items.
func itemsPath(s *openapi3.Schema, path string, depth int) (items, id string) {
	if s == nil || depth > 2 {
		return "", ""
	}
	if s.Type.Includes("array") {
		if s.Items != nil {
			id = idPath(s.Items.Value, "$", 0)
		}
		return path + "[*]", id
	}
	all := properties(s, 0)
	for _, arrays := range []bool{true, false} {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if simpleName(name) && all[name].Type.Includes("array") == arrays {
				if items, id = itemsPath(all[name], path+"."+name, depth+1); items != "" {
					return items, id
				}
			}
		}
	}
	return "", ""
}
