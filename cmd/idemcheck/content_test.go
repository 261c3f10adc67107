package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// asItIs leaves the target file of a stand-in as it is.
func asItIs(text string) string { return text }

// sendTwice are the cases that send two keys, or one key that may count as another: a content filter would refuse the second
// write if it were equal.
var sendTwice = []string{"different-key", "two-keys-in-turn", "K2[own-key]", "K5", "K6*", "distinct-keys-together", "double-send[2]",
	"key-*", "empty-key", "payload-compared", "turned-away*", "refusal-*", "replay-at-the-limit", "another-caller", "revoked-caller",
	"expir*"}

// A second guard beside the key makes no false alarm in the cases that are about other things: each key has content of its
// own there, and what may rightly come of a key that is no longer kept is refused by the guard as it documents.
func TestContentFilterStandsAside(t *testing.T) {
	t.Parallel()
	for name, seen := range map[string]string{"paypal": "each key of this case has content of its own at /invoice_id", "svix": "its content was still refused"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed(name, "")
			require.NoError(t, err)
			r := check(t, standInWith(t, reference.Options{Profile: &p}, name, asItIs), sendTwice...)
			notes := ""
			for _, c := range r.Cases {
				if c.Verdict != reports.NotApplicable {
					assertPasses(t, c)
				}
				for _, n := range c.Notes {
					notes += n.Text + "\n"
				}
			}
			assert.Contains(t, notes, seen)
			assert.Greater(t, r.Summary.Pass, 20)
		})
	}
}

// Each case about the content filter fails on a stand-in whose filter, or whose key, is not what its owner documents. Where
// a repeat is refused as undocumented as everything else, only content-hides-no-key sees that no key is looked at.
func TestContentFilterBroken(t *testing.T) {
	t.Parallel()
	filter := func(change func(*targets.ContentFilter)) func(*reference.Options) {
		return func(o *reference.Options) { change(&o.Profile.ContentFilter) }
	}
	ignored := func(o *reference.Options) { o.Defects = []string{"key-ignored"} }
	for name, c := range map[string]struct {
		profile string
		change  func(*reference.Options)
		breaks  map[string]reports.FindingKind
		holds   []string
	}{
		"none": {"svix", filter(func(f *targets.ContentFilter) { f.Compares = nil }),
			map[string]reports.FindingKind{"content-repeated": reports.Duplicate, "contents-in-turn": reports.Duplicate, "content-inside": reports.Duplicate},
			[]string{"content-hides-no-key", "content-outside"}},
		"too broad": {"formance", filter(func(f *targets.ContentFilter) { f.Compares = targets.Strings{"note"} }),
			map[string]reports.FindingKind{"contents-in-turn": reports.Lost}, []string{"content-repeated"}},
		"another status": {"paypal", filter(func(f *targets.ContentFilter) { f.Status = targets.Ints{400} }),
			map[string]reports.FindingKind{"content-repeated": reports.WrongStatus}, []string{"content-hides-no-key"}},
		"forgets early": {"braintree", filter(func(f *targets.ContentFilter) { f.Within = targets.Duration(20 * time.Second) }),
			map[string]reports.FindingKind{"content-inside": reports.Duplicate}, []string{"content-repeated", "content-outside"}},
		"never forgets": {"braintree", filter(func(f *targets.ContentFilter) { f.Within = 0 }),
			map[string]reports.FindingKind{"content-outside": reports.WrongStatus}, []string{"content-repeated", "content-inside"}},
		"hides a missing key check": {"wise", ignored,
			map[string]reports.FindingKind{"content-hides-no-key": reports.Duplicate}, []string{"replay-once", "K4", "content-repeated"}},
		"is seen to hide a missing key check": {"paypal", ignored,
			map[string]reports.FindingKind{"replay-once": reports.ReplayDiffers}, []string{"content-repeated"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed(c.profile, "")
			require.NoError(t, err)
			o := reference.Options{Profile: &p}
			c.change(&o)
			r := check(t, standInWith(t, o, c.profile, asItIs), "content*", "replay-once", "K4")
			for id, kind := range c.breaks {
				got := caseOf(t, r, id)
				assert.Equal(t, reports.Fail, got.Verdict, "%s: %s", id, got.Reason)
				assert.Contains(t, kinds(got), kind, "%s: %+v", id, got.Findings)
			}
			for _, id := range c.holds {
				assertPasses(t, caseOf(t, r, id))
			}
		})
	}
}

