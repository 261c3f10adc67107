package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// shapedVendor is a server that answers in the shape of one vendor; broken names what it does wrong.
type shapedVendor struct {
	answer func(v *shapedVendor, w http.ResponseWriter, r *http.Request, body string)
	broken string

	mu    sync.Mutex
	notes []string       // of the records, by number
	keys  map[string]int // which record a key has made
	polls map[string]int
}

func (v *shapedVendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if q := r.URL.Query().Get("q"); q != "" {
		found := []map[string]any{}
		for i, note := range v.notes {
			if strings.Contains(note, q) {
				found = append(found, map[string]any{"id": fmt.Sprint(i)})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"list": found})
		return
	}
	body, _ := io.ReadAll(r.Body)
	v.answer(v, w, r, string(body))
}

// record makes the record of a key, unless it is there.
func (v *shapedVendor) record(key, note string) (id int, isNew bool) {
	if id, ok := v.keys[key]; ok && v.broken != "twice" {
		return id, false
	}
	v.notes = append(v.notes, note)
	v.keys[key] = len(v.notes) - 1
	return v.keys[key], true
}

// likeNetSuite accepts a write, does it when its job is asked for a second time, and refuses a repeat with the job.
func likeNetSuite(v *shapedVendor, w http.ResponseWriter, r *http.Request, body string) {
	job := strings.TrimPrefix(r.URL.Path, "/jobs/")
	switch {
	case r.Method == http.MethodPost && r.Header.Get("Prefer") != "respond-async":
		w.WriteHeader(http.StatusBadRequest)
	case r.Method == http.MethodPost:
		key := r.Header.Get("X-NetSuite-idempotency-key")
		status := http.StatusAccepted
		if _, known := v.keys[key]; known && v.broken != "twice" {
			status = http.StatusBadRequest
		}
		if v.polls[key+" body"]++; v.broken == "twice" {
			key = fmt.Sprintf("%s-%d", key, v.polls[key+" body"])
		}
		if _, known := v.keys[key]; !known {
			v.record(key, body)
		}
		if status == http.StatusBadRequest && v.broken == "other job" {
			key = "other" // which is that of record 0
		}
		switch {
		case status == http.StatusAccepted && v.broken == "no job":
		case status == http.StatusAccepted && v.broken == "accepted as done":
			status = http.StatusOK
			fallthrough
		default:
			w.Header().Set("Location", "/jobs/"+key)
		}
		w.WriteHeader(status)
	case strings.HasPrefix(r.URL.Path, "/results/") && v.broken == "job fails" && len(v.notes) > 2: // after the preflight
		w.WriteHeader(http.StatusInternalServerError)
	case strings.HasPrefix(r.URL.Path, "/results/"):
		fmt.Fprintf(w, `{"id":"%s"}`, strings.TrimPrefix(r.URL.Path, "/results/"))
	case v.broken == "abandoned", v.broken == "busy" && v.polls[job] == 1:
		v.polls[job]++
		w.WriteHeader(http.StatusServiceUnavailable)
	case v.polls[job] == 0 || v.broken == "never ends":
		v.polls[job]++
		fmt.Fprint(w, `{"completed":false}`)
	default:
		fmt.Fprintf(w, `{"completed":true,"result":"/results/%d"}`, v.keys[job])
	}
}

// likeShopify takes the key in a directive, and answers every request with 200.
func likeShopify(v *shapedVendor, w http.ResponseWriter, _ *http.Request, body string) {
	_, rest, _ := strings.Cut(body, `@idempotent(key: \"`)
	key, _, _ := strings.Cut(rest, `\"`)
	if id, known := v.keys[key]; known && v.notes[id] != body && v.broken == "" {
		fmt.Fprint(w, `{"data":{"refund":{"userErrors":[{"code":"IDEMPOTENCY_KEY_PARAMETER_MISMATCH","message":"no"}]}}}`)
		return
	}
	id, _ := v.record(key, body)
	fmt.Fprintf(w, `{"data":{"refund":{"id":"%d","userErrors":[]}}}`, id)
}

// likeHubSpot has a unique member, and says of each write whether the record is new.
func likeHubSpot(v *shapedVendor, w http.ResponseWriter, _ *http.Request, body string) {
	var in struct{ Email string }
	_ = json.Unmarshal([]byte(body), &in)
	id, isNew := v.record(in.Email, body)
	fmt.Fprintf(w, `{"results":[{"id":"%d","new":%t}]}`, id, isNew || v.broken == "always new")
}

