package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// pasted is a curl command as a vendor's documentation gives it.
func pasted(url string) string {
	return "curl -X POST " + url + "/v1/orders \\\n  -H 'Authorization: Bearer sk_test_51H8s3cr3t' \\\n  -H 'Content-Type: application/json' \\\n" +
		`  -d '{"reference": "A-1001", "amount": 4200, "note": "leave it at the door"}'`
}

// verify runs the command with something on standard input.
func verify(stdin string, args ...string) (status int, out string) {
	var both bytes.Buffer
	status = run(append([]string{"verify"}, args...), strings.NewReader(stdin), &both, &both)
	return status, both.String()
}

// From a pasted command to a verdict: one command, and right about each way to keep or break the promise.
func TestVerify(t *testing.T) {
	t.Parallel()
	program := buildVendor(t)
	for mode, c := range map[string]struct {
		status int
		says   []string
	}{
		"honours": {exitOK, []string{"\nHONOURED (counted)", "the member reference", "Idempotent-Replayed: true", "up to 255 characters",
			"mismatch: refused, 422, $.error idempotency_key_reused", "in flight: refused, 409", "no key: carried out",
			"refused body: not kept", "written as it is"}},
		"ignores":                    {exitBroken, []string{"\nIGNORED (counted)", "made 2 records", "You must deduplicate yourself"}},
		"honours-but-races":          {exitBroken, []string{"\nPARTLY (counted)", "concurrency: 10 sends", "one worker at a time"}},
		"does-not-compare-payloads":  {exitBroken, []string{"\nPARTLY (counted)", "payload comparison:", "as if it had been carried out"}},
		"overwrites":                 {exitBroken, []string{"\nPARTLY (counted)", "payload comparison:", "changed the first record"}},
		"refuses-the-header":         {exitBroken, []string{"\nREFUSED", "unknown_header_idempotency_key", "You must deduplicate yourself"}},
		"eventually-consistent-list": {exitOK, []string{"\nHONOURED (counted)", "50 sends at the same moment: 3 of 3 rounds overlapped"}},
		"needs-a-key":                {exitOK, []string{"\nHONOURED (counted)", "no key: refused, 400, $.error idempotency_key_required"}},
		"rate-limits":                {exitOK, []string{"\nHONOURED (counted)"}},
		"content-filter":             {exitBroken, []string{"\nIGNORED (counted)", "equal payloads give one record under two keys"}},
		"refuses-repeats":            {exitBroken, []string{"\nPARTLY (counted)", "the first answer: a repeat is answered 409", "already_created"}},
		"quoted-keys":                {exitOK, []string{"\nHONOURED (counted)", "in double quotes"}},
		"list-never-shows":           {exitUnsure, []string{"\nCOULD NOT TELL", "never showed it", "--count"}},
		"not-json":                   {exitUnsure, []string{"\nCOULD NOT TELL", "no record id", "text/html", "--id"}},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			url := vendor(t, program, mode)
			status, out := verify(pasted(url), "--count", "GET "+url+"/v1/orders?reference={{marker}}", "--items", "$.data[*]", "--patience", "2s")
			plain := strings.Join(strings.Fields(out), " ")
			assert.Equal(t, c.status, status, "%s", out)
			for _, text := range c.says {
				if text[0] != '\n' {
					assert.Contains(t, plain, text)
				} else {
					assert.Contains(t, out, text)
				}
			}
			assert.Equal(t, 1, verdictsIn(out), "%s", out)
			assert.NotContains(t, out, "s3cr3t")
		})
	}
}

// verdictsIn counts the lines that begin with a verdict: there must be exactly one.
func verdictsIn(out string) int {
	n := 0
	for line := range strings.Lines(out) {
		for _, v := range []string{"HONOURED", "PARTLY", "IGNORED", "REFUSED", "COULD NOT TELL"} {
			if strings.HasPrefix(line, v) {
				n++
			}
		}
	}
	return n
}

// Weaker ways to count give weaker verdicts, and find what they can find.
func TestVerifyByIDs(t *testing.T) {
	t.Parallel()
	program := buildVendor(t)
	for mode, want := range map[string]string{
		"honours": "HONOURED (inferred)", "ignores": "IGNORED (inferred)", "honours-but-races": "PARTLY (inferred)",
		"does-not-compare-payloads": "PARTLY (inferred)", "content-filter": "IGNORED (inferred)", "list-never-shows": "HONOURED (inferred)",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, out := verify(pasted(vendor(t, program, mode)), "--count-ids")
			assert.Contains(t, out, "\n"+want)
		})
	}
}

