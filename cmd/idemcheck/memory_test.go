//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wordy is an API that keeps the promise of its keys and answers at length. Whenever its orders are listed, seen is
// called.
func wordy(t *testing.T, seen func()) string {
	var mu sync.Mutex
	var bodies []string
	byKey := map[string]int{}
	filler := strings.Repeat("as said before ", 8<<10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		var order struct{ Note string }
		_ = json.NewDecoder(r.Body).Decode(&order) // what is none has no note
		mu.Lock()
		id, known := byKey[r.Header.Get("Idempotency-Key")]
		if !known {
			bodies = append(bodies, order.Note)
			id = len(bodies)
			byKey[r.Header.Get("Idempotency-Key")] = id
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id": "%d", "filler": %q}`, id, filler)
	})
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		seen()
		mu.Lock()
		defer mu.Unlock()
		var found []string
		for i, note := range bodies {
			if strings.Contains(note, r.URL.Query().Get("q")) {
				found = append(found, fmt.Sprintf(`{"id": "%d"}`, i+1))
			}
		}
		fmt.Fprintf(w, `{"orders": [%s]}`, strings.Join(found, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// wordyTarget describes it.
const wordyTarget = `name: wordy
profile: ietf-draft-07
url: %s
limits: {records: 5000}
operations:
  create-order:
    request: POST /orders
    body: {event: "{{event}}", note: "{{payload}} {{marker}}"}
    id: $.id
observers:
  - name: orders
    list: {request: "GET /orders?q={{marker}}", items: "$.orders[*]", id: $.id}
`

// replays writes a feature with n cases of three requests each.
func replays(n int) string {
	var b strings.Builder
	b.WriteString("Feature: Many\n\n")
	for i := range n {
		fmt.Fprintf(&b, `  @id:many-%d @must @ref:https://example.com/many
  Scenario: Replay %[1]d
    When the operation is sent as "first"
    And the operation is sent again as "second" with the same key
    And the operation is sent again as "third" with the same key
    Then exactly 1 record exists

`, i)
	}
	return b.String()
}

// peak runs n cases and gives the most memory that it had taken when its records were counted for the last time, in MB.
func peak(t *testing.T, n int) (most int64) {
	t.Helper()
	dir := t.TempDir()
	var mu sync.Mutex
	var pid int
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, highWater(t, pid))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "target.yaml"), fmt.Appendf(nil, wordyTarget, wordy(t, look)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many.feature"), []byte(replays(n)), 0o600))
	cmd := exec.Command(installed(t), "run", "--target", "target.yaml", "--scenarios", "many.feature", "--no-builtin")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGC=20") // what lies about is not what is kept
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	mu.Lock()
	require.NoError(t, cmd.Start())
	pid = cmd.Process.Pid
	mu.Unlock()
	require.NoError(t, cmd.Wait(), "%s", &out)
	require.Contains(t, out.String(), fmt.Sprintf("%d cases: %[1]d pass", n))
	require.Positive(t, most)
	return most
}

// highWater gives the most memory that a process has taken so far, in MB. What the system says when a process has ended
// counts that of its parent as well.
func highWater(t *testing.T, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	assert.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	_, err = fmt.Sscan(rest, &kib)
	assert.NoError(t, err)
	return kib >> 10
}

// The memory of a run does not grow with what its cases have seen: 300 more cases have answers of 100 MB.
func TestMemoryOfARun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	few, many := peak(t, 100), peak(t, 400)
	assert.Less(t, many-few, int64(30), "%d and %d MB", few, many)
	t.Logf("100 cases: %d MB, 400 cases: %d MB", few, many)
}
