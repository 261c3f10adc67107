package steps

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func plan(t *testing.T) []Case {
	t.Helper()
	cases, err := Plan(features.FS, features.Paths(), "")
	require.NoError(t, err)
	return cases
}

func TestFeaturesAreAllPlanned(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(features.FS, "*.feature")
	require.NoError(t, err)
	assert.ElementsMatch(t, files, features.Paths())
}

func TestBuiltInCases(t *testing.T) {
	t.Parallel()
	cases := plan(t)
	ids := map[string]Case{}
	for _, c := range cases {
		ids[c.ID] = c
		assert.NotEmpty(t, c.Source, "%s names no source", c.ID)
		assert.NotEmpty(t, c.Title, c.ID)
		assert.Equal(t, c.ID != "retry-schedule", c.Requests > 0, "%s: only a schedule is judged without a request", c.ID)
	}
	for _, id := range []string{"K1", "K1-two-workers", "K2[own-key]", "K2[baseline-key]", "K3[own-key]", "K3[baseline-key]",
		"K3[without-authorization]", "K4", "K5", "K6[other-tenant]", "K6[test-environment]", "replay-once", "different-key"} {
		assert.Contains(t, ids, id)
	}
	assert.True(t, ids["double-send[10]"].Loud, "a burst touches the whole target")
	assert.True(t, ids["replay-after-restart"].Loud, "a restart touches the whole target")
	assert.False(t, ids["replay-once"].Loud)
	assert.Equal(t, targets.Should, ids["key-letter-case"].Level, "the scenario's level stands over the feature's")
	for _, id := range []string{"different-key", "K5", "first-request", "distinct-keys-together"} {
		assert.Empty(t, ids[id].After, "the control %s stands on nothing", id)
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	const good = "@must @id:a @ref:x\nScenario: A\n  When the operation is sent as \"first\"\n"
	for name, c := range map[string]struct{ text, want string }{
		"a file without a scenario": {"Feature: F\n  Scenari: A\n", "x.feature:1: the file has no scenario"},
		"a scenario without an id":  {"Feature: F\n@must\nScenario: A\n  When the operation is sent as \"a\"\n", "has no @id: tag"},
		"a scenario without level":  {"Feature: F\n@id:a\nScenario: A\n  When the operation is sent as \"a\"\n", "has no level"},
		"an unknown step":           {"Feature: F\n@must @id:a\nScenario: A\n  When the operation is snet\n", `x.feature:4: a: no step reads "the operation is snet"`},
		"an unknown argument":       {"Feature: F\n" + good + "    | recrod | A |\n", `takes no "recrod"`},
		"an unknown need":           {"Feature: F\n@must @id:a @needs:magic\nScenario: A\n  When the operation is sent as \"a\"\n", `no need called "magic"`},
		"an id that stands twice":   {"Feature: F\n" + good + good, `the id "a" stands already at x.feature:3`},
		"an unknown foundation":     {"Feature: F\n@after:b\n" + good, `stands on "b", which does not exist`},
		"bad Gherkin":               {"Featur: F\n", "x.feature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Plan(fstest.MapFS{"x.feature": {Data: []byte(c.text)}}, []string{"x.feature"}, "")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestPlanBoundsItsComplaints(t *testing.T) {
	t.Parallel()
	text := "Feature: F\n@must @id:a\nScenario: A\n" + strings.Repeat("  When it rains\n", 30)
	_, err := Plan(fstest.MapFS{"x.feature": {Data: []byte(text)}}, []string{"x.feature"}, "")
	assert.ErrorContains(t, err, "and 20 more")
}

func TestSelect(t *testing.T) {
	t.Parallel()
	cases := plan(t)
	ids := func(only, skip []string) []string {
		list, err := Select(cases, only, skip)
		require.NoError(t, err)
		var out []string
		for _, c := range list {
			out = append(out, c.ID)
		}
		return out
	}
	assert.Len(t, ids(nil, nil), len(cases))
	assert.Equal(t, []string{"K5"}, ids([]string{"K5"}, nil))
	assert.Equal(t, []string{"K4", "replay-once"}, ids([]string{"K4"}, nil), "what a case stands on comes along")
	assert.Equal(t, []string{"K3[own-key]"}, ids([]string{"K3[own-key]"}, nil), "brackets are plain characters")
	assert.Equal(t, []string{"K6[other-tenant]", "K6[test-environment]", "K6[other-region]", "K6[other-partition]"}, ids([]string{"K6"}, nil), "an id selects its rows")
	assert.NotContains(t, ids(nil, []string{"K*"}), "K1")
	for _, bad := range []string{"K77", "K1*-x"} {
		_, err := Select(cases, []string{bad}, nil)
		assert.ErrorContains(t, err, "no case is called")
	}
	_, err := Select(cases, []string{`\`}, nil)
	assert.Error(t, err)
}

func TestMissingSaysWhatToAdd(t *testing.T) {
	t.Parallel()
	target := &targets.Target{Operations: targets.Operations{{Name: "create"}}}
	for _, c := range plan(t) {
		why := Missing(c, target, Abilities{})
		if slices.ContainsFunc(c.Needs, func(n targets.Need) bool {
			return n != targets.NeedKey && n != targets.NeedOpaqueKey && n != targets.NeedHeaderKey
		}) {
			assert.NotEmpty(t, why, c.ID)
		}
	}
	assert.Empty(t, Missing(Case{}, target, Abilities{}))
	assert.Equal(t, "let idemcheck start the target (run:), so that it can be killed and restarted",
		Missing(Case{Needs: []targets.Need{targets.NeedCrash, targets.NeedRestart}}, target, Abilities{}))
	for n, need := range needs {
		assert.NotEmpty(t, need.add, n)
	}
}

// An observer finds records by a text in them, so no marker may stand within another.
func TestMarkersDoNotContainEachOther(t *testing.T) {
	t.Parallel()
	e := &engine{Options: Options{RunID: "abcdef", Cases: plan(t)}}
	var all []string
	for i := range e.Cases {
		w := &world{engine: e, c: &e.Cases[i]}
		for round := 1; round <= 2*(togetherArgs{Count: 10, Key: "same"}).rounds(); round++ {
			w.freshMarker(round)
			all = append(all, w.marker)
		}
	}
	for _, m := range all {
		assert.Len(t, m, len(all[0]))
	}
	slices.Sort(all)
	assert.Len(t, slices.Compact(all), len(all))
}
