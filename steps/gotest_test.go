package steps_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
)

// ordersTarget describes the orders API to idemcheck.
const ordersTarget = `
name: orders
profile: ietf-draft-07
url: ${IDEMCHECK_URL}
operations:
  create-order:
    request: POST /orders
    body: {event: "{{event}}", account: "{{target_record}}", note: "{{payload}} {{marker}}"}
    id: $.id
    read: GET /orders/{{id}}
observers:
  - name: orders
    list: {request: "GET /orders?q={{marker}}", items: "$.orders[*]", id: $.id}
`

// orders is an API that creates orders and keeps the promise of its keys, unless it is careless.
type orders struct {
	careless bool // it looks at no key

	mu     sync.Mutex
	all    []order
	byKey  map[string]order
	bodies map[string]string
}

type order struct {
	ID   string `json:"id"`
	Note string `json:"note"`
}

func newOrders() *orders { return &orders{byKey: map[string]order{}, bodies: map[string]string{}} }

func (o *orders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // half a request is none
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		if _, id, one := strings.Cut(r.URL.Path, "/orders/"); one {
			o.show(w, id)
			return
		}
		found := []order{}
		for _, one := range o.all {
			if strings.Contains(one.Note, r.URL.Query().Get("q")) {
				found = append(found, one)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"orders": found})
		return
	}
	var value any
	_ = json.Unmarshal(body, &value)
	body, _ = json.Marshal(value) // equal values are equal requests
	key := r.Header.Get("Idempotency-Key")
	made, known := o.byKey[key]
	switch {
	case key == "":
		w.WriteHeader(http.StatusBadRequest)
	case known && !o.careless && o.bodies[key] != string(body):
		w.WriteHeader(http.StatusUnprocessableEntity)
	case known && !o.careless:
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(made)
	default:
		made = order{ID: fmt.Sprint("O", len(o.all)+1)}
		if err := json.Unmarshal(body, &made); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		o.all, o.byKey[key], o.bodies[key] = append(o.all, made), made, string(body)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(made)
	}
}

func (o *orders) show(w http.ResponseWriter, id string) {
	for _, one := range o.all {
		if one.ID == id {
			_ = json.NewEncoder(w).Encode(one)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

// few are cases that take no time.
var few = []string{"first-request", "replay-*", "different-key", "K4", "K5"}

func TestHandlerThatKeepsItsPromise(t *testing.T) {
	t.Parallel()
	var events bytes.Buffer
	steps.Test(t, steps.TestOptions{Handler: newOrders(), YAML: ordersTarget, Only: few, Events: &events})
	read, err := reports.ReadEvents(&events)
	require.NoError(t, err)
	r := reports.Fold(read)
	assert.True(t, r.Complete)
	assert.Greater(t, r.Summary.Pass, 5)
}

// childTest is the variable that tells this program, run by itself, which broken test to be.
const childTest = "IDEMCHECK_CHILD_TEST"

// TestChild is a test that must not pass; TestFailures runs it in a process of its own.
func TestChild(t *testing.T) {
	o := steps.TestOptions{YAML: ordersTarget, Only: few}
	switch os.Getenv(childTest) {
	case "careless":
		o.Handler = &orders{careless: true, byKey: map[string]order{}, bodies: map[string]string{}}
	case "known":
		o.Handler = newOrders()
		o.YAML += "known: [{case: first-request, finding: lost, reason: ORD-1, until: 2999-01-31}]\n"
	case "uncounted":
		o.Handler = newOrders()
		o.YAML, _, _ = strings.Cut(o.YAML, "observers:")
	case "down":
		o.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	case "nobody":
		o.Handler, o.Only = newOrders(), []string{"K99"}
	case "twofold":
		o.File = "x.yaml"
	default:
		t.Skip("not run by itself")
	}
	steps.Test(t, o)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, said := range map[string][]string{
		"careless": {"--- FAIL: TestChild/replay-once", "duplicate", "1 expected, 2 found", "--- PASS: TestChild/first-request",
			"--- SKIP: TestChild/K4", "replay-once did not pass"},
		"known":     {"--- PASS: TestChild/first-request", "lost did not come", "target.yaml:14"},
		"uncounted": {"add an observer"},
		"down":      {"500"},
		"nobody":    {`no case is called "K99"`},
		"twofold":   {"either File or YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
			cmd.Env = append(os.Environ(), childTest+"="+name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "%s", out)
			for _, text := range append(said, "--- FAIL: TestChild") {
				assert.Contains(t, string(out), text)
			}
		})
	}
}
