package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Answers keeps the ids in successful answers, where there is no better way to count. The engine notes each one and
// hands the same Answers to Open. Its zero value is ready; it is safe for concurrent use.
type Answers struct {
	mu    sync.Mutex
	notes map[noted][]note
}

// noted is what answers are asked for by: a run has very many of them.
type noted struct{ namespace, marker string }

// note is one successful answer.
type note struct{ operation, id string }

// Note keeps the id of one successful answer to an operation in a namespace ("": the target's own). An empty id means
// that the answer was successful and had none: from then on, its marker cannot be counted there.
func (a *Answers) Note(namespace, operation, marker, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.notes == nil {
		a.notes = map[noted][]note{}
	}
	of, n := noted{namespace, marker}, note{operation, id}
	if id == "" || !slices.Contains(a.notes[of], n) {
		a.notes[of] = append(a.notes[of], n)
	}
}

// ids gives the distinct ids, first noted first, and the number of answers without one. An empty operation means any.
func (a *Answers) ids(namespace, operation, marker string) (ids []string, without int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	ids = []string{}
	for _, n := range a.notes[noted{namespace, marker}] {
		switch {
		case operation != "" && n.operation != operation:
		case n.id == "":
			without++
		case !slices.Contains(ids, n.id):
			ids = append(ids, n.id)
		}
	}
	return ids, without
}

// answersCounter reads Answers for one operation.
type answersCounter struct {
	answers   *Answers
	operation string
}

func openAnswers(_ context.Context, spec targets.Observer, d Deps) (counter, error) {
	if d.Answers == nil {
		return nil, errors.New("there are no answers to count")
	}
	return &answersCounter{answers: d.Answers, operation: spec.Operation}, nil
}

func (a *answersCounter) count(_ context.Context, q Query) (tally, error) {
	ids, without := a.answers.ids(q.Namespace, a.operation, q.marker())
	t := tally{count: len(ids), ids: ids, inferred: true}
	if without > 0 {
		return t, fmt.Errorf("the answers cannot be counted: successful ones without an id: %d", without)
	}
	return t, nil
}

func (a *answersCounter) close() error { return nil }
