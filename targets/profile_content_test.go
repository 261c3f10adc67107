package targets

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const filterHead = `
name: x
url: http://127.0.0.1
operations:
  create:
    request: POST /x
    body: {invoice_id: "INV-{{marker}}", amount: 42, lines: [{sku: "{{marker}}"}, {sku: b}], note: n}
`

func filtered(t *testing.T, text string) *Target {
	t.Helper()
	target, err := Parse("testdata/x.yaml", []byte(filterHead+text), nil)
	require.NoError(t, err)
	return target
}

// Where the members stand is no promise: only what a file says beside it makes the file the source.
func TestContentFilterOverProfile(t *testing.T) {
	t.Parallel()
	profile, err := ProfileNamed("paypal", ".")
	require.NoError(t, err)
	f := filtered(t, "profile: paypal\ncontent_filter: {members: /invoice_id}\n").Profile.ContentFilter
	assert.Equal(t, profile.ContentFilter.Claim, f.Claim)
	assert.Equal(t, Ints{422}, f.Status)
	assert.Equal(t, Strings{"/invoice_id"}, f.Members)

	f = filtered(t, "profile: paypal\ncontent_filter: {members: /invoice_id, within: 1h, level: should}\n").Profile.ContentFilter
	assert.Equal(t, Claim{Level: Should, Provenance: Documented, Source: fileSource}, f.Claim)
	assert.Equal(t, time.Hour, f.Within.Std())
	assert.Equal(t, Ints{422}, f.Status, "what the file does not say stays the profile's")

	f = filtered(t, "content_filter: {members: /invoice_id}\n").Profile.ContentFilter
	assert.Equal(t, Claim{Level: Must, Provenance: Documented, Source: fileSource}, f.Claim, "without a profile the file says that there is a filter")
	assert.False(t, filtered(t, "").Profile.ContentFilter.Given())
}

// Other content differs in the members that hold the marker, and equal content in none.
func TestContentOf(t *testing.T) {
	t.Parallel()
	members := Strings{"/invoice_id", "/amount", "/lines/0"}
	op := filtered(t, "content_filter: {members: [/invoice_id, /amount, /lines/0]}\n").Operations[0]
	render := func(n int) string {
		body, err := op.WithContent(members, n).Body.Render(Vars{"marker": "M"})
		require.NoError(t, err)
		return string(body)
	}
	assert.Equal(t, `{"invoice_id":"INV-M","amount":42,"lines":[{"sku":"M"},{"sku":"b"}],"note":"n"}`, render(1))
	assert.Equal(t, `{"invoice_id":"INV-M-2","amount":42,"lines":[{"sku":"M-2"},{"sku":"b"}],"note":"n"}`, render(2))
	assert.Equal(t, render(1), render(0), "the file's operation stays as it is")
	assert.Equal(t, ContentOf([]byte(render(2)), members), ContentOf([]byte(`{"note":"o","lines":[{"sku":"M-2"}],"amount":42,"invoice_id":"INV-M-2"}`), members))
	assert.NotEqual(t, ContentOf([]byte(render(1)), members), ContentOf([]byte(render(2)), members))
	assert.NotEqual(t, ContentOf([]byte(`{"a":1}`), Strings{"/a", "/b"}), ContentOf([]byte(`{"b":1}`), Strings{"/a", "/b"}))
	assert.Empty(t, ContentOf([]byte("plain"), members))
}

// A profile does not know where the members stand.
func TestProfileNamesNoMembers(t *testing.T) {
	t.Parallel()
	d := newDecoder("p.yaml", nil, NewSecrets())
	checkCounting(d, &Profile{ContentFilter: ContentFilter{Members: Strings{"/a"}}})
	assert.ErrorContains(t, d.err(), "is for a target file to say")
}
