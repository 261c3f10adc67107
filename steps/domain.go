package steps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// domain is what the cases of a domain of their own need of a world: names for things, and what comes after the case.
type domain struct {
	bundles  map[string]namedBundle
	payloads map[string]string // by payload revision: what {{payload}} is
	captured targets.Vars
	effects  map[string]int // by observer: how many side effects the case expects, in place of one for each record
	later    []laterStep
	setup    bool // the current step sets the case up
	cleaning bool // the current step cleans up
	steps    int  // that were begun
}

type namedBundle struct {
	targets.Bundle
	revision string
}

// laterStep is a clean-up step that waits for the end of the case.
type laterStep struct {
	text string
	scenarios.Match
}

// values are the texts that a scenario gives to names.
type values = map[string]string

func newDomain() domain {
	return domain{bundles: map[string]namedBundle{}, payloads: map[string]string{}, captured: targets.Vars{}, effects: map[string]int{}}
}

// named reports whether an operation is chosen by the name that it has in the target file.
func named(operation string) bool {
	return operation != "" && operation != "main" && operation != "other" && operation != "text" && operation != event
}

// operation finds an operation of the target: main (also without a name), other, or any by its name.
func (w *world) operation(name string) (targets.Operation, error) {
	switch op := w.target.Operations.Named(name); {
	case !named(name) && name != "other" && name != "text":
		return mainOperation(w.target), nil
	case name == "other" && otherOperation(w.target) != nil:
		return *otherOperation(w.target), nil
	case name == "text" && textOperation(w.target) != nil:
		return *textOperation(w.target), nil
	case op != nil:
		return *op, nil
	}
	var known []string
	for _, op := range w.target.Operations {
		known = append(known, op.Name)
	}
	return targets.Operation{}, unclear("the target has no operation %q (it has: %s)", name, strings.Join(known, ", "))
}

// bundleNamed gives a named bundle with its payload revision; without a name the case's own.
func (w *world) bundleNamed(name string) (targets.Bundle, string, error) {
	if name == "" {
		return w.bundle, w.revision, nil
	}
	b, known := w.bundles[name]
	if !known {
		return b.Bundle, "", fmt.Errorf("no bundle is called %q (there is: %s)", name, strings.Join(slices.Sorted(maps.Keys(w.bundles)), ", "))
	}
	return b.Bundle, b.revision, nil
}

// expand fills in the values that a step gives to names of an operation's template. A name that the template does not
// have is an error: it would change nothing.
func (w *world) expand(op targets.Operation, s *sent, given values) (targets.Vars, error) {
	out := targets.Vars{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !op.Mentions(name) {
			return nil, fmt.Errorf("the operation %s has no {{%s}}, so that a value for it changes nothing", op.Name, name)
		}
		text, err := targets.Expand(given[name], w.vars(s))
		if err != nil {
			return nil, fmt.Errorf("fill in the value of %s: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}

// filled gives the arguments of a step with the captured values in place of their {{names}}. Names that were not captured
// are left alone: values may name what only a request has.
func (w *world) filled(m scenarios.Match) map[string]string {
	if len(w.captured) == 0 {
		return m.Args
	}
	args := maps.Clone(m.Args)
	for _, a := range m.Verb.Args {
		if text, given := args[a.Name]; given && !a.JSON {
			for name, value := range w.captured {
				text = strings.ReplaceAll(text, "{{"+name+"}}", value)
			}
			args[a.Name] = text
		}
	}
	return args
}

// nextStep counts the steps and says, for messages, where the current one stands.
func (w *world) nextStep() string {
	w.domain.steps++
	if n := w.domain.steps - 1; n < len(w.c.Lines) {
		return fmt.Sprintf(" (%s:%d)", w.c.URI, w.c.Lines[n])
	}
	return ""
}

// carryOutLater carries out the clean-up steps, whatever the case has come to. They have no verdict: what goes wrong is
// noted. What they delete is not missed in the count after the last case.
func (w *world) carryOutLater(ctx context.Context) {
	w.cleaning = true
	defer func() { w.cleaning = false }()
	before := maps.Clone(w.deleted)
	for _, s := range w.later {
		w.current = &godog.Step{Text: s.text}
		if err := w.rows[s.Verb.Name].do(ctx, w, w.filled(s.Match)); err != nil {
			w.note(true, "the clean-up step %q did not work: %v", s.text, err)
		}
	}
	for sc, n := range w.deleted {
		want := w.expected(sc)
		gone := n - before[sc]
		want.Min, want.Max = max(want.Min-gone, 0), max(want.Max-gone, 0)
		w.expect[sc] = want
	}
}

// payloadArgs are the arguments of the verb payload.
type payloadArgs struct {
	Revision string `arg:"as" doc:"the payload revision that it is, for payload_revision"`
	Text     string `arg:"text" doc:"what {{payload}} stands for in that revision"`
}

func (w *world) setPayload(_ context.Context, a payloadArgs) error {
	w.payloads[a.Revision] = a.Text
	return nil
}

// captureArgs are the arguments of the verb capture.
type captureArgs struct {
	Name string `arg:"as" doc:"a name; later steps write {{name}}"`
	From string `arg:"from" doc:"the attempt in whose answer the value stands"`
	At   string `arg:"at" doc:"where: a JSONPath ($.id), a JSON pointer (/id), or header:Location"`
}

func (a captureArgs) check() error {
	if slices.Contains(targets.VarNames(), a.Name) {
		return fmt.Errorf("{{%s}} stands for something else already; choose another name", a.Name)
	}
	return checkSpot(a.At)
}

// capture keeps a value of an answer. Without it the steps that name it could not be carried out as they are meant.
func (w *world) capture(_ context.Context, a captureArgs) error {
	s, err := w.find(a.From)
	if err != nil {
		return err
	}
	value, found := spot(s.Exchange, a.At)
	if !found {
		return unclear("the answer to %q has nothing at %s that could be captured: %s", a.From, a.At, outcome(s.Exchange))
	}
	w.captured[a.Name] = value
	return nil
}
