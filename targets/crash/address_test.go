package crash

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"postgres://u:p@db:5433/orders?sslmode=disable": "db:5433 postgres://u:p@H:1/orders?sslmode=disable",
		"postgres://u:p%40x@db/orders":                  "db:5432 postgres://u:p%40x@H:1/orders",
		"postgres://u:p@x@db/orders":                    "db:5432 postgres://u:p@x@H:1/orders",
		"postgresql://[::1]:7/orders":                   "[::1]:7 postgresql://H:1/orders",
		"postgresql://[::1]/orders":                     "[::1]:5432 postgresql://H:1/orders",
		"jdbc:postgresql://db:5432/orders?user=u":       "db:5432 jdbc:postgresql://H:1/orders?user=u",
		"u:p@tcp(db:3306)/orders?parseTime=true":        "db:3306 u:p@tcp(H:1)/orders?parseTime=true",
		"host=db port=5433 dbname=orders":               "db:5433 host=H port=1 dbname=orders",
		"port=5433 dbname=orders host='db'":             "db:5433 port=1 dbname=orders host=H",
		"dbname=orders host=db user=u":                  "db:5432 dbname=orders host=H port=1 user=u",
		"db:6379":                                       "db:6379 H:1",
		"redis://db:6379/0":                             "db:6379 redis://H:1/0",
	} {
		a, err := parseAddress(written, Postgres)
		require.NoError(t, err, written)
		assert.Equal(t, want, strings.Replace(a.hostPort, "db:3306", "db:3306", 1)+" "+a.at("H:1"), written)
	}
}

func TestParseAddressRefuses(t *testing.T) {
	t.Parallel()
	for written, words := range map[string]string{
		"": "neither", "db": "neither", "sqlite.db": "neither", "postgres://u:secret@a:1,b:2/orders": "several hosts",
		"postgres:///orders": "no host", "host=/run/postgresql dbname=o": "socket", "dbname=o port=1": "no host",
		"host=a host=b": "twice", "postgres://%2Frun/orders": "socket",
	} {
		_, err := parseAddress(written, Postgres)
		require.ErrorContains(t, err, words, written)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := parseAddress("redis://db/0", TCP)
	require.ErrorContains(t, err, "no port")
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"postgres://u:p@db:5433/o", "host=a port=1", "u@tcp(h:1)/x", "a:1", "host='a b' port='2'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAddress(s, Postgres)
		if err != nil {
			return
		}
		if _, _, err := net.SplitHostPort(a.hostPort); err != nil {
			t.Fatalf("%q: %q is not host:port", s, a.hostPort)
		}
		if !strings.Contains(a.at("there:17"), "there") {
			t.Fatalf("%q: the new host is not in %q", s, a.at("there:17"))
		}
	})
}

func TestUpstreamTLS(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"postgres://db/o": "plain", "postgres://db/o?sslmode=disable": "plain", "postgres://db/o?sslmode=prefer": "plain",
		"postgres://db/o?sslmode=require": "tls", "host=db sslmode='require'": "tls",
		"postgres://db/o?sslmode=verify-full":     "sslmode=require for the test",
		"postgres://db/o?channel_binding=require": "channel binding",
	} {
		config, err := upstreamTLS(written, Postgres, "db:1")
		switch want {
		case "plain":
			assert.Nil(t, config, written)
		case "tls":
			assert.NotNil(t, config, written)
		default:
			assert.ErrorContains(t, err, want, written)
		}
	}
	_, err := upstreamTLS("u@tcp(db:1)/o?tls=true", MySQL, "db:1")
	assert.ErrorContains(t, err, "switch it off")
}

func TestThrough(t *testing.T) {
	t.Parallel()
	section := &targets.Through{Env: "DATABASE_URL", Protocol: "postgres"}
	f := startFake(t)
	p, rewritten, err := Through(t.Context(), section, "postgres://u:p@database:5432/o", "", "gateway.internal", func(hostPort string) string {
		assert.Equal(t, "database:5432", hostPort)
		return f.listener.Addr().String()
	})
	require.NoError(t, err)
	defer p.Close()
	host, port, err := net.SplitHostPort(p.Addr())
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", host)
	assert.Equal(t, "postgres://u:p@gateway.internal:"+port+"/o", rewritten)
	_, _, err = Through(context.Background(), section, "nonsense with secret", "", "", nil)
	require.ErrorContains(t, err, "DATABASE_URL")
	assert.NotContains(t, err.Error(), "secret")
}
