package targets

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSetJSONPointer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, pointer, want string }{
		"new member":      {`{"b": 1.50, "a":2 }`, "/key", `{"b": 1.50, "a":2,"key":"v" }`},
		"first member":    {` { } `, "/key", ` {"key":"v" } `},
		"replaced":        {`{"key": {"x":1}, "a":2}`, "/key", `{"key": "v", "a":2}`},
		"deep":            {`{"meta":{"x":[1]}}`, "/meta/key", `{"meta":{"x":[1],"key":"v"}}`},
		"made on the way": {`{"a":1}`, "/m/n/key", `{"a":1,"m":{"n":{"key":"v"}}}`},
		"in a list":       {`{"l":[ {"a":1} , 2 ]}`, "/l/0/key", `{"l":[ {"a":1,"key":"v"} , 2 ]}`},
		"appended":        {`[1]`, "/-", `[1,"v"]`},
		"appended object": {`[]`, "/-/key", `[{"key":"v"}]`},
		"escaped":         {`{}`, "/a~1b~0c", `{"a/b~c":"v"}`},
		"the last twin":   {`{"k":1,"k":2}`, "/k", `{"k":1,"k":"v"}`},
		"escaped name":    {`{"\u006b":1}`, "/k", `{"\u006b":"v"}`},
		"empty name":      {`{"":1}`, "/", `{"":"v"}`},
	} {
		got, err := SetJSONPointer([]byte(c.body), c.pointer, "v")
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(got), name)
	}
	for name, c := range map[string]struct{ body, pointer, want string }{
		"no pointer":  {`{}`, "key", "must begin with /"},
		"whole":       {`{}`, "", "must begin with /"},
		"no JSON":     {`a=b`, "/k", "the body is not JSON"},
		"no body":     {``, "/k", "the body is not JSON"},
		"below text":  {`{"a":"x"}`, "/a/b", `nothing can stand below "x" at "b"`},
		"no item":     {`[1]`, "/1", `no item "1"`},
		"odd index":   {`[1]`, "/00", `no item "00"`},
		"bad escape":  {`{}`, "/~2", "~ must be written ~0"},
		"below a top": {`7`, "/a", "nothing can stand below 7"},
	} {
		_, err := SetJSONPointer([]byte(c.body), c.pointer, "v")
		assert.ErrorContains(t, err, c.want, name)
	}
}

// FuzzSetJSONPointer: what comes out is JSON, holds the value at the pointer, and is unchanged elsewhere.
func FuzzSetJSONPointer(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}],"c":"x"}`, "/a/1/key", "v")
	f.Add(` [ ] `, "/-", "\"\\\n")
	f.Add(`{"a":1e400,"a":{}}`, "/a/~0~1", "\xff")
	f.Fuzz(func(t *testing.T, body, pointer, value string) {
		out, err := SetJSONPointer([]byte(body), pointer, value)
		if err != nil {
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q at %q gave %q, which is not JSON", body, pointer, out)
		}
		again, err := SetJSONPointer(out, pointer, value)
		if strings.Contains(pointer, "-") {
			return // appends once more
		}
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("setting twice differs: %q, then %q (%v)", out, again, err)
		}
		var want string
		if err := json.Unmarshal(jsonText(value), &want); err != nil {
			t.Fatal(err)
		}
		if text, ok := textAt(out, pointer); ok && text != want {
			t.Fatalf("%q holds %q at %q, want %q", out, text, pointer, want)
		}
	})
}

// textAt reads the text at a pointer by encoding/json alone.
func textAt(body []byte, pointer string) (string, bool) {
	tokens, err := pointerTokens(pointer)
	var v any
	if err != nil || json.Unmarshal(body, &v) != nil {
		return "", false
	}
	for _, token := range tokens {
		m, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		v = m[token]
	}
	s, ok := v.(string)
	return s, ok
}
