package scenarios

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, text string) *Gherkin {
	t.Helper()
	l, err := Compile(verbs())
	require.NoError(t, err)
	f, err := l.Load("my/x.yaml", []byte(text))
	require.NoError(t, err)
	g, err := f.Compile()
	require.NoError(t, err)
	return g
}

const orders = `feature: Orders
about: "Given: a trap"
level: must
source: https://docs.example/@orders#keys
scenarios:
  - id: plain
    title: A plain one
    needs: [key]
    after: replay-once
    when:
      - send: {as: first, target_record: 'A|1'}
      - send: {as: 'a "b" <c>', key: same}
    then:
      - expect: {records: 1}
    cleanup:
      - send: last
  - id: both
    title: Sent with <what>
    when:
      - send: {as: first, key: <key>, target_record: <record>}
    each:
      - {label: a, what: the same key, key: same, record: A1}
      - {label: b, what: none, key: none, record: '<key> "x"', needs: clock}
`

const ordersInGherkin = `Feature: Orders
  - Given: a trap

  @id:plain @must @after:replay-once @needs:key @ref:https://docs.example/%40orders#keys
  Scenario: A plain one
    Given in the end, the operation is sent as "last"
    When the operation is sent as "first"
      | target record | A\|1 |
    And the operation is sent as "a b c" with the same key
      ` + "```" + `
      {"as":"a \"b\" \u003cc\u003e"}
      ` + "```" + `
    Then exactly 1 record exists

  @must @ref:https://docs.example/%40orders#keys
  Scenario Outline: Sent with <what>
    When the operation is sent as "first" with <key>
      ` + "```" + `
      <arguments>
      ` + "```" + `

    @id:both[a]
    Examples:
      | the variant | what | key | arguments |
      | a | the same key | the same key | {"target_record":"A1"} |

    @id:both[b] @needs:clock
    Examples:
      | the variant | what | key | arguments |
      | b | none | no key (at all) | {"target_record":"\\u003ckey\\u003e \\"x\\""} |
`

// This is how YAML reads in Gherkin: what cannot stand in a sentence goes below it, and each line knows where it is from.
func TestCompileToGherkin(t *testing.T) {
	t.Parallel()
	g := load(t, orders)
	text := string(g.Text)
	assert.Equal(t, ordersInGherkin, text)
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, `sent as "a b c"`) {
			assert.Equal(t, Position{12, 9}, g.At(i+1))
		}
		if strings.Contains(line, "A\\|1") {
			assert.Equal(t, 11, g.At(i+1).Line)
		}
	}
	assert.Zero(t, g.At(0))
	assert.Zero(t, g.At(1000))
}

func TestSet(t *testing.T) {
	t.Parallel()
	var s Set
	g := load(t, orders)
	require.NoError(t, s.Add(g))
	require.ErrorContains(t, s.Add(g), "given twice")
	require.NoError(t, s.Add(&Gherkin{Path: "/tmp/../a.feature", Text: []byte("Feature: A\n")}))
	assert.Equal(t, []string{"my/x.yaml", "/tmp/../a.feature"}, s.Paths())
	data, err := fs.ReadFile(&s, "/tmp/../a.feature")
	require.NoError(t, err)
	assert.Equal(t, "Feature: A\n", string(data))
	assert.Equal(t, Position{Line: 7}, s.At("/tmp/../a.feature", 7), "a feature is the user's own file")
	assert.Equal(t, 1, s.At("my/x.yaml", 1).Line)
	_, err = s.Open("b.feature")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, Builtins())
	for _, name := range Builtins() {
		data, err := Builtin(name)
		require.NoError(t, err)
		assert.NotEmpty(t, data)
	}
	_, err := Builtin("order-and-invoce")
	assert.ErrorContains(t, err, `did you mean "order-and-invoice"?`)
}

// Bad input is one clear message with a place.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	l, err := Compile(verbs())
	require.NoError(t, err)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":      {"", "x.yaml:1:1: the file is empty"},
		"two":          {"scenarios: []\n---\na: b\n", "x.yaml:2:1: a second YAML document begins here"},
		"tabs":         {"scenarios:\n\t- id: x\n", "x.yaml:2:1: a tab stands where the line is indented"},
		"a list":       {"- a\n", "x.yaml:1:1: the file: expected a mapping, found a list"},
		"a tag":        {"scenarios: !include x\n", `x.yaml:1:12: the tag "!include" is not known`},
		"an anchor":    {"scenarios: &a []\n", "x.yaml:1:12: a scenario file takes no anchors"},
		"an unquoted":  {"scenarios: [{id: x, title: T, level: must, when: [{send: {{a}}}]}]", "must be quoted"},
		"a huge file":  {strings.Repeat("# comment\n", 120_000), "x.yaml:1:1: the file is larger than 1 MiB"},
		"a deep file":  {"scenarios: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested deeper than 50 levels"},
		"no scenarios": {"feature: F\n", "x.yaml:1:1: the file has no `scenarios`"},
	} {
		_, err := l.Load("x.yaml", []byte(c.text))
		var list FileErrors
		require.ErrorAs(t, err, &list, name)
		assert.ErrorContains(t, err, c.want, name)
		assert.Len(t, list, 1, name)
	}
}
