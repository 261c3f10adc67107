package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"

	gen "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const module = "github.com/idempotency-conformance/idemcheck/"

// The published schemas are made from the types and their comments here, in the test, so that the command does not carry
// the generator.
func TestSchemasAreCurrent(t *testing.T) {
	t.Parallel()
	report := reflectSchema(t, &Report{})
	report.ID, report.Title = "urn:idemcheck:report:1", "The JSON report of idemcheck"
	requireCurrent(t, "report.schema.json", report, ReportSchema())

	event := reflectSchema(t, &Event{})
	event.ID, event.Title = "urn:idemcheck:event:1", "One line of the event stream of idemcheck"
	event.Description = "One event as this version writes it: besides the common members just the one that its kind names. " +
		"Readers skip kinds that they do not know."
	payloadsByKind(event)
	requireCurrent(t, "event.schema.json", event, EventSchema())
}

func requireCurrent(t *testing.T, file string, schema *gen.Schema, embedded []byte) {
	t.Helper()
	want, err := json.MarshalIndent(schema, "", "  ")
	require.NoError(t, err)
	want = append(want, '\n')
	if *update {
		require.NoError(t, os.WriteFile(file, want, 0o644))
		return
	}
	require.Equal(t, string(want), string(embedded), "go test ./reports -update writes it anew")
}

func reflectSchema(t *testing.T, v any) *gen.Schema {
	t.Helper()
	r := gen.Reflector{ExpandedStruct: true, Mapper: enumOf}
	require.NoError(t, r.AddGoComments(module+"reports", "./"))
	require.NoError(t, r.AddGoComments(module+"reports", "../targets"))
	s := r.Reflect(v)
	// A count that could not be taken is null, which says more than a member that is missing.
	if tally := s.Definitions["Tally"]; tally != nil {
		tally.Properties.Set("found", &gen.Schema{OneOf: []*gen.Schema{{Type: "integer"}, {Type: "null"}}, Description: "null: could not be counted"})
	}
	return s
}

// enumOf gives the closed lists of words.
func enumOf(t reflect.Type) *gen.Schema {
	switch t {
	case reflect.TypeFor[Verdict]():
		return words2enum(Verdicts())
	case reflect.TypeFor[FindingKind]():
		return words2enum(FindingKinds())
	case reflect.TypeFor[Disposition]():
		return words2enum(Dispositions())
	case reflect.TypeFor[Question]():
		return words2enum([]Question{QuestionRecords, QuestionAnswer, QuestionOther})
	case reflect.TypeFor[targets.Level]():
		return words2enum(targets.Levels())
	case reflect.TypeFor[targets.Provenance]():
		return words2enum(targets.Provenances())
	case reflect.TypeFor[Agreement]():
		return words2enum(Agreements())
	case reflect.TypeFor[KnownState]():
		return words2enum(KnownStates())
	case reflect.TypeFor[Kind]():
		var kinds []Kind
		for _, k := range Kinds() {
			kinds = append(kinds, k.Kind)
		}
		return words2enum(kinds)
	}
	return nil
}

func words2enum[T any](list []T) *gen.Schema {
	s := &gen.Schema{Type: "string"}
	for _, word := range list {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// payloadsByKind asks of each kind for the member that carries it, and for no other.
func payloadsByKind(event *gen.Schema) {
	var payloads []string
	for _, k := range Kinds() {
		if k.Payload != "" && !slices.Contains(payloads, k.Payload) {
			payloads = append(payloads, k.Payload)
		}
	}
	for _, k := range Kinds() {
		then := &gen.Schema{Description: k.Doc, Properties: gen.NewProperties()}
		for _, p := range payloads {
			if p == k.Payload {
				then.Required = []string{p}
			} else {
				then.Properties.Set(p, gen.FalseSchema)
			}
		}
		is := gen.NewProperties()
		is.Set("kind", &gen.Schema{Const: k.Kind})
		event.AllOf = append(event.AllOf, &gen.Schema{If: &gen.Schema{Properties: is}, Then: then})
	}
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, doc []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	require.NoError(t, err)
	return s.Validate(v)
}

func TestReportsFollowTheirSchema(t *testing.T) {
	t.Parallel()
	schema := compile(t, ReportSchema())
	for _, run := range []*tape{newTape(), passing(), failing(), interrupted(), untrusted(), collapsing(), hostileRun(), sweep(), livedWith()} {
		var out bytes.Buffer
		require.NoError(t, JSON(&out, run.report()))
		require.NoError(t, validate(t, schema, out.Bytes()))
		require.Error(t, validate(t, schema, bytes.Replace(out.Bytes(), []byte(`"run"`), []byte(`"ran"`), 1)), "unknown members are refused")
	}
}

func TestEventsFollowTheirSchema(t *testing.T) {
	t.Parallel()
	schema := compile(t, EventSchema())
	seen := map[Kind]bool{}
	for _, run := range []*tape{passing(), failing(), untrusted(), collapsing(), hostileRun(), recounted(), sweep(), livedWith()} {
		for _, e := range run.events {
			seen[e.Kind] = true
			line, err := encode(e, "")
			require.NoError(t, err)
			require.NoError(t, validate(t, schema, line), "%s", line)
		}
	}
	for _, k := range Kinds() {
		assert.True(t, seen[k.Kind], "no test writes %s", k.Kind)
	}
	for name, line := range map[string]string{
		"an unknown kind":      `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"weather"}`,
		"a missing payload":    `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"note"}`,
		"two payloads":         `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"note","note":{"text":"a"},"step":{"text":"b"}}`,
		"an unknown member":    `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"note","note":{"text":"a","loud":true}}`,
		"a verdict of its own": `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"case-ended","case_ended":{"verdict":"fine"}}`,
	} {
		require.Error(t, validate(t, schema, []byte(line)), name)
	}
}

// Every member of Event but the common ones is the payload of a kind, and every kind's payload exists.
func TestKindsNameTheMembersOfEvent(t *testing.T) {
	t.Parallel()
	common := []string{"v", "run", "shard", "seq", "at", "case", "kind"}
	var members, payloads []string
	for i := range reflect.TypeFor[Event]().NumField() {
		name, _, _ := bytes.Cut([]byte(reflect.TypeFor[Event]().Field(i).Tag.Get("json")), []byte(","))
		if !slices.Contains(common, string(name)) {
			members = append(members, string(name))
		}
	}
	for _, k := range Kinds() {
		assert.NotEmpty(t, k.Doc)
		assert.True(t, k.Kind.known())
		if k.Payload != "" && !slices.Contains(payloads, k.Payload) {
			payloads = append(payloads, k.Payload)
		}
	}
	assert.ElementsMatch(t, members, payloads)
}

func TestJSONReport(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, JSON(&out, failing().report()))
	golden(t, "report.json", out.Bytes())
	golden(t, "report-sweep.json", written(t, JSON, sweep().report()))
	var back Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	var again bytes.Buffer
	require.NoError(t, JSON(&again, back))
	require.Equal(t, out.String(), again.String(), "a report can be read back")
	require.ErrorIs(t, JSON(&fullDisk{}, back), errDiskFull)
	require.ErrorIs(t, Console(&fullDisk{}, back, ConsoleOptions{}), errDiskFull)
}
