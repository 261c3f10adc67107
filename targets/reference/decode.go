package reference

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
)

// decode reads a JSON object into a struct and refuses members the struct
// does not have. Unlike encoding/json it takes names literally: "Note" is not
// "note".
func decode(body []byte, into any) error { return decodeMembers(body, into, false) }

// decode is decode, but a stand-in ignores what it does not know, as most owners do: so a key that it does not look for
// in the body is no mistake.
func (m *manners) decode(body []byte, into any) error { return decodeMembers(body, into, m != nil) }

func decodeMembers(body []byte, into any, lenient bool) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return problem{Status: 400, Code: "malformed", Detail: "The body must be a JSON object."}
	}
	known := memberNames(reflect.TypeOf(into).Elem())
	var errs []fieldError
	for name := range members {
		if !lenient && !slices.Contains(known, name) {
			errs = append(errs, fieldError{name, "is not known"})
		}
	}
	if len(errs) > 0 {
		slices.SortFunc(errs, func(a, b fieldError) int { return strings.Compare(a.Field, b.Field) })
		return invalid(errs...)
	}
	err := json.Unmarshal(body, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid(fieldError{wrong.Field, "must be a " + wrong.Type.String() + ", not a " + wrong.Value})
	}
	return err
}

// member is one member of a body.
type member struct{ name, value string }

// required lists the members that are empty or blank.
func required(members ...member) (errs []fieldError) {
	for _, m := range members {
		if strings.TrimSpace(m.value) == "" {
			errs = append(errs, fieldError{m.name, "must not be empty"})
		}
	}
	return errs
}

// memberNames lists the JSON names of the fields of a struct.
func memberNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
