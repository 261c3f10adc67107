package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// A double send goes out by what the target speaks, and the report says how.
func TestTechniques(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start func(*httptest.Server)
		want  string
	}{
		"HTTP/1.1":           {(*httptest.Server).Start, "last body byte withheld"},
		"HTTP/1.1 over TLS":  {(*httptest.Server).StartTLS, "last body byte withheld"},
		"HTTP/2 over TLS":    {func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, "HTTP/2, last frames of all requests in one write"},
		"HTTP/2 without TLS": {startH2C, "HTTP/2, last frames of all requests in one write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for broken, want := range map[bool]reports.Verdict{false: reports.Pass, true: reports.Fail} {
				r := check(t, serverEndpoint(t, newShop(func(s *shop) { s.racy = broken }), c.start), "double-send[10]")
				got := caseOf(t, r, "double-send[10]")
				assert.Equal(t, want, got.Verdict, "racy %t: %s", broken, got.Reason)
				require.NotNil(t, got.Overlap)
				assert.Contains(t, got.Overlap.Technique, c.want)
				assert.Equal(t, broken, got.Overlap.Raced > 0)
				assert.Positive(t, got.Overlap.ResolvedUS)
			}
		})
	}
}

func startH2C(s *httptest.Server) {
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
}

// serverEndpoint opens a shop that is served in one of these ways.
func serverEndpoint(t *testing.T, h http.Handler, start func(*httptest.Server)) *targets.Endpoint {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	start(server)
	t.Cleanup(server.Close)
	target, err := targets.Parse("shop.yaml", []byte(strings.Replace(shopFile, "URL", server.URL, 1)), func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	target.H2C = server.Config.Protocols != nil && server.TLS == nil
	if cert := server.Certificate(); cert != nil {
		path := filepath.Join(t.TempDir(), "ca.pem")
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}), 0o600))
		target.TLS.CA = path
	}
	e, err := openURL(t.Context(), target, nil)
	require.NoError(t, err)
	return e
}

// Twenty rounds of two hundred sends go through, and each round makes one record.
func TestManySends(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*httptest.Server){"HTTP/1.1": (*httptest.Server).Start, "HTTP/2": startH2C} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serverEndpoint(t, newShop(), start)
			for round := range 20 {
				key := fmt.Sprintf("round-%d", round)
				vars := targets.Vars{"event": "E", "target_record": "A", "payload": "P", "marker": key}
				a, err := e.Target.Operations[0].Build(e.URL, nil, vars)
				require.NoError(t, err)
				require.NoError(t, targets.Place(e.Target.Profile.Key, key, &a))
				b := burst.Send(t.Context(), e.Sender, slices.Repeat([]targets.Attempt{a}, 200), burst.Options{})
				require.Len(t, b.Exchanges, 200)
				ids := map[string]bool{}
				for _, x := range b.Exchanges {
					require.True(t, x.Succeeded(), "%s %s", x.Failure, x.Err)
					ids[e.Target.Operations[0].RecordID(x)] = true
				}
				assert.Len(t, ids, 1, "round %d", round)
			}
		})
	}
}
