package crash

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
)

// relay passes bytes on and does nothing else: what any proxy costs.
func relay(b *testing.B, upstream string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { listener.Close() })
	pipe := func(to, from net.Conn) {
		buf := make([]byte, bufferSize)
		for {
			n, err := from.Read(buf)
			if err != nil {
				to.Close()
				return
			}
			to.Write(buf[:n]) //nolint:errcheck // the other side ends it
		}
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", upstream)
			if err != nil {
				return
			}
			go pipe(c, s)
			go pipe(s, c)
		}
	}()
	return listener.Addr().String()
}

// BenchmarkQuery compares a query with and without the proxy, and with a proxy that does nothing.
func BenchmarkQuery(b *testing.B) {
	f := startFake(b)
	upstream := f.listener.Addr().String()
	p := before(b, f)
	for name, addr := range map[string]string{"direct": upstream, "relay": relay(b, upstream), "proxy": p.Addr()} {
		b.Run(name, func(b *testing.B) {
			config, err := pgx.ParseConfig("postgres://x@" + addr + "/y?sslmode=disable&default_query_exec_mode=simple_protocol")
			require.NoError(b, err)
			conn, err := pgx.ConnectConfig(b.Context(), config)
			require.NoError(b, err)
			defer conn.Close(b.Context())
			for b.Loop() {
				require.NoError(b, conn.PgConn().Exec(b.Context(), "INSERT INTO orders VALUES (1)").Close())
			}
		})
	}
}

// BenchmarkLabel is what it costs to read the label of a unit.
func BenchmarkLabel(b *testing.B) {
	body := encode(b, &pgproto3.Query{String: "INSERT INTO orders (id, customer, amount, note) VALUES ('a', 'b', 3, 'c') RETURNING id"})[pgHeader:]
	unit := newPGUnit()
	for b.Loop() {
		unit.add('Q', body)
	}
}
