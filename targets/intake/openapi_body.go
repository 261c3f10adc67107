package intake

import (
	"encoding/json"
	"fmt"
	"maps"
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
