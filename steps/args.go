package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/scenarios"
)

// row is one entry of the table of steps: a verb with its typed arguments and the method that carries it out.
type row struct {
	scenarios.Verb
	loud bool // touches the whole target, so its cases run one by one
	long bool // has parts, each with a deadline of its own
	// parted: it has parts that can be selected, within one deadline.
	parted bool
	cost   func(args map[string]string) cost
	read   func(args map[string]string) error // whether the arguments can be read
	do     func(ctx context.Context, w *world, args map[string]string) error
}

// cost is what a step sends and creates at most.
type cost struct {
	requests int
	records  int
	readings int
}

// verb builds a row from a method with typed arguments. T is a struct whose fields carry the tags `arg` (the name) and
// `doc`; the phrases of an argument come from the table of choices.
func verb[T any](name, doc string, do func(*world, context.Context, T) error, sentences ...scenarios.Sentence) row {
	return row{
		Verb: scenarios.Verb{Name: name, Doc: doc, Sentences: sentences, Args: arguments[T]()},
		read: func(args map[string]string) error {
			_, err := decode[T](args)
			return err
		},
		do: func(ctx context.Context, w *world, args map[string]string) error {
			typed, err := decode[T](args)
			if err != nil {
				return err
			}
			return do(w, ctx, typed)
		},
	}
}

func (r row) costing(c cost) row {
	r.cost = func(map[string]string) cost { return c }
	return r
}

func (r row) touchingAll() row {
	r.loud = true
	return r
}

func (r row) inParts() row {
	r.long = true
	return r.touchingAll()
}

func (r row) withParts() row {
	r.parted = true
	return r
}

// say is a sentence without implied arguments; with a list of name, value pairs it implies those.
func say(text string, implied ...string) scenarios.Sentence {
	s := scenarios.Sentence{Text: text}
	for i := 0; i+1 < len(implied); i += 2 {
		if s.Set == nil {
			s.Set = map[string]string{}
		}
		s.Set[implied[i]] = implied[i+1]
	}
	return s
}

// arguments reads the argument list of a verb from its struct.
func arguments[T any]() []scenarios.Arg {
	var args []scenarios.Arg
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("arg")
		args = append(args, scenarios.Arg{
			Name: name, Doc: f.Tag.Get("doc"), Number: f.Type.Kind() == reflect.Int, Choices: choices[f.Tag.Get("of")],
			JSON: f.Type.Kind() == reflect.Map || f.Tag.Get("json") != "", Open: f.Tag.Get("open") != "", Default: f.Tag.Get("default"),
		})
	}
	return args
}

// decode fills the struct of a verb from its arguments by name. A struct with a method check is asked whether they fit
// together.
func decode[T any](args map[string]string) (T, error) {
	var out T
	v := reflect.ValueOf(&out).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		text, given := args[tag.Get("arg")]
		if !given {
			continue
		}
		if err := decodeField(v.Field(i), tag, text); err != nil {
			return out, fmt.Errorf("read the argument %s: %w", tag.Get("arg"), err)
		}
	}
	if c, ok := any(out).(interface{ check() error }); ok {
		return out, c.check()
	}
	return out, nil
}

func decodeField(field reflect.Value, tag reflect.StructTag, text string) error {
	switch field.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is no whole number", text)
		}
		field.SetInt(int64(n))
	case reflect.Map:
		values, err := textValues(text)
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(values))
	default:
		if tag.Get("open") == "" {
			if err := checkChoice(tag.Get("of"), text); err != nil {
				return err
			}
		}
		field.SetString(text)
	}
	return nil
}

// textValues reads a JSON object of texts; numbers and the like are taken as they are written.
func textValues(text string) (map[string]string, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var raw map[string]any
	if err := dec.Decode(&raw); err != nil {
		return nil, fmt.Errorf("expected names with their values, found %s", text)
	}
	out := map[string]string{}
	for name, v := range raw {
		switch v.(type) {
		case string, json.Number, bool:
			out[name] = fmt.Sprint(v)
		default:
			return nil, fmt.Errorf("the value of %q is no text", name)
		}
	}
	return out, nil
}

// checkChoice refuses a value that is none of an argument's. A value that ends in a colon in the table of choices takes
// anything behind it.
func checkChoice(of, value string) error {
	list := choices[of]
	if len(list) == 0 {
		return nil
	}
	var known []string
	for _, c := range list {
		if c.Value == value || strings.HasSuffix(c.Value, ":") && strings.HasPrefix(value, c.Value) {
			return nil
		}
		known = append(known, c.Value)
	}
	return fmt.Errorf("%q is none of %s", value, strings.Join(known, ", "))
}
