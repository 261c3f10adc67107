package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
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
