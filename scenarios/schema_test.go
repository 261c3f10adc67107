package scenarios

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// What the reader takes the schema takes, and what it refuses the schema refuses.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := compileSchema(t, verbs())
	l, err := Compile(verbs())
	require.NoError(t, err)
	const head = "scenarios: [{id: x, title: T, level: must, when: ["
	for steps, right := range map[string]bool{
		"{send: {as: a, key: same}}": true,
		"{send: a}":                  true,
		"{send: 5}":                  true,
		"{records: 2}":               true,
		"{expect: {records: 2}}":     true,
		"{send: {as: a, key: sane}}": false,
		"{send: {as: a, kee: same}}": false,
		"{sned: a}":                  false,
		"{send: [a]}":                false,
		"{records: two}":             false,
		"send":                       false,
		"{expect: {recrods: 2}}":     false,
		"{send: a, records: 2}":      false,
	} {
		text := []byte(head + steps + "]}]")
		_, err := l.Load("x.yaml", text)
		assert.Equal(t, right, err == nil, "%s: %v", steps, err)
		assert.Equal(t, right, s.Validate(asJSON(t, text)) == nil, "the schema on %s", steps)
	}
}

func compileSchema(t *testing.T, verbs []Verb) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(verbs)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

func asJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal(data, &v))
	text, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return out
}
