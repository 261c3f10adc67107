package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAutoShard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		split string
		env   map[string]string
		want  string
	}{
		{"2/4", nil, "2/4"},
		{"auto", map[string]string{"CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "4"}, "3/4"},
		{"auto", map[string]string{"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "4"}, "1/4"},
		{"auto/8", map[string]string{"JOB_COMPLETION_INDEX": "7"}, "8/8"},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "7"}, ""},
		{"auto", nil, ""},
		{"auto/8", nil, ""},
	} {
		got, err := autoShard(c.split, func(name string) string { return c.env[name] })
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.want == "", err != nil, "%v", err)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	env := map[string]string{"GITHUB_RUN_ID": "12"}
	assert.Equal(t, "github-12", ciGroup(func(name string) string { return env[name] }))
	assert.Empty(t, ciGroup(func(string) string { return "" }))
	f := ciFlags{split: "1/0"}
	require.Error(t, f.check())
}
