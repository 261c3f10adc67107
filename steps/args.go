package steps

import (
	"context"
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
		})
	}
	return args
}

// decode fills the struct of a verb from its arguments by name.
func decode[T any](args map[string]string) (T, error) {
	var out T
	v := reflect.ValueOf(&out).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		text, given := args[tag.Get("arg")]
		if !given {
			continue
		}
		if v.Field(i).Kind() == reflect.Int {
			n, err := strconv.Atoi(text)
			if err != nil {
				return out, fmt.Errorf("read the argument %s: %q is no whole number", tag.Get("arg"), text)
			}
			v.Field(i).SetInt(int64(n))
			continue
		}
		if err := checkChoice(tag.Get("of"), text); err != nil {
			return out, fmt.Errorf("read the argument %s: %w", tag.Get("arg"), err)
		}
		v.Field(i).SetString(text)
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
