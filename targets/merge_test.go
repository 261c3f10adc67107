package targets

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mergeHead = `
name: x
url: http://127.0.0.1
operations: {create: {request: "POST /x?m={{marker}}"}}
`

func parsed(t *testing.T, text string) *Target {
	t.Helper()
	target, err := Parse("testdata/x.yaml", []byte(mergeHead+text), nil)
	require.NoError(t, err)
	return target
}

func TestWithoutProfileNothingIsKnown(t *testing.T) {
	t.Parallel()
	p := parsed(t, "").Profile
	assert.Equal(t, "none", p.Name)
	for _, c := range clausesOf(&p) {
		assert.Equal(t, Clause{Claim: Claim{Provenance: Unknown}}, *c.clause, c.path)
	}
	assert.Equal(t, Key{In: InHeader, Name: "Idempotency-Key", Quoting: QuotingBare, Claim: Claim{Provenance: Unknown}}, p.Key)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	target := parsed(t, "")
	assert.Equal(t, 30*time.Second, target.Timeout.Std())
	assert.Equal(t, 2000, target.Limits.Records)
	target = parsed(t, "timeout: 1d12h\nlimits: {rate: 90/m, records: 5}\n")
	assert.Equal(t, 36*time.Hour, target.Timeout.Std())
	assert.Equal(t, Limits{Rate: 1.5, Records: 5}, target.Limits)
}

func TestFileStandsOverProfile(t *testing.T) {
	t.Parallel()
	p := parsed(t, `
profile: stripe-v1
key: {name: Stripe-Key}
replay: {ignore: /created}
in_flight: {status: [409, 429], retry_hint: {name: Retry-After}}
missing: {mode: reject, status: 400}
retention: {max: 7d}
failures: {server_error: {mode: re_executed, level: may, provenance: observed, source: "a trial", date: 2026-11-01}}
scope: {environment: {mode: isolated}}
`).Profile
	said := Claim{Level: Must, Provenance: Documented, Source: fileSource}
	assert.Equal(t, Key{In: InHeader, Name: "Stripe-Key", Quoting: QuotingBare, MaxLength: 255, Methods: Strings{"POST"}, Claim: said}, p.Key)
	assert.Equal(t, Strings{ModeIdentical}, p.Replay.Mode, "what the file does not say stays the profile's")
	assert.Equal(t, Strings{"/created"}, p.Replay.Ignore)
	assert.Equal(t, said, p.Replay.Claim)
	assert.Equal(t, Should, p.Replay.Marker.Level)
	assert.Equal(t, Ints{409, 429}, p.InFlight.Status)
	assert.Equal(t, Strings{"idempotency_key_in_use"}, p.InFlight.Code.In)
	assert.Equal(t, &Marker{Name: "Retry-After", Claim: Claim{Level: Should, Provenance: Documented, Source: fileSource}}, p.InFlight.RetryHint)
	assert.Equal(t, Clause{Mode: Strings{ModeReject}, Status: Ints{400}, Claim: said}, p.Missing, "another mode begins anew")
	assert.Equal(t, 7*24*time.Hour, p.Retention.Max.Std())
	assert.Zero(t, p.Retention.Min)
	assert.Equal(t, Claim{Level: May, Provenance: Observed, Source: "a trial", Date: "2026-11-01"}, p.Failures.ServerError.Claim)
	assert.Equal(t, said, p.Scope.Environment.Claim)
	assert.Equal(t, Unknown, p.Scope.Credential.Provenance)
}

func TestMergeDoesNotTouchTheProfile(t *testing.T) {
	t.Parallel()
	before, err := ProfileNamed("stripe-v1", ".")
	require.NoError(t, err)
	parsed(t, "profile: stripe-v1\nreplay: {marker: {name: X}, level: may}\nkey: {in: query, name: token}\n")
	after, err := ProfileNamed("stripe-v1", ".")
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestKeyElsewhereForgetsTheHeader(t *testing.T) {
	t.Parallel()
	p := parsed(t, "profile: ietf-draft-07\nkey: {in: body, name: /key}\n").Profile
	assert.Equal(t, Key{In: InBody, Name: "/key", Claim: Claim{Level: Must, Provenance: Documented, Source: fileSource}}, p.Key)
	_, err := Parse("x.yaml", []byte(mergeHead+"profile: ietf-draft-07\nkey: {in: query}\n"), nil)
	assert.EqualError(t, err, "x.yaml:6:1: key needs a name")
}
