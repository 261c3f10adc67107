package steps

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
)

func TestParseShard(t *testing.T) {
	t.Parallel()
	s, err := ParseShard("2/4")
	require.NoError(t, err)
	assert.Equal(t, Shard{2, 4}, s)
	assert.Equal(t, "2/4", s.String())
	assert.Empty(t, Shard{}.String())
	for _, bad := range []string{"", "2", "0/4", "5/4", "a/b", "1/0", "-1/2", "1/1001", "1/2/3"} {
		_, err := ParseShard(bad)
		assert.Error(t, err, bad)
	}
}

// Each case is reported by one shard, each shard has what its cases stand on, and another case moves none.
func TestSplit(t *testing.T) {
	t.Parallel()
	all, err := Plan(features.FS, features.Paths(), "")
	require.NoError(t, err)
	here := func(cases []Case, s Shard) map[string]Case {
		list, err := s.Split(cases)
		require.NoError(t, err)
		require.Len(t, list, len(cases), "the plan is whole in each shard")
		out := map[string]Case{}
		for _, c := range list {
			if !c.Elsewhere {
				out[c.ID] = c
			}
		}
		return out
	}
	owners := map[string]int{}
	for i := range 4 {
		s := Shard{i + 1, 4}
		mine := here(all, s)
		for id, c := range mine {
			if c.Shard == s.String() {
				owners[id]++
			}
			if c.After != "" {
				assert.Contains(t, mine, c.After, "%s stands on it", id)
			}
		}
		fewer := here(slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return c.ID == "K1" }), s)
		for id := range fewer {
			assert.Contains(t, mine, id)
		}
		assert.Greater(t, len(mine), len(all)/10, "a shard with hardly a case")
	}
	for _, c := range all {
		assert.Equal(t, 1, owners[c.ID], c.ID)
	}
	_, err = Shard{1, 1000}.Split(all[:1])
	assert.ErrorContains(t, err, "fewer shards", fmt.Sprint(all[0].ID))
	whole, err := Shard{}.Split(all)
	require.NoError(t, err)
	assert.Equal(t, all, whole)
}
