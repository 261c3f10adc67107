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

// BenchmarkCreate creates tasks under distinct keys from several clients, who take the servers on one file in turn.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("servers=%d", n), func(b *testing.B) { benchmarkCreate(b, n) })
	}
}

func benchmarkCreate(b *testing.B, n int) {
	path := filepath.Join(b.TempDir(), "store.db")
	var servers []*Server
	for range n {
		server, err := New(Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close() //nolint:errcheck // the benchmark is over
		servers = append(servers, server)
	}
	ask := func(server *Server, path, body, key string) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer reference-t1")
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w.Code
	}
	ask(servers[0], "/v1/approvals", `{"event":"E204","account":"A18"}`, "")
	var sent atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := sent.Add(1)
			if got := ask(servers[int(i)%n], "/v1/tasks", body("a"), fmt.Sprint(i)); got != http.StatusCreated {
				b.Errorf("got %d", got)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}
