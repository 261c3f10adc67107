package reference

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// BenchmarkCreate creates tasks under distinct keys from several clients.
func BenchmarkCreate(b *testing.B) {
	server, err := New(Options{Path: filepath.Join(b.TempDir(), "store.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close() //nolint:errcheck // the benchmark is over
	ask := func(path, body, key string) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer reference-t1")
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w.Code
	}
	ask("/v1/approvals", `{"event":"E204","account":"A18"}`, "")
	var n atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if got := ask("/v1/tasks", body("a"), fmt.Sprint(n.Add(1))); got != http.StatusCreated {
				b.Errorf("got %d", got)
			}
		}
	})
}
