package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// flipsList is where what each flip came to is written down: profile, path, value and outcome, parted by tabs.
const flipsList = "testdata/flips.txt"

// flipsAnew is how the list is written anew.
const flipsAnew = "IDEMCHECK_ALL_FLIPS=1 go test ./cmd/idemcheck -run TestFlippedValues -update writes the list anew"

// documentedValue is a value that a profile documents, so that breaking it must be a finding.
type documentedValue struct {
	profile targets.Profile
	targets.ProfileValue
}

// name is that of the value among those of all profiles: "stripe-v1 replay.mode".
func (v documentedValue) name() string { return v.profile.Name + " " + v.Path() }

// line is the line of the value in the list.
func (v documentedValue) line(outcome string) string {
	return strings.Join([]string{v.profile.Name, v.Path(), v.Text, outcome}, "\t")
}

// documentedValues lists the documented values of all profiles.
func documentedValues(t *testing.T) []documentedValue {
	t.Helper()
	var list []documentedValue
	for _, name := range targets.ProfileNames() {
		p, err := targets.ProfileNamed(name, "")
		require.NoError(t, err)
		for _, v := range p.Values() {
			if v.Claim.Judged() {
				list = append(list, documentedValue{p, v})
			}
		}
	}
	return list
}

// flippedAlways are the values beside those of stripe-v1 that are flipped in every run of the tests: some of each kind that
// stripe-v1 has not.
var flippedAlways = []string{
	"adyen key.quoting", "adyen scope.user.mode", "aws-ec2 key.in", "azure-repeatable-requests key.companions",
	"braintree retention.max", "formance in_flight.code", "gocardless replay.id", "hubspot-upsert replay.flag", "klarna key.generator",
	"mollie mismatch.compares", "netsuite async.job", "netsuite async.status", "paypal missing.code", "plaid mismatch.compares",
	"procore-webhooks key.generator", "razorpay key.alphabet", "resend key.min_length", "shopify refused.at",
	"standard-webhooks delivery.horizon", "stripe-v2 scope.tenant.mode", "stripe-webhooks delivery.fact", "svix failures.timeout.mode",
	"svix replay.headers", "xero-webhooks delivery.ack",
}

// Profile and stand-in read one file, so that a green run alone would prove nothing: each documented value is changed in
// the stand-in alone, and a case that reads it must fail, as the list says; what the list calls unproven must not. That
// takes a service for each value, so that only some are flipped by default. IDEMCHECK_ALL_FLIPS flips them all, and with
// -update writes the list.
func TestFlippedValues(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	all := os.Getenv("IDEMCHECK_ALL_FLIPS") != ""
	listed := listedFlips(t)
	values := documentedValues(t)
	lines := make([]string, len(values))
	t.Run("each", func(t *testing.T) {
		for i, v := range values {
			if !all && v.profile.Name != "stripe-v1" && !slices.Contains(flippedAlways, v.name()) {
				continue
			}
			t.Run(v.profile.Name+"/"+v.Path(), func(t *testing.T) {
				t.Parallel()
				lines[i] = v.line(flipped(t, v, listed[v.name()]))
			})
		}
	})
	if all && *update && !t.Failed() {
		require.NoError(t, os.WriteFile(flipsList, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
}

// flipped flips a value and gives the outcome for its line. What is listed must come again, unless the list is written anew.
func flipped(t *testing.T, v documentedValue, listed string) string {
	t.Helper()
	as := v.profile
	on := ground(&as, v.ProfileValue)
	if on != "" { // without, TestStandIns shows the cases green
		for _, c := range reading(t, v, as) {
			assert.Contains(t, []reports.Verdict{reports.Pass, reports.NotApplicable}, c.Verdict, "%s on %s: %s", c.ID, on, c.Reason)
		}
	}
	var proofs []string
	if flip(&as, v.ProfileValue) {
		proofs = proofsBy(reading(t, v, as), on)
		for try := 1; try < triesOfRaces && !*update && notProven(v) == "" && !slices.Contains(proofs, listed); try++ {
			t.Logf("a race was missed, by run %d", try) // some values show only while a request runs
			proofs = proofsBy(reading(t, v, as), on)
		}
	}
	outcome := notProven(v)
	if len(proofs) > 0 {
		assert.Empty(t, outcome, "%s is no longer unproven: %s", v.name(), proofs[0])
		outcome = proofs[0]
	}
	assert.NotEmpty(t, outcome, "no case fails when the stand-in changes %s (%s), and unproven gives no reason", v.name(), v.Text)
	if !*update && len(proofs) > 0 {
		assert.Contains(t, proofs, listed, "%s: %s", v.name(), flipsAnew)
	}
	return outcome
}

// reading runs the cases that read a value on the stand-in for a profile that may be changed.
func reading(t *testing.T, v documentedValue, as targets.Profile) []reports.Case {
	t.Helper()
	ids := readersOfValue(v.profile, v.ProfileValue)
	r := check(t, standIn(t, as, v.profile.Name), append([]string{"replay-once", "webhook-twice"}, ids...)...)
	return slices.DeleteFunc(r.Cases, func(c reports.Case) bool { return !slices.Contains(ids, c.ID) })
}

// proofsBy gives what the cases that fail prove, in their order.
func proofsBy(cases []reports.Case, on string) []string {
	var list []string
	for _, c := range cases {
		if c.Verdict != reports.Fail {
			continue
		}
		kind, _, _ := strings.Cut(c.Reason, ":")
		proof := "proven by " + c.ID + " (" + kind + ")"
		if on != "" {
			proof += " on " + on
		}
		list = append(list, proof)
	}
	return list
}

// notProven gives the outcome of a value that no flip turns red; empty where unproven does not know it.
func notProven(v documentedValue) string {
	for why, names := range unproven {
		if slices.Contains(names, v.name()) {
			return "unproven: " + why
		}
	}
	return ""
}

// listedFlips reads the list: the outcome by the name of the value.
func listedFlips(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(flipsList)
	require.NoError(t, err)
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, parts, 4, line)
		list[parts[0]+" "+parts[1]] = parts[3]
	}
	return list
}

// The list has a line for each documented value and no other, in their order. What is not proven is in the table of those,
// with its reason, and nothing else is.
func TestFlipsList(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("it is written anew")
	}
	listed := listedFlips(t)
	var want strings.Builder
	open := map[string]bool{}
	for _, v := range documentedValues(t) {
		outcome := listed[v.name()]
		if why := notProven(v); why != "" {
			outcome, open[v.name()] = why, true
		}
		assert.Regexp(t, `^(proven by \S+ \([a-z-]+\)( on .+)?|unproven: .+)$`, outcome, v.name())
		want.WriteString(v.line(outcome) + "\n")
	}
	for why, names := range unproven {
		for _, name := range names {
			assert.True(t, open[name], "%s is excused (%s), and no profile documents it", name, why)
		}
	}
	got, err := os.ReadFile(flipsList)
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(got), flipsAnew)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.Contains(t, strings.Join(strings.Fields(string(readme)), " "), fmt.Sprintf("each of the %d values; %d are unproven", len(listed), len(open)))
}