// A filter that is documented as less than a must breaks no more than that, and one that was only observed nothing at all.
func TestContentFilterStanding(t *testing.T) {
	t.Parallel()
	for standing, want := range map[string]struct {
		verdict reports.Verdict
		broken  targets.Level
	}{
		"level: should":                       {reports.Fail, targets.Should},
		"level: must, provenance: inferred":   {reports.Pass, ""},
		"level: must, provenance: documented": {reports.Fail, targets.Must},
	} {
		t.Run(standing, func(t *testing.T) {
			t.Parallel()
			p, err := targets.ProfileNamed("formance", "")
			require.NoError(t, err)
			p.ContentFilter = targets.ContentFilter{} // the stand-in has none
			r := check(t, standInWith(t, reference.Options{Profile: &p}, "formance", func(text string) string {
				return strings.Replace(text, "[/reference]}", "[/reference], "+standing+"}", 1)
			}), "content-repeated")
			c := caseOf(t, r, "content-repeated")
			assert.Equal(t, want.verdict, c.Verdict, c.Reason)
			assert.Equal(t, want.broken, c.Broken, "%+v", c.Findings)
			assert.Equal(t, 2, recordsOf(c))
		})
	}
}

// A clock that makes keys older does not make the filter forget: that its cases ran at another time is not shown, and a
// refusal of what an expired key sends again is still the filter's.
func TestContentFilterAndTheAgeOfKeys(t *testing.T) {
	t.Parallel()
	p, err := targets.ProfileNamed("braintree", "")
	require.NoError(t, err)
	s := startServiceWith(t, reference.Options{Profile: &p, Lease: embeddedLease})
	e := standInAt(t, s, "braintree", asItIs)
	e.Target.Clock = olderKeys(s)
	r := check(t, e, "content-inside", "content-outside", "expiry-outside")
	for _, id := range []string{"content-inside", "content-outside"} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.Inconclusive, c.Verdict, "%s: %s", id, c.Reason)
		assert.Contains(t, c.Reason, "the age of the key")
	}
	assertPasses(t, caseOf(t, r, "expiry-outside"))
}

// Where nobody says which members a documented filter compares, what it refuses is no finding, and no pass either.
func TestContentFilterUnplaced(t *testing.T) {
	t.Parallel()
	p, err := targets.ProfileNamed("paypal", "")
	require.NoError(t, err)
	unplaced := func(value string) reports.Report {
		return check(t, standInWith(t, reference.Options{Profile: &p}, "paypal", func(text string) string {
			text = strings.Replace(text, "content_filter: {members: [/invoice_id]}", "", 1)
			return strings.Replace(text, `invoice_id: "{{marker}}"`, `invoice_id: "`+value+`"`, 1)
		}), "different-key", "distinct-keys-together", "content*", "K4", "replay-once")
	}
	r := unplaced("{{event}}")
	for _, id := range []string{"different-key", "distinct-keys-together"} {
		c := caseOf(t, r, id)
		assert.Equal(t, reports.Inconclusive, c.Verdict, "%s: %s %+v", id, c.Reason, c.Findings)
		assert.Contains(t, c.Reason, "content_filter.members")
	}
	assert.Equal(t, reports.NotApplicable, caseOf(t, r, "content-repeated").Verdict)
	assertPasses(t, caseOf(t, r, "K4"))
	assert.Equal(t, exitUnsure, r.Outcome.Exit, r.Outcome.Reason)

	r = unplaced("{{marker}}") // which the two creates of the preflight share
	assert.Equal(t, exitUnsure, r.Outcome.Exit)
	assert.Contains(t, r.Outcome.Reason, "content_filter.members")
}