// likeReceiver acknowledges each delivery, and acts once on each event.
func likeReceiver(v *shapedVendor, w http.ResponseWriter, r *http.Request, body string) {
	_, isNew := v.record(r.Header.Get("Webhook-Id"), body)
	switch {
	case !isNew && v.broken == "refuses":
		w.WriteHeader(http.StatusConflict)
		return
	case !isNew && v.broken == "dawdles":
		<-r.Context().Done() // until its sender has given up
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

const vendorHead = `
name: vendor
observers: [{name: list, list: {request: "GET /?q={{marker}}", items: "$.list[*]", id: $.id}}]
`

// Each shape of an answer is taken for what its profile documents, and what breaks the promise is found.
func TestVendorShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(*shapedVendor, http.ResponseWriter, *http.Request, string)
		file   string
		cases  []string
		broken map[string]reports.FindingKind // what is wrong, and the finding of replay-once
	}{
		"netsuite": {likeNetSuite, `
profile: netsuite
async: {result: $.result}
switches: {slow: {Test-Slow: "{{duration}}"}}
operations: {create: {request: POST /, body: {note: "{{payload}} {{marker}}"}, id: $.id}}`,
			[]string{"first-request", "replay-once", "second-while-running"},
			map[string]reports.FindingKind{"twice": reports.KeyIgnored, "other job": reports.ReplayDiffers,
				"no job": reports.WrongStatus, "accepted as done": reports.WrongStatus}},
		"shopify": {likeShopify, `
profile: shopify
operations: {create: {request: POST /, body: {query: "mutation { refund(note: \"{{payload}} {{marker}}\") { id } }"}, id: $.data.refund.id}}`,
			[]string{"first-request", "replay-once", "double-send-two-payloads", "different-key"},
			map[string]reports.FindingKind{"twice": reports.KeyIgnored}},
		"hubspot-upsert": {likeHubSpot, `
profile: hubspot-upsert
key: {in: body, name: /email}
operations: {create: {request: POST /, body: {email: "", note: "{{payload}} {{marker}}"}, id: "$.results[0].id"}}`,
			[]string{"first-request", "replay-once", "different-key"},
			map[string]reports.FindingKind{"twice": reports.KeyIgnored, "always new": reports.ReplayDiffers}},
		"standard-webhooks": {likeReceiver, `
profile: standard-webhooks
operations: {receive: {request: POST /, body: {note: "{{payload}} {{marker}}"}}}`,
			[]string{"first-request", "replay-once", "replay-three-times", "different-key"},
			map[string]reports.FindingKind{"twice": reports.Duplicate, "refuses": reports.ReplayDiffers}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := checkVendor(t, &shapedVendor{answer: c.answer}, c.file, c.cases...)
			for _, id := range c.cases {
				assertPasses(t, caseOf(t, report, id))
			}
			for broken, kind := range c.broken {
				report := checkVendor(t, &shapedVendor{answer: c.answer, broken: broken}, c.file, "replay-once")
				findings := caseOf(t, report, "replay-once").Findings
				require.NotEmpty(t, findings, "%s: %+v", broken, caseOf(t, report, "replay-once"))
				kinds := map[reports.FindingKind]bool{}
				for _, f := range findings {
					kinds[f.Kind] = true
				}
				assert.True(t, kinds[kind], "%s: %+v", broken, findings)
			}
		})
	}
}

// TestJobsThatComeToNothing: what is never done, or fails, is no success, however friendly its 202 was. A job that cannot
// be told of for a moment is asked for again.
func TestJobsThatComeToNothing(t *testing.T) {
	t.Parallel()
	for broken, kind := range map[string]reports.FindingKind{
		"never ends": reports.Stuck, "job fails": reports.ServerError, "abandoned": reports.Stuck, "busy": "",
	} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			report := checkVendor(t, &shapedVendor{answer: likeNetSuite, broken: broken}, `
profile: netsuite
settles: 1s
async: {result: $.result}
operations: {create: {request: POST /, body: {note: "{{marker}}"}, id: $.id}}`, "first-request")
			c := caseOf(t, report, "first-request")
			if kind == "" {
				assertPasses(t, c)
				return
			}
			require.NotEmpty(t, c.Findings)
			assert.Equal(t, kind, c.Findings[0].Kind)
		})
	}
}

func checkVendor(t *testing.T, v *shapedVendor, file string, only ...string) reports.Report {
	t.Helper()
	v.keys, v.polls = map[string]int{}, map[string]int{}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	target, err := targets.Parse("vendor.yaml", []byte(vendorHead+"url: "+server.URL+file+"\n"), nil)
	require.NoError(t, err)
	e, err := openURL(t.Context(), target, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return check(t, e, only...)
}
