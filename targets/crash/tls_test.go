package crash

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// insecure trusts anything.
func insecure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

func TestTLS(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		options Options
		params  []string
		secure  bool
		words   string
	}{
		{"require", Options{}, []string{"sslmode=require"}, true, ""},
		{"prefer", Options{}, []string{"sslmode=prefer"}, true, ""},
		{"direct", Options{}, []string{"sslmode=require", "sslnegotiation=direct"}, true, ""},
		{"plain prefer", Options{PlainClients: true}, []string{"sslmode=prefer"}, false, ""},
		{"plain require", Options{PlainClients: true}, []string{"sslmode=require"}, false, "refused TLS"},
		{"unknown", Options{}, []string{"sslmode=verify-full"}, false, "certificate"},
		{"binding", Options{}, []string{"sslmode=require", "channel_binding=require"}, false, "channel binding required"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, _, through := realPostgres(t, row.options, row.params...)
			tryTLS(t, through, row.secure, row.words)
		})
	}
	t.Run("known", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "ca.pem")
		p, _, through := realPostgres(t, Options{}, "sslmode=verify-full", "sslrootcert="+file)
		ca, err := p.CA()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, ca, 0o600))
		tryTLS(t, through, true, "")
	})
}

// tryTLS connects, and asks something.
func tryTLS(t *testing.T, dsn string, secure bool, words string) {
	conn, err := pgx.Connect(t.Context(), dsn)
	if words != "" {
		require.ErrorContains(t, err, words)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, secure, isTLS(conn))
	_, err = conn.Exec(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

func TestTLSUpstream(t *testing.T) {
	t.Parallel()
	inner, _, _ := realPostgres(t, Options{})
	outer := startProxy(t, Options{Upstream: inner.Addr(), Protocol: Postgres, TLSUpstream: insecure()})
	own, err := pgx.ParseConfig(os.Getenv("IDEMCHECK_TEST_POSTGRES"))
	require.NoError(t, err)
	for _, mode := range []string{"disable", "require"} {
		stop := outer.Record()
		tryTLS(t, "postgres://"+own.User+":"+own.Password+"@"+outer.Addr()+"/postgres?sslmode="+mode, mode == "require", "")
		assert.Contains(t, labels(stop()), "SELECT 1")
	}
}

// bindingServer offers channel binding over TLS, and gives what the client chooses.
func bindingServer(t *testing.T) (addr string, chosen <-chan string) {
	ca, err := newAuthority()
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	answers := make(chan string, 2)
	go func() {
		defer close(answers)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			io.ReadFull(c, make([]byte, 8)) //nolint:errcheck // a test
			c.Write([]byte{'S'})            //nolint:errcheck // a test
			secure := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{ca.leaf}})
			b := pgproto3.NewBackend(secure, secure)
			b.ReceiveStartupMessage() //nolint:errcheck // a test
			b.Send(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"}})
			b.Flush()                            //nolint:errcheck // a test
			b.SetAuthType(pgproto3.AuthTypeSASL) //nolint:errcheck // a test
			if m, err := b.Receive(); err == nil {
				first := m.(*pgproto3.SASLInitialResponse)
				answers <- first.AuthMechanism + " " + string(first.Data[:3])
			}
			c.Close()
		}
	}()
	return listener.Addr().String(), answers
}

func TestChannelBinding(t *testing.T) {
	t.Parallel()
	addr, chosen := bindingServer(t)
	p := startProxy(t, Options{Upstream: addr, Protocol: Postgres, TLSUpstream: insecure()})
	_, err := pgx.Connect(t.Context(), "postgres://x:y@"+p.Addr()+"/z?sslmode=require")
	require.ErrorContains(t, err, "set channel_binding=disable, or sslmode=disable")
	_, err = pgx.Connect(t.Context(), "postgres://x:y@"+p.Addr()+"/z?sslmode=disable")
	require.Error(t, err)
	assert.Equal(t, "SCRAM-SHA-256 n,,", <-chosen)
	_, err = pgx.Connect(t.Context(), "postgres://x:y@"+p.Addr()+"/z?sslmode=require&channel_binding=disable")
	require.Error(t, err)
	assert.Equal(t, "SCRAM-SHA-256 n,,", <-chosen)
}
