package targets

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bodyOf reads a body as it stands in a target file.
func bodyOf(t *testing.T, yaml string, env Env) *Body {
	t.Helper()
	var r Request
	d := newDecoder("body.yaml", env, NewSecrets())
	d.decode([]byte(yaml), &r)
	require.NoError(t, d.err())
	require.NotNil(t, r.Body)
	return r.Body
}

const orderBody = `body:
  reference: "{{payload}} {{marker}}"
  amount: 12.50
  count: 0x10
  paid: false
  nothing: null
  "on": 2027-01-31
  lines: [{sku: "1", n: 1}, {sku: "2", n: 2}]
  customer: {name: "{{tenant}}", id: 18}
`

func TestBodyKeepsOrderAndTypes(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, orderBody, nil)
	vars := Vars{"payload": `say "hi" <b>` + "\n", "marker": "m1", "tenant": "T1"}
	got, err := b.Render(vars)
	require.NoError(t, err)
	assert.Equal(t, `{"reference":"say \"hi\" <b>\n m1","amount":12.50,"count":16,"paid":false,"nothing":null,"on":"2027-01-31",`+
		`"lines":[{"sku":"1","n":1},{"sku":"2","n":2}],"customer":{"name":"T1","id":18}}`, string(got))
	assert.True(t, b.IsJSON())
	assert.Equal(t, []string{"reference", "amount", "count", "paid", "nothing", "on", "lines", "customer"}, b.Members())
	_, err = b.Render(Vars{"marker": "m1"})
	assert.ErrorContains(t, err, "reference: {{payload}} has no value here (known: marker)")
}

func TestBodyReorderedIsTheSameValue(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, orderBody, nil)
	plain, err := b.Render(sampleVars())
	require.NoError(t, err)
	other, err := b.Reordered(sampleVars())
	require.NoError(t, err)
	assert.NotEqual(t, string(plain), string(other))
	assert.JSONEq(t, string(plain), string(other))
	var compact, reversed node
	compact, err = parseNode(plain)
	require.NoError(t, err)
	reversed, err = parseNode(other)
	require.NoError(t, err)
	assert.Equal(t, "customer", reversed.members[0].name)
	assert.Equal(t, "id", reversed.members[0].value.members[0].name)
	assert.Equal(t, "reference", compact.members[0].name)
}

func TestBodyChanged(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, orderBody, nil)
	for member, want := range map[string]string{
		"reference":      `"payload 1 marker 1 (changed)"`,
		"amount":         `13.50`,
		"count":          `17`,
		"paid":           `true`,
		"on":             `"2027-02-01"`,
		"lines":          `[{"sku":"1 (changed)","n":1},{"sku":"2","n":2}]`,
		"/lines/1/n":     `3`,
		"/customer/name": `"tenant 1 (changed)"`,
	} {
		got, err := b.Changed(sampleVars(), member)
		require.NoError(t, err, member)
		pointer := member
		if pointer[0] != '/' {
			pointer = "/" + pointer
		}
		assert.Equal(t, want, valueAt(t, got, pointer), member)
	}
	for member, want := range map[string]string{
		"refrence":     `change refrence: the body has no member "refrence" (it has: reference, amount`,
		"nothing":      "change nothing: it holds nothing that could be changed",
		"/lines/7":     `the list has no item "7"`,
		"/amount/x":    "nothing stands below it",
		"/bad~pointer": "~ must be written ~0",
	} {
		_, err := b.Changed(sampleVars(), member)
		assert.ErrorContains(t, err, want, member)
	}
}

// valueAt gives the raw JSON at a pointer.
func valueAt(t *testing.T, body []byte, pointer string) string {
	t.Helper()
	tokens, err := pointerTokens(pointer)
	require.NoError(t, err)
	n, err := parseNode(body)
	require.NoError(t, err)
	for _, token := range tokens {
		if n.kind == nodeArray {
			n = n.items[int(token[0]-'0')]
			continue
		}
		require.GreaterOrEqual(t, n.index(token), 0, "%s in %s", token, body)
		n = n.members[n.index(token)].value
	}
	return string(appendJSON(nil, n))
}

func TestNextNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"0": "1", "-1": "0", "-0.5": "0.5", "9.99": "10.99", "1e400": "1", "1": "2",
		"123456789012345678901234567890": "123456789012345678901234567891"} {
		assert.Equal(t, want, nextNumber(in), in)
		assert.True(t, json.Valid([]byte(nextNumber(in))))
	}
}

func TestBodyRenderWith(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, `body: {a: 1, b: {c: 1, d: "{{marker}}"}, e: [1]}`, nil)
	change := bodyOf(t, `body: {b: {c: "", x: null}, e: 2, f: {g: 1}}`, nil)
	got, err := b.RenderWith(Vars{"marker": "m"}, change)
	require.NoError(t, err)
	assert.Equal(t, `{"a":1,"b":{"c":"","d":"m","x":null},"e":2,"f":{"g":1}}`, string(got))
	again, err := b.Render(Vars{"marker": "m"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":1,"b":{"c":1,"d":"m"},"e":[1]}`, string(again), "the body itself must not change")
	_, err = b.RenderWith(nil, NewTextBody("x"))
	assert.ErrorContains(t, err, "must be mappings")
}

func TestBodyOfOneText(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, "body: '<order>{{marker}}</order>'", nil)
	got, err := b.Render(Vars{"marker": `a"b`})
	require.NoError(t, err)
	assert.Equal(t, `<order>a"b</order>`, string(got))
	assert.False(t, b.IsJSON())
	assert.Nil(t, b.Members())
	_, err = b.Reordered(nil)
	assert.Error(t, err)
	_, err = b.Changed(nil, "x")
	assert.Error(t, err)
}

func TestBodyAsForm(t *testing.T) {
	t.Parallel()
	b := bodyOf(t, `body: {amount: 10, meta: {marker: "{{marker}}"}, items: [{id: a}, {id: b}], gift: true, none: null}`, nil).Form()
	vars := Vars{"marker": "a&b c"}
	got, err := b.Render(vars)
	require.NoError(t, err)
	assert.Equal(t, "amount=10&meta[marker]=a%26b%20c&items[0][id]=a&items[1][id]=b&gift=true&none=", string(got))
	changed, err := b.Changed(vars, "amount")
	require.NoError(t, err)
	assert.Contains(t, string(changed), "amount=11&")
	other, err := b.Reordered(vars)
	require.NoError(t, err)
	assert.Equal(t, "none=&gift=true&items[0][id]=a&items[1][id]=b&meta[marker]=a%26b%20c&amount=10", string(other))
	assert.False(t, b.IsJSON())
	text, err := NewTextBody("a=1&m={{marker}}").Form().Render(vars)
	require.NoError(t, err)
	assert.Equal(t, "a=1&m=a%26b%20c", string(text))
}

func TestBodyWithoutQuotesTakesTheTypeOfTheEnvironment(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"N": "18", "ZERO": "0018", "T": "true", "W": "word"}[name]
		return v, ok
	}
	b := bodyOf(t, `body: {n: "${N}", m: "x", zero: "a"}`, env)
	got, err := b.Render(nil)
	require.NoError(t, err)
	assert.Equal(t, `{"n":"18","m":"x","zero":"a"}`, string(got), "quoted: a text")
	b = bodyOf(t, "body:\n  n: ${N}\n  zero: ${ZERO}\n  t: ${T}\n  w: ${W}\n", env)
	got, err = b.Render(nil)
	require.NoError(t, err)
	assert.Equal(t, `{"n":18,"zero":"0018","t":true,"w":"word"}`, string(got))
}

func TestNoBody(t *testing.T) {
	t.Parallel()
	var b *Body
	got, err := b.Render(nil)
	assert.NoError(t, err)
	assert.Nil(t, got)
	assert.Nil(t, b.Form())
	assert.Nil(t, b.Members())
	assert.False(t, b.IsJSON())
	_, err = NewBody([]byte(`{"a":1} x`))
	assert.Error(t, err)
}
