package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// object is a part of a JSON Schema. Go writes its members in alphabetical order, so that the schema is always the same.
type object map[string]any

// Schema gives the JSON Schema (draft 2020-12) of scenario files, made from the table of verbs.
func Schema(verbs []Verb) ([]byte, error) {
	word := object{"type": "string", "pattern": `^\S+$`}
	list := object{"anyOf": []any{word, object{"type": "array", "items": word}}}
	text := object{"type": "string"}
	common := object{
		"level":  object{"enum": levels, "description": "How binding the scenario is."},
		"source": described(list, "Where it comes from: links, or names without blanks."),
		"needs":  described(list, "What the target must offer; idemcheck explain shows it for each case."),
		"after":  object{"type": "string", "description": "The case that this one stands on."},
		"tags":   described(list, "Further tags, for --tags."),
	}
	steps := object{"type": "array", "items": object{"$ref": "#/$defs/step"}}
	scenario := with(common, object{
		"id":      object{"type": "string", "pattern": caseID.String(), "description": "The address of the case. Unique over all files."},
		"title":   described(text, "What it proves."),
		"why":     described(text, "Why that matters."),
		"given":   described(steps, "Sets the case up. What goes wrong here is inconclusive, and no fail."),
		"when":    described(steps, "What is done to the target."),
		"then":    described(steps, "What is right. A step that finds something wrong does not stop the others."),
		"cleanup": described(steps, "Done after the case, whatever it came to, and without a verdict."),
		"each":    object{"type": "array", "minItems": 1, "items": object{"$ref": "#/$defs/variant"}, "description": "Variants; <name> in a step stands for their values."},
	})
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:idemcheck:scenario:1",
		"title": "Scenarios of idemcheck", "type": "object", "additionalProperties": false, "required": []string{"scenarios"},
		"properties": with(common, object{
			"feature": described(text, "The title of the file."), "about": described(text, "What the scenarios are about."),
			"scenarios": object{"type": "array", "minItems": 1, "items": object{"$ref": "#/$defs/scenario"}},
		}),
		"$defs": object{
			"scenario": object{"type": "object", "additionalProperties": false, "required": []string{"id", "title"}, "properties": scenario},
			"variant": object{"type": "object", "required": []string{"label"}, "properties": object{
				"label": object{"type": "string", "pattern": caseLabel.String()}, "needs": list}},
			"step": stepSchema(verbs),
		},
	}
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of scenarios: %w", err)
	}
	return append(out, '\n'), nil
}

func described(o object, doc string) object { return with(o, object{"description": doc}) }

// with gives a copy of an object with further members.
func with(o, more object) object {
	out := object{}
	for _, from := range []object{o, more} {
		for k, v := range from {
			out[k] = v
		}
	}
	return out
}

// stepSchema allows one verb with its arguments, or the bare name of a verb that needs none.
func stepSchema(verbs []Verb) object {
	members, expected := object{}, object{"as": object{"type": []string{"string", "number"}, "description": "The attempt that all of it is about."}}
	bare := []string{}
	for i := range verbs {
		v := &verbs[i]
		s := v.schema()
		members[v.Name] = s
		expected[strings.TrimPrefix(v.Name, expectWord+"_")] = s
		if len(v.needed()) == 0 {
			bare = append(bare, v.Name)
		}
	}
	members[expectWord] = object{"type": "object", "additionalProperties": false, "properties": expected, "minProperties": 1,
		"description": "Several expectations at once."}
	return object{"anyOf": []any{
		object{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false, "properties": members},
		object{"enum": bare},
	}}
}

// needed lists the arguments that must be given.
func (v *Verb) needed() []string {
	list := []string{}
	for _, name := range v.required() {
		if v.arg(name).Default == "" {
			list = append(list, name)
		}
	}
	return list
}

func (v *Verb) schema() object {
	members := object{}
	for i := range v.Args {
		members[v.Args[i].Name] = v.argSchema(&v.Args[i])
	}
	whole := object{"type": "object", "additionalProperties": false, "properties": members}
	ways := []any{whole}
	if len(v.needed()) == 0 {
		ways = append(ways, object{"type": "null"})
	}
	if len(v.Args) > 0 {
		ways = append(ways, with(members[v.Args[0].Name].(object), object{"not": object{"type": []string{"object", "null"}}}))
	}
	return object{"anyOf": ways, "description": v.Doc}
}

// argSchema is what one argument takes. An outline's <name> may stand for any of it.
func (v *Verb) argSchema(a *Arg) object {
	o := object{"description": a.Doc}
	known := v.implied(a.Name)
	for _, c := range a.Choices {
		if !slices.Contains(known, c.Value) {
			known = append(known, c.Value)
		}
	}
	switch {
	case a.JSON:
	case a.Number:
		o["anyOf"] = []any{object{"type": "integer", "minimum": 0}, object{"type": "string", "pattern": "<.+>|^[0-9]+$"}}
	case len(known) == 0 || a.Open:
		o["type"] = []string{"string", "number", "boolean"}
		if len(known) > 0 {
			o["examples"] = known
		}
	default:
		o["anyOf"] = choiceSchemas(known)
	}
	return o
}

// choiceSchemas takes the values of an argument; one that ends in a colon takes anything behind it.
func choiceSchemas(known []string) []any {
	var fixed []string
	list := []any{object{"type": "string", "pattern": "<.+>"}}
	for _, k := range known {
		if strings.HasSuffix(k, ":") {
			list = append(list, object{"type": "string", "pattern": "^" + k})
			continue
		}
		fixed = append(fixed, k)
	}
	return append([]any{object{"enum": fixed}}, list...)
}
