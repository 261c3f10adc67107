package targets

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	gen "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// The published schemas are made from the types and their comments here, in the test, so that the command does not carry
// the generator.
func TestSchemasAreCurrent(t *testing.T) {
	t.Parallel()
	for file, v := range map[string]any{"target.schema.json": &Target{}, "profile.schema.json": &Profile{}} {
		s := reflected(t, v)
		s.ID = gen.ID("urn:idemcheck:" + file[:len(file)-len(".schema.json")] + ":1")
		want, err := json.MarshalIndent(s, "", "  ")
		require.NoError(t, err)
		want = append(want, '\n')
		if *update {
			require.NoError(t, os.WriteFile(file, want, 0o644))
			continue
		}
		got := map[string]func() []byte{"target.schema.json": TargetSchema, "profile.schema.json": ProfileSchema}[file]()
		require.Equal(t, string(want), string(got), "go test ./targets -update writes it anew")
	}
}

func reflected(t *testing.T, v any) *gen.Schema {
	t.Helper()
	r := gen.Reflector{ExpandedStruct: true, FieldNameTag: "yaml", Mapper: written, RequiredFromJSONSchemaTags: true}
	require.NoError(t, r.AddGoComments("github.com/idempotency-conformance/idemcheck/targets", "./"))
	s := r.Reflect(v)
	// What a mapping of names to operations holds is not reached by the types alone.
	for name, more := range map[string]any{"Operation": &Operation{}, "Service": &Service{}} {
		if _, target := v.(*Target); target {
			inner := r.Reflect(more)
			for n, d := range inner.Definitions {
				s.Definitions[n] = d
			}
			inner.Definitions, inner.Version, inner.ID = nil, "", ""
			s.Definitions[name] = inner
		}
	}
	if clock, ok := s.Properties.Get("clock"); ok { // which may be one word
		s.Properties.Set("clock", &gen.Schema{AnyOf: []*gen.Schema{{Ref: clock.Ref}, {Enum: []any{"wait"}}}, Description: clock.Description})
	}
	return s
}

// written says how a type is written in YAML where that is not how Go has it. A ${NAME} may stand for any single value.
func written(t reflect.Type) *gen.Schema {
	one := func(types ...string) *gen.Schema {
		s := &gen.Schema{}
		for _, name := range types {
			s.AnyOf = append(s.AnyOf, &gen.Schema{Type: name})
		}
		return s
	}
	list := func(item *gen.Schema) *gen.Schema {
		return &gen.Schema{AnyOf: append(item.AnyOf, &gen.Schema{Type: "array", Items: item})}
	}
	named := func(def string) *gen.Schema {
		return &gen.Schema{Type: "object", AdditionalProperties: &gen.Schema{Ref: "#/$defs/" + def}}
	}
	switch t {
	case reflect.TypeFor[Body]():
		return gen.TrueSchema
	case reflect.TypeFor[Operations]():
		return named("Operation")
	case reflect.TypeFor[Services]():
		return named("Service")
	case reflect.TypeFor[Strings]():
		return list(one("string", "number", "boolean"))
	case reflect.TypeFor[Ints]():
		return list(one("integer", "string"))
	case reflect.TypeFor[Duration]():
		return &gen.Schema{Type: "string", Description: "a duration such as 500ms, 30s, 24h or 7d"}
	case reflect.TypeFor[Rate]():
		return &gen.Schema{Type: "string", Description: "a rate such as 20/s or 100/m"}
	case reflect.TypeFor[Level]():
		return oneOf(Levels())
	case reflect.TypeFor[Provenance]():
		return oneOf(Provenances())
	case reflect.TypeFor[KeyIn]():
		return oneOf(KeyPlaces())
	case reflect.TypeFor[Quoting]():
		return oneOf([]Quoting{QuotingBare, QuotingSFString, QuotingEither})
	case reflect.TypeFor[Generator]():
		return oneOf(Generators())
	case reflect.TypeFor[Role]():
		return oneOf([]Role{RoleServer, RoleReceiver})
	case reflect.TypeFor[Scheme]():
		return oneOf(Schemes())
	case reflect.TypeFor[TimeFormat]():
		return oneOf([]TimeFormat{FormatRFC3339, FormatHTTPDate, FormatUnix})
	case reflect.TypeFor[Schedule]():
		return list(one("string"))
	}
	switch t.Kind() {
	case reflect.String:
		return one("string", "number", "boolean")
	case reflect.Int:
		return one("integer", "string")
	case reflect.Bool:
		return one("boolean", "string")
	}
	return nil
}

func oneOf[T ~string](words []T) *gen.Schema {
	s := &gen.Schema{}
	for _, w := range words {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}

// What is delivered is valid, and a misspelt member is not.
func TestFilesFollowTheirSchema(t *testing.T) {
	t.Parallel()
	for pattern, schema := range map[string][]byte{"examples/*.yaml": TargetSchema(), "profiles/*.yaml": ProfileSchema()} {
		s := compileSchema(t, schema)
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.NoError(t, s.Validate(asJSON(t, data)), file)
			assert.Error(t, s.Validate(asJSON(t, append(bytes.TrimSpace(data), "\nnonsense: 1\n"...))), file)
		}
	}
}

func compileSchema(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
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
