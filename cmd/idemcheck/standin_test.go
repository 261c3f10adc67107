package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// casesOf are the cases that read what a profile says, as far as it says something, and those of any used key.
func casesOf(p targets.Profile) []string {
	if p.Role == targets.RoleReceiver {
		return []string{"webhook-*"}
	}
	list := []string{"replay-once", "K2[baseline-key]", "K4", "missing-key", "double-send[10]", "batch-twice"}
	for _, section := range p.Sections() {
		if section.Claim.Provenance != targets.Unknown {
			list = append(list, readersOf(section.Path)...)
		}
	}
	return list
}

// standIn starts the reference API as one profile and opens it with the target file of another: with the same one both
// must agree.
func standIn(t *testing.T, as targets.Profile, documented string) *targets.Endpoint {
	t.Helper()
	return standInWith(t, reference.Options{Profile: &as}, documented, asItIs)
}

// standInWith is standIn with other options, and with a change to the target file.
func standInWith(t *testing.T, o reference.Options, documented string, change func(text string) string) *targets.Endpoint {
	t.Helper()
	o.Lease = embeddedLease
	return standInAt(t, startServiceWith(t, o), documented, change)
}

// standInAt opens a stand-in that was started.
func standInAt(t *testing.T, s *service, documented string, change func(text string) string) *targets.Endpoint {
	t.Helper()
	p, err := targets.ProfileNamed(documented, "")
	require.NoError(t, err)
	text, err := standInTarget(p, "http://"+s.addr)
	require.NoError(t, err)
	target, err := targets.Parse(documented+"-stand-in.yaml", []byte(change(string(text))), nil)
	require.NoError(t, err)
	target.Replicas = []string{"http://" + s.replica.addr}
	target.Settles, target.Lock = targets.Duration(2*time.Second), targets.Duration(embeddedLease)
	e, err := openHooks(t.Context(), target, nil)
	require.NoError(t, err)
	e.Restart = s.restart
	return e
}

// Each profile is green on its own stand-in.
func TestStandIns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	standIns(t)
}

// fewStandIns are those that are tried in every run of the tests: one of each kind of key, one whose writes are jobs, and a
// receiver.
var fewStandIns = []string{"ietf-draft-07", "netsuite", "shopify", "standard-webhooks", "upsert"}

func standIns(t *testing.T) {
	t.Helper()
	for _, name := range targets.ProfileNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed(name, "")
			require.NoError(t, err)
			if os.Getenv("IDEMCHECK_ALL_STANDINS") == "" && !slices.Contains(fewStandIns, name) {
				t.Skip("set IDEMCHECK_ALL_STANDINS to try it too (.ci/run does)")
			}
			r := check(t, standIn(t, p, name), casesOf(p)...)
			assert.Positive(t, r.Summary.Pass)
			for _, c := range r.Cases {
				if c.Verdict != reports.NotApplicable {
					assertPasses(t, c)
				}
			}
		})
	}
}
