package targets

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labels gives a run of these labels, separated by commas.
func labels(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(l string) bool { return l == "" })
}

func TestPlanPoints(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		runs  []string
		idle  string
		quick bool
		want  string
	}{
		"nothing":       {nil, "", true, ""},
		"no units":      {[]string{"a", ""}, "", true, ""},
		"quick":         {[]string{"a,b,c"}, "", true, "a#1:before a#1:after b#1:after c#1:after"},
		"full":          {[]string{"a,b"}, "", false, "a#1:before a#1:after b#1:before b#1:after"},
		"twice":         {[]string{"a,b,a", "a,b,a"}, "", true, "a#1:before a#1:after b#1:after a#2:after"},
		"sometimes":     {[]string{"p,a,p,b", "a,b", "a,p,b"}, "", true, "a#1:before a#1:after b#1:after"},
		"less often":    {[]string{"a,a,a,b", "a,b,a"}, "", true, "a#1:before a#1:after a#2:after b#1:after"},
		"other order":   {[]string{"a,b,c", "b,a,c"}, "", true, "a#1:before a#1:after b#1:after c#1:after"},
		"background":    {[]string{"i,a,i,b", "a,i,b"}, "i,i", true, "a#1:before a#1:after b#1:after"},
		"all is noise":  {[]string{"i,i", "i"}, "i", false, ""},
		"cold pool":     {[]string{"prepare a,a,b", "prepare a,a,b"}, "", true, "a#1:before a#1:after b#1:after"},
		"first missing": {[]string{"", "a"}, "", true, ""},
	} {
		var runs [][]string
		for _, r := range row.runs {
			runs = append(runs, labels(r))
		}
		var got []string
		for _, p := range PlanPoints(runs, labels(row.idle), row.quick) {
			got = append(got, p.String())
		}
		assert.Equal(t, row.want, strings.Join(got, " "), name)
	}
}

func TestParsePoint(t *testing.T) {
	t.Parallel()
	for _, p := range []Point{{"INSERT INTO orders", 1, After}, {"a#1:b", 12, Before}, {"step", 3, After}, {"BEGIN; COMMIT", 1, Before}} {
		got, err := ParsePoint(p.String())
		require.NoError(t, err)
		assert.Equal(t, p, got)
	}
	for s, words := range map[string]string{
		"": "not of the form", "a": "not of the form", "#1:after": "not of the form", "a:after#1": "not of the form",
		"a#0:after": "no count", "a#x:after": "no count", "a#:after": "no count", "a#1:": "neither", "a#1:during": "neither",
	} {
		_, err := ParsePoint(s)
		assert.ErrorContains(t, err, words, s)
	}
}
