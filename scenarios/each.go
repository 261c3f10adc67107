package scenarios

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// variable is a name in angle brackets, in place of which each variant puts its own value.
var variable = regexp.MustCompile(`<([A-Za-z_][A-Za-z0-9_-]*)>`)

// variants reads `each:`, a list of mappings with the same members. `label` and `needs` speak of the variant itself.
func (r *reader) variants(m member) []Variant {
	if m.value.Kind != yaml.SequenceNode || len(m.value.Content) == 0 {
		r.fail(m.value, "", "each: expected a list of variants, found %s", kindOf(m.value))
		return nil
	}
	var list []Variant
	for _, item := range m.value.Content {
		v := r.variant(item)
		if i := slices.IndexFunc(list, func(o Variant) bool { return o.Label == v.Label }); i >= 0 {
			r.fail(item, "", "each: the label %q stands twice", v.Label)
		}
		if len(list) > 0 && !slices.Equal(names(v), names(list[0])) {
			r.fail(item, "", "each: all variants have the same members: the first has %s, this one %s",
				strings.Join(names(list[0]), ", "), strings.Join(names(v), ", "))
		}
		list = append(list, v)
	}
	return list
}

func (r *reader) variant(n *yaml.Node) Variant {
	v := Variant{Values: map[string]string{}, at: positionOf(n)}
	for _, m := range r.members(n, "a variant", nil) {
		switch m.name {
		case "label":
			v.Label = r.text(m)
		case "needs":
			v.Needs = r.words(m)
		default:
			text, err := textOf(m.value)
			if err != nil {
				r.fail(m.value, "", "%s: %v", m.name, err)
			}
			if !variable.MatchString("<" + m.name + ">") {
				r.fail(m.key, "letters, digits, _ and -", "each: %q cannot be the name of a value", m.name)
			}
			v.Values[m.name] = text
		}
	}
	if !caseLabel.MatchString(v.Label) {
		r.fail(n, "letters, digits and . _ -; it stands in brackets behind the id", "each: %q cannot be the label of a variant", v.Label)
	}
	return v
}

func names(v Variant) []string { return slices.Sorted(maps.Keys(v.Values)) }

// variants gives a value of an argument as each variant has it; without variants, or where it names no value, the value
// alone.
func variants(text string, isJSON bool, each []Variant) []string {
	if len(each) == 0 || !variable.MatchString(text) {
		return []string{text}
	}
	list := make([]string, len(each))
	for i, v := range each {
		list[i] = v.fillValue(text, isJSON)
	}
	return list
}

// fillValue is fill for an argument. Where that may be JSON, and is, the values go into its texts.
func (v Variant) fillValue(text string, isJSON bool) string {
	if !isJSON || strings.IndexAny(text, "{[") != 0 || !json.Valid([]byte(text)) {
		return v.fill(text)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return v.fill(text)
	}
	filled, err := plainJSON(v.fillJSON(value))
	if err != nil {
		return v.fill(text)
	}
	return filled
}

func (v Variant) fillJSON(value any) any {
	switch value := value.(type) {
	case string:
		return v.fill(value)
	case []any:
		for i := range value {
			value[i] = v.fillJSON(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = v.fillJSON(value[name])
		}
	}
	return value
}

// fill puts the values of a variant into a text, all at once: a value is not read again.
func (v Variant) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := v.Values[found[1:len(found)-1]]; ok {
			return value
		}
		return found
	})
}

// unknownValue finds a name in angle brackets that no variant has, but that is so near to one that it must be meant.
// Any other text in angle brackets stays as it is.
func unknownValue(text string, each []Variant) (name, hint string) {
	if len(each) == 0 {
		return "", ""
	}
	known := names(each[0])
	for _, found := range variable.FindAllStringSubmatch(text, -1) {
		if slices.Contains(known, found[1]) {
			continue
		}
		if best, ok := nearest(found[1], known); ok {
			return found[1], "did you mean <" + best + ">?"
		}
	}
	return "", ""
}
