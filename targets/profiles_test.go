package targets

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProfilesStateTheirStanding reads each profile before anything is filled in, so that a clause that leans on the
// profile's own source is found as well.
func TestProfilesStateTheirStanding(t *testing.T) {
	t.Parallel()
	require.Subset(t, ProfileNames(), []string{"ietf-draft-07", "stripe-v1"})
	for _, name := range ProfileNames() {
		data, err := profileFiles.ReadFile("profiles/" + name + ".yaml")
		require.NoError(t, err)
		var p Profile
		d := newDecoder(name, nil, nil)
		d.plain = true
		d.decode(data, &p)
		require.NoError(t, d.err())
		assert.Equal(t, name, p.Name)
		assert.NotEmpty(t, p.Title, name)
		assert.NotEmpty(t, p.Source, name)
		assertStanding(t, name+" key", p.Key.Claim)
		for _, c := range clausesOf(&p) {
			if !reflect.ValueOf(*c.clause).IsZero() {
				assertStanding(t, name+" "+c.path, c.clause.Claim)
			}
			for _, m := range []*Marker{c.clause.Marker, c.clause.RetryHint} {
				if m != nil {
					assertStanding(t, name+" "+c.path+" "+m.Name, m.Claim)
				}
			}
		}
		_, err = ProfileNamed(name, "nowhere")
		assert.NoError(t, err)
	}
}

func assertStanding(t *testing.T, what string, c Claim) {
	t.Helper()
	assert.NotEmpty(t, c.Provenance, what)
	if c.Provenance != Unknown {
		assert.NotEmpty(t, c.Level, what)
	}
	if c.Provenance == Documented || c.Provenance == Observed {
		assert.NotEmpty(t, c.Source, what)
	}
}

func TestProfileValues(t *testing.T) {
	t.Parallel()
	draft, err := ProfileNamed("ietf-draft-07", "")
	require.NoError(t, err)
	assert.Equal(t, QuotingSFString, draft.Key.Quoting)
	assert.True(t, draft.Mismatch.HasStatus(422))
	assert.Equal(t, Should, draft.InFlight.Level)
	assert.False(t, draft.Expired.Judged())
	stripe, err := ProfileNamed("stripe-v1", "")
	require.NoError(t, err)
	assert.Equal(t, 24*time.Hour, stripe.Retention.Min.Std())
	assert.Equal(t, &Code{At: "$.error.code", In: Strings{"idempotency_key_in_use"}}, stripe.InFlight.Code)
	assert.True(t, stripe.Expired.Has(ModeNewRecord))
	assert.True(t, stripe.Replay.Marker.Judged())
}

func TestProfileFromAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.yaml"), []byte(text), 0o600))
	}
	write("name: acme\nsource: the wiki\nkey: {name: X-Request-Id, level: must, provenance: documented}\n" +
		"replay: {mode: same_record, level: should, provenance: documented, marker: {name: X-Hit}, code: {at: $.a, in: '${NOT_EXPANDED}'}}\n")
	p, err := ProfileNamed("acme.yaml", dir)
	require.NoError(t, err)
	claim := Claim{Level: Should, Provenance: Documented, Source: "the wiki"}
	assert.Equal(t, claim, p.Replay.Claim)
	assert.Equal(t, &Marker{Name: "X-Hit", Claim: claim}, p.Replay.Marker)
	assert.Equal(t, Strings{"${NOT_EXPANDED}"}, p.Replay.Code.In, "profiles are public: they know no environment")

	write("name: acme\nreplay: {mode: same_record}\nmismatch: {mode: reject, provenance: documented, level: must}\nmissing: {mode: executes, provenance: observed, level: must, source: x}\n")
	_, err = ProfileNamed("./acme.yaml", dir)
	file := filepath.Join(dir, "acme.yaml")
	assert.EqualError(t, err, file+":2:1: replay needs a provenance (documented, observed, inferred, unknown)\n"+
		file+":3:1: mismatch is documented and needs a source (a link, here or for the whole profile)\n"+
		file+":4:1: missing is observed and needs a date (for example 2026-11-30)")
	_, err = ProfileNamed("strip-v1", "")
	assert.EqualError(t, err, `unknown profile "strip-v1" (did you mean "stripe-v1"?)`)
	_, err = ProfileNamed("nothing", "")
	assert.ErrorContains(t, err, "known: adyen, alpaca, aws-ec2, ")
	_, err = Example("nope")
	assert.Error(t, err)
}
