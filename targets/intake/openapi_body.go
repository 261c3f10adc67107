package intake

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// body takes an example body: the document's own, else one made from the schema.
func (a *openAPI) body() error {
	if a.op.RequestBody == nil || a.op.RequestBody.Value == nil {
		a.draft.guess("the operation has no body")
		return nil
	}
	content := a.op.RequestBody.Value.Content
	mediaType, media := "", (*openapi3.MediaType)(nil)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if looksLikeJSON(name) || isForm(name) && media == nil {
			mediaType, media = name, content[name]
		}
	}
	if media == nil {
		return fmt.Errorf("the body of the operation is neither JSON nor a form (there is: %s)", some(slices.Sorted(maps.Keys(content))))
	}
	value, made := a.example(media)
	if made {
		a.draft.guess("the body is made from the schema: look at its values")
	} else {
		a.draft.guess("the body is an example of the document")
	}
	a.bodyKey(media, isForm(mediaType))
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write the example body: %w", err)
	}
	a.draft.defaultHeader("Content-Type", mediaType)
	if isForm(mediaType) {
		return a.draft.SetBody(formOf(value))
	}
	return a.draft.SetBody(string(text))
}

func (a *openAPI) example(media *openapi3.MediaType) (value any, made bool) {
	if media.Example != nil {
		return media.Example, false
	}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		if e := media.Examples[name]; e != nil && e.Value != nil && e.Value.Value != nil {
			return e.Value.Value, false
		}
	}
	if media.Schema != nil && media.Schema.Value != nil {
		if media.Schema.Value.Example != nil {
			return media.Schema.Value.Example, false
		}
		return sample(media.Schema.Value, "", 0), true
	}
	return map[string]any{}, true
}

// bodyKey finds a key that travels in the body, where no header carries it.
func (a *openAPI) bodyKey(media *openapi3.MediaType, form bool) {
	if a.draft.Key.Name != "" || media.Schema == nil || media.Schema.Value == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties(media.Schema.Value, 0))) {
		if keyName.MatchString(strings.ReplaceAll(name, "_", "-")) {
			a.draft.setBodyKey(name, form)
			return
		}
	}
}

var pathParameter = regexp.MustCompile(`\{([^{}]+)\}`)

// fill gives a path with values for its parameters: an example, else a variable of the environment.
func (a *openAPI) fill(path string) string {
	return pathParameter.ReplaceAllStringFunc(path, func(found string) string {
		name := found[1 : len(found)-1]
		for _, p := range a.all() {
			if p.In == "path" && p.Name == name && (p.Example != nil || p.Schema != nil && p.Schema.Value != nil && p.Schema.Value.Example != nil) {
				a.draft.guess(fmt.Sprintf("the part {%s} of the path has the value of the document's example", name))
				return strings.ReplaceAll(fmt.Sprint(a.value(p)), " ", "%20")
			}
		}
		variable := "PATH_" + strings.ToUpper(strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(name, "_"), "_"))
		a.draft.guess(fmt.Sprintf("the part {%s} of the path is read from the environment variable %s", name, variable))
		return "${" + variable + "}"
	})
}

// query gives the required query parameters with examples.
func (a *openAPI) query() string {
	var fields []string
	for _, p := range a.all() {
		if p.In == "query" && p.Required {
			fields = append(fields, escape(p.Name)+"="+escape(fmt.Sprint(a.value(p))))
			a.draft.guess(fmt.Sprintf("the query parameter %s has an example's value", p.Name))
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return "?" + strings.Join(fields, "&")
}
