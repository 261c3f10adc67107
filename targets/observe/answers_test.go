package observe_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	var a observe.Answers
	for _, id := range []string{"b", "a", "b"} {
		a.Note("", "create", "m", id)
	}
	a.Note("other_tenant", "create", "m", "c")
	a.Note("", "update", "m", "d")
	a.Note("", "create", "n", "e")
	a.Note("", "create", "lost", "")

	one := open(t, targets.Observer{Answers: true, Operation: "create"}, observe.Deps{Answers: &a})
	got := one.Count(t.Context(), marked("m"))
	assert.Equal(t, []string{"b", "a"}, got.IDs)
	assert.Equal(t, 2, got.Count)
	assert.True(t, got.Inferred)
	assert.Equal(t, "create", got.Operation)
	assert.Equal(t, "answers", got.Observer)

	q := marked("m")
	q.Namespace, q.Label = "other_tenant", "after"
	got = one.Count(t.Context(), q)
	assert.Equal(t, []string{"c"}, got.IDs)
	assert.Equal(t, "other_tenant", got.Namespace)
	assert.Equal(t, "after", got.Label)

	assert.Equal(t, 3, open(t, targets.Observer{Answers: true}, observe.Deps{Answers: &a}).Count(t.Context(), marked("m")).Count)
	assert.Equal(t, "the answers cannot be counted: successful ones without an id: 1", one.Count(t.Context(), marked("lost")).Err)
	assert.Zero(t, one.Count(t.Context(), marked("nobody")).Count)
}

func TestAnswersAreSafeTogether(t *testing.T) {
	t.Parallel()
	var a observe.Answers
	o := open(t, targets.Observer{Answers: true}, observe.Deps{Answers: &a})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			a.Note("", "create", "m", fmt.Sprint(i%10))
			o.Count(t.Context(), marked("m"))
		})
	}
	all.Wait()
	assert.Equal(t, 10, o.Count(t.Context(), marked("m")).Count)
}

func TestOpenNeedsOneKind(t *testing.T) {
	t.Parallel()
	_, err := observe.Open(t.Context(), targets.Observer{Name: "x"}, observe.Deps{})
	assert.EqualError(t, err, `open observer "x": it has none of list, sql, command, sink, answers`)
	_, err = observe.Open(t.Context(), targets.Observer{Answers: true, Sink: &targets.Sink{}}, observe.Deps{})
	assert.ErrorContains(t, err, "it has sink and answers, only one can be")
	_, err = observe.Open(t.Context(), targets.Observer{Answers: true}, observe.Deps{})
	assert.ErrorContains(t, err, "no answers to count")
}

func TestScoped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec targets.Observer
		want bool
	}{
		"list":            {targets.Observer{List: &targets.ListCall{}}, true},
		"answers":         {targets.Observer{Answers: true}, true},
		"sink":            {targets.Observer{Sink: &targets.Sink{}}, false},
		"query":           {targets.Observer{SQL: &targets.SQLQuery{Args: []string{"{{marker}}"}}}, false},
		"query, tenant":   {targets.Observer{SQL: &targets.SQLQuery{Args: []string{"{{marker}}", "{{ tenant }}"}}}, true},
		"command":         {targets.Observer{Command: &targets.CommandCall{Argv: []string{"count", "tenant"}}}, false},
		"command, argv":   {targets.Observer{Command: &targets.CommandCall{Argv: []string{"count", "-e={{environment}}"}}}, true},
		"command, env":    {targets.Observer{Command: &targets.CommandCall{Env: map[string]string{"T": "{{tenant}}"}}}, true},
		"nothing":         {targets.Observer{}, false},
		"several of them": {targets.Observer{Answers: true, List: &targets.ListCall{}}, false},
	} {
		assert.Equal(t, c.want, observe.Scoped(c.spec), name)
	}
}
