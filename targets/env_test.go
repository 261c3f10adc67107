package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExpandEnv(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "1", "B_2": "${A}", "EMPTY": ""}[name]
		return v, ok
	}
	for in, want := range map[string]string{
		"":                         "",
		"plain $x $1 $.id {{m}}":   "plain $x $1 $.id {{m}}",
		"${A}":                     "1",
		"<${A}${B_2}>":             "<1${A}>",
		"$${A}":                    "${A}",
		"$$${A}":                   "$${A}",
		"${NO:-d}":                 "d",
		"${NO:-}":                  "",
		"${EMPTY:-d}":              "d",
		"${NO:-http://h:{{port}}}": "http://h:{{port}}",
		"${A:-d}":                  "1",
	} {
		got, _, err := expandEnv(in, env)
		assert.Nil(t, err, in)
		assert.Equal(t, want, got, in)
	}
	for in, want := range map[string]string{
		"${NO}":      "the environment variable NO is not set",
		"${EMPTY}":   "the environment variable EMPTY is not set",
		"${}":        "is no reference",
		"${A":        "is no reference",
		"${A-d}":     "is no reference",
		"${1A}":      "is no reference",
		"${A:?oops}": "is no reference",
	} {
		_, _, err := expandEnv(in, env)
		if assert.NotNil(t, err, in) {
			assert.Contains(t, err.Error(), want, in)
			assert.NotEmpty(t, err.hint)
		}
	}
}

func TestOnlyTheEnvironmentIsSecret(t *testing.T) {
	t.Parallel()
	_, uses, err := expandEnv("${A} ${NO:-d}", func(name string) (string, bool) { return "v", name == "A" })
	assert.Nil(t, err)
	assert.Equal(t, []envUse{{"A", "v"}}, uses[:1])
}
