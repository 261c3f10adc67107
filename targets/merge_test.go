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

// TestFileStandsOverKnobs: what a target file says of jobs, refusals and receivers stands over its profile, member by
// member, and leaves the profile of other targets alone.
func TestFileStandsOverKnobs(t *testing.T) {
	t.Parallel()
	p := parsed(t, `
profile: netsuite
async: {result: $.result}
refused: {at: "$.errors[*].message"}
delivery: {identity: header:webhook-id, deadline: 5s}
store_down: {mode: fail_closed, status: 503}
scope: {user: {mode: isolated}}
failures: {timeout: {mode: stored}}
key: {companions: {Prefer: "respond-async, wait=5"}, min_length: 8}
`).Profile
	said := Claim{Level: Must, Provenance: Documented, Source: fileSource}
	assert.Equal(t, &Async{Status: Ints{202}, Job: "header:Location", Done: &Code{At: "$.completed", In: Strings{"true"}}, Result: "$.result", Claim: said}, p.Async)
	assert.Equal(t, &Refused{Code: Code{At: "$.errors[*].message"}, Claim: said}, p.Refused)
	assert.Equal(t, Strings{"header:webhook-id"}, p.Delivery.Identity)
	assert.Equal(t, said, p.Delivery.Claim)
	assert.True(t, p.StoreDown.Has(ModeFailClosed))
	assert.True(t, p.Scope.User.Has(ModeIsolated))
	assert.True(t, p.Failures.Timeout.Has(ModeStored))
	assert.Equal(t, "X-NetSuite-idempotency-key", p.Key.Name)
	assert.Equal(t, "respond-async, wait=5", p.Key.Companions["Prefer"])
	assert.Equal(t, 8, p.Key.MinLength)
	untouched, err := ProfileNamed("netsuite", "")
	require.NoError(t, err)
	assert.Empty(t, untouched.Async.Result)
	bare := parsed(t, "async: {id: $.id}\n").Profile
	assert.Equal(t, &Async{Status: Ints{202}, Job: "header:Location", ID: "$.id", Claim: said}, bare.Async)
	longer := parsed(t, "profile: azure-repeatable-requests\nretention: {min: 1h}\n").Profile
	assert.Equal(t, Strings{"wait", "first_sent", "delete_key"}, longer.Retention.Age)
}