// What was seen can be kept: the profile and the target file are read again, and a run with them passes.
func TestVerifySaves(t *testing.T) {
	t.Parallel()
	url := vendor(t, buildVendor(t), "honours")
	folder := t.TempDir()
	profile, target := filepath.Join(folder, "vendor-profile.yaml"), filepath.Join(folder, "vendor.yaml")
	args := []string{"--curl", pasted(url), "--count", "GET " + url + "/v1/orders?reference={{marker}}", "--profile", "stripe-v1",
		"--save-profile", profile, "--save-target", target, "--events", filepath.Join(folder, "e.ndjson"), "--report", "html=" + filepath.Join(folder, "r.html")}
	status, out := verify("", args...)
	require.Equal(t, exitOK, status, "%s", out)
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "mismatch: documented has the code $.error.type idempotency_error, seen $.error idempotency_key_reused")
	for _, name := range []string{"vendor-profile.yaml", "vendor.yaml", "e.ndjson", "r.html"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.NotEmpty(t, text)
		assert.NotContains(t, string(text), "s3cr3t")
	}
	p, err := targets.ProfileNamed(profile, "")
	require.NoError(t, err)
	assert.Equal(t, targets.Observed, p.Mismatch.Provenance)
	assert.Equal(t, targets.Ints{422}, p.Mismatch.Status)
	loaded, err := targets.Load(target, func(name string) (string, bool) {
		return "sk_test_51H8s3cr3t", name == "IDEMCHECK_SECRET_AUTHORIZATION"
	})
	require.NoError(t, err)
	assert.Equal(t, p.Name, loaded.Profile.Name)
	assert.Equal(t, "$.data[*]", loaded.Observers[0].List.Items)
	assert.Equal(t, "$.id", loaded.Observers[0].List.ID)

	status, out = verify("", args...)
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, out, "exists already")
}

// Mistakes are found before anything is sent, or said in one verdict.
func TestVerifyBadInput(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	program := buildVendor(t)
	honours := vendor(t, program, "honours")
	list := []string{"--count", honours + "/v1/orders?reference={{marker}}"}
	unauthorized := strings.Replace(pasted(honours), "Bearer ", "Basic ", 1)
	for name, c := range map[string]struct {
		stdin  string
		args   []string
		status int
		says   string
	}{
		"no way to count":        {pasted(honours), nil, exitUsage, "--count-ids (weaker)"},
		"two ways to count":      {pasted(honours), append(list, "--count-ids"), exitUsage, "exclude each other"},
		"an unknown option":      {"curl --dta x " + honours, list, exitUsage, "did you mean --data?"},
		"nothing":                {"", list, exitUsage, "it is empty"},
		"a GET":                  {"curl " + honours, list, exitUsage, "it is a GET"},
		"an unknown profile":     {pasted(honours), append(list, "--profile", "strip-v1"), exitUsage, `did you mean "stripe-v1"?`},
		"another host":           {pasted(honours), []string{"--count", "https://other.example/o?ref={{marker}}"}, exitUsage, "another host"},
		"not this machine":       {pasted("https://api.vendor.example"), []string{"--count-ids"}, exitUsage, "give --yes"},
		"to ask nobody":          {pasted(honours), []string{"--ask"}, exitUsage, "needs a terminal"},
		"--curl and --request":   {"", []string{"--count-ids", "--curl", "curl x", "--request", "POST http://x"}, exitUsage, "exclude each other"},
		"unreachable":            {pasted(closed.URL), []string{"--count-ids"}, exitUnsure, "COULD NOT TELL  the vendor gave no answer (unreachable)"},
		"unauthorized":           {unauthorized, list, exitUnsure, "COULD NOT TELL  the vendor refuses the credential: 401"},
		"no such path":           {strings.Replace(pasted(honours), "/v1/orders", "/v2/orders", 1), list, exitUnsure, "COULD NOT TELL  there is nothing at this address"},
		"no place for a marker":  {"curl " + honours + `/v1/orders --json '{"amount": 1, "currency": "EUR"}'`, list, exitUnsure, "COULD NOT TELL  there is no place"},
		"a refused create":       {"curl " + honours + `/v1/orders -H 'Authorization: Bearer x' --json '{"note": "x"}'`, list, exitUnsure, "COULD NOT TELL  the create is refused: 400"},
		"a list that is none":    {pasted(honours), []string{"--count", honours + "/v1/orders/1?x={{marker}}"}, exitUnsure, "COULD NOT TELL  the list call gives no JSON: 404"},
		"a report without a run": {"curl " + honours + `/v1/orders --json '{"amount": 1}'`, append(list, "--report", "json=/dev/null"), exitUnsure, "no case was run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, out := verify(c.stdin, c.args...)
			assert.Equal(t, c.status, status, "%s", out)
			assert.Contains(t, strings.ReplaceAll(out, "\n  ", " "), c.says)
			assert.NotContains(t, out, "s3cr3t")
		})
	}
}
