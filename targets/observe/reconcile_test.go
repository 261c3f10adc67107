package observe_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

func reading(name string, ids, refs []string) targets.Reading {
	return targets.Reading{Observer: name, Count: max(len(ids), len(refs)), IDs: ids, Refs: refs}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	tasks := reading("tasks", []string{"D3", "D4"}, nil)
	broken := tasks
	broken.Err = "down"
	for name, c := range map[string]struct {
		records, effects targets.Reading
		want             []string
	}{
		"one each":      {tasks, reading("mails", []string{"M1", "M2"}, []string{"D4", "D3"}), nil},
		"stray":         {tasks, reading("mails", []string{"M1", "M2", "M7"}, []string{"D3", "D4", "D9"}), []string{"mails: M7 belongs to record D9, which tasks does not show"}},
		"two and none":  {tasks, reading("mails", []string{"M1", "M2"}, []string{"D3", "D3"}), []string{"mails: record D3 has 2: M1, M2", "mails: record D4 has none"}},
		"no ids":        {tasks, reading("mails", nil, []string{"D3", "", "D3", "D4"}), []string{"mails: #2 names no record", "mails: record D3 has 2: #1, #3"}},
		"none":          {tasks, reading("mails", []string{}, []string{}), []string{"mails: record D3 has none", "mails: record D4 has none"}},
		"no records":    {reading("tasks", []string{}, nil), reading("mails", []string{"M1"}, []string{"D3"}), []string{"mails: M1 belongs to record D3, which tasks does not show"}},
		"listed twice":  {reading("tasks", []string{"D3", "D3"}, nil), reading("mails", []string{"M1"}, []string{"D3"}), nil},
		"no refs":       {tasks, reading("mails", []string{"M1"}, nil), nil},
		"only a count":  {targets.Reading{Count: 2}, reading("mails", []string{"M1"}, []string{"D9"}), nil},
		"records error": {broken, reading("mails", []string{"M1"}, []string{"D9"}), nil},
	} {
		assert.Equal(t, c.want, observe.Reconcile(c.records, c.effects), name)
	}
	assert.Nil(t, observe.Reconcile(reading("tasks", []string{}, nil), broken))
}

// The number of sentences follows from the multiset of refs: one for each ref that is no record, and one for each
// record that is not named exactly once. Order does not matter.
func TestReconcileProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`D[0-9]`), 0, 8, rapid.ID).Draw(t, "ids")
		refs := rapid.SliceOfN(rapid.StringMatching(`(D[0-9])?`), 0, 12).Draw(t, "refs")
		effects := make([]string, len(refs))
		named := map[string]int{}
		for i, r := range refs {
			effects[i] = fmt.Sprintf("M%d", i)
			named[r]++
		}
		want := len(refs)
		for _, id := range ids {
			want -= named[id]
			if named[id] != 1 {
				want++
			}
		}
		got := observe.Reconcile(reading("tasks", ids, nil), reading("mails", effects, refs))
		if len(got) != want {
			t.Fatalf("%d sentences and not %d: %q", len(got), want, got)
		}
		shuffled := rapid.Permutation(ids).Draw(t, "shuffled")
		again := observe.Reconcile(reading("tasks", shuffled, nil), reading("mails", effects, refs))
		if !assert.ElementsMatch(t, got, again) {
			t.Fatal("the order of the records matters")
		}
	})
}
