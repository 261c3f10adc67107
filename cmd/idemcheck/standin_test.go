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
	list := []string{"replay-once", "K2[baseline-key]", "K4", "missing-key"}
	for _, section := range p.Sections() {
		if section.Claim.Provenance != targets.Unknown {
			list = append(list, readersOf(section.Path)...)
		}
	}
	return list
}

// notStandIns are the profiles for which the reference cannot stand in yet.
var notStandIns = map[string]string{
	"netsuite": "its writes are jobs, which the reference does not know",
}

// standIn starts the reference API as one profile and opens it with the target file of another: with the same one both
// must agree.
func standIn(t *testing.T, as targets.Profile, documented string) *targets.Endpoint {
	t.Helper()
	s := startServiceWith(t, reference.Options{Profile: &as, Lease: embeddedLease})
	p, err := targets.ProfileNamed(documented, "")
	require.NoError(t, err)
	text, err := standInTarget(p, "http://"+s.addr)
	require.NoError(t, err)
	target, err := targets.Parse(documented+"-stand-in.yaml", text, nil)
	require.NoError(t, err)
	target.Replicas = []string{"http://" + s.replica.addr}
	target.Settles, target.Lock = targets.Duration(2*time.Second), targets.Duration(embeddedLease)
	e, err := openHooks(t.Context(), target, nil)
	require.NoError(t, err)
	e.Restart = s.restart
	return e
}

// withoutStandIn says why there is no stand-in for a profile; empty where there is one.
func withoutStandIn(p targets.Profile) string {
	if p.Role == targets.RoleReceiver {
		return "a receiver: the reference receives events of its own CRM only"
	}
	return notStandIns[p.Name]
}

// Each profile is green on its own stand-in.
func TestStandIns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	standIns(t)
}

// fewStandIns are those that are tried in every run of the tests: one of each kind of key.
var fewStandIns = []string{"ietf-draft-07", "shopify", "upsert"}

func standIns(t *testing.T) {
	t.Helper()
	for _, name := range targets.ProfileNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed(name, "")
			require.NoError(t, err)
			if why := withoutStandIn(p); why != "" {
				t.Skip(why)
			}
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

// unproven are the values that some flip leaves green, each with the reason. A claim is named by its path; those that only one
// profile is excused from carry its name.
var unproven = map[string]string{
	"store_down.mode":         "the store of the reference is within it and cannot be taken away",
	"replay.headers":          "the reference sends no header that a replay could lack",
	"in_flight.max_wait":      "no case holds a second request for as long",
	"in_flight.min_wait":      "a word to the sender: nothing is answered by it",
	"in_flight.mode":          "a refusal is permitted where waiting is documented, and where both are",
	"expired.mode":            "where only a floor of the retention is documented, nothing says when a key is gone",
	"missing.mode":            "where both are documented, both are permitted",
	"missing.code":            "of the two documented modes the stand-in shows the other",
	"mismatch.compares":       "which members are compared is tabulated, not judged",
	"failures.timeout.mode":   "no switch makes the reference give up",
	"counting.eventual":       "said of the observers",
	"counting.lookup":         "said of the observers",
	"content_filter.status":   "no case reads the second guard",
	"content_filter.compares": "no case reads the second guard",
	"content_filter.within":   "no case reads the second guard",
	"scope.method.mode":       "the reference has no operation with two methods",
	"scope.region.mode":       "the reference has no regions",
	"scope.partition.mode":    "the reference has no parts of an account",
	"scope.user.mode":         "no case reads it: another caller is judged by scope.credential",
	"key.generator":           "the reference does not look at how a key is made",
	"key.other_names":         "of other operations of the owner",
	"retention.configurable":  "said to the owner's customers",
	"retention.age":           "how a case makes time pass, which the target file says here",
	"refused.at":              "it shows in the codes beside it",
}

// Profile and stand-in read one file, so that a green run alone would prove nothing: each documented value is changed in
// the stand-in alone, and a case that reads it must no longer be green. That takes a service for each value, so that only
// one profile is flipped by default; IDEMCHECK_ALL_FLIPS flips every different value of all profiles, for minutes.
func TestFlippedValues(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	flipped := 0
	seen := map[string]bool{}
	for _, name := range targets.ProfileNames() {
		p, err := targets.ProfileNamed(name, "")
		require.NoError(t, err)
		if withoutStandIn(p) != "" || name != "stripe-v1" && os.Getenv("IDEMCHECK_ALL_FLIPS") == "" {
			continue
		}
		for _, v := range p.Values() {
			once := v.Path() + " " + v.Text
			if !v.Claim.Judged() || seen[once] {
				continue
			}
			seen[once] = true
			flipped++
			t.Run(name+"/"+v.Path(), func(t *testing.T) {
				t.Parallel()
				testFlip(t, name, v)
			})
		}
	}
	t.Logf("%d values", flipped)
}

func testFlip(t *testing.T, name string, v targets.ProfileValue) {
	p, err := targets.ProfileNamed(name, "")
	require.NoError(t, err)
	why, excused := unproven[v.Path()]
	if own, known := unproven[name+": "+v.Path()]; known {
		why, excused = own, true
	}
	if !flip(&p, v) {
		assert.True(t, excused, "%s: %s is not flipped, and no reason is given", name, v.Path())
		t.Logf("unproven: %s %s (%s): %s", name, v.Path(), v.Text, why)
		return
	}
	r := check(t, standIn(t, p, name), append([]string{"replay-once"}, readersOf(v.Section)...)...)
	for _, c := range r.Cases {
		if c.Verdict != reports.Pass && c.Verdict != reports.NotApplicable {
			t.Logf("proven: %s %s (%s) by %s", name, v.Path(), v.Text, c.ID)
			return
		}
	}
	assert.True(t, excused, "%s: no case turns red when the stand-in changes %s (%s)", name, v.Path(), v.Text)
	t.Logf("unproven: %s %s (%s): %s", name, v.Path(), v.Text, why)
}
