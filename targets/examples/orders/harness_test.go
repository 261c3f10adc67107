package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dsn is the address of the tests' PostgreSQL.
func dsn(t *testing.T) string {
	t.Helper()
	dsn := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("IDEMCHECK_TEST_POSTGRES is not set: no PostgreSQL to try the orders API on (.ci/databases starts one)")
	}
	return dsn
}

// api is an instance in a schema of its own.
type api struct {
	url    string
	schema string
	db     *pgx.Conn // past the API, in the same schema
}

// start starts an instance, with parameters put into the address of its database.
func start(t *testing.T, variant string, parameters ...string) api {
	t.Helper()
	schema := "orders_" + strings.ToLower(rand.Text())
	s := serverOf(t, options{dsn: with(t, dsn(t), parameters...), schema: schema, variant: variant, pool: 4})
	require.NoError(t, s.prepare(t.Context(), t.Output()))
	db, err := pgx.Connect(t.Context(), with(t, dsn(t), "search_path", schema))
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := db.Exec(context.Background(), "drop schema "+schema+" cascade")
		assert.NoError(t, err)
		assert.NoError(t, db.Close(context.Background()))
	})
	return api{url: listen(t, s), schema: schema, db: db}
}

// another gives a further instance on the same data.
func (a api) another(t *testing.T, o options) *server {
	t.Helper()
	o.schema = a.schema
	s := serverOf(t, o)
	require.NoError(t, s.prepare(t.Context(), t.Output()))
	return s
}

func serverOf(t *testing.T, o options) *server {
	t.Helper()
	s, err := newServer(o)
	require.NoError(t, err)
	t.Cleanup(s.store.close)
	return s
}

func listen(t *testing.T, s *server) string {
	t.Helper()
	srv := httptest.NewServer(s.routes())
	t.Cleanup(srv.Close)
	return srv.URL
}

// with puts parameters into an address.
func with(t *testing.T, address string, parameters ...string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	query := u.Query()
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// exec is for what a test does past the API.
func (a api) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := a.db.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// orders counts the records.
func (a api) orders(t *testing.T) int {
	t.Helper()
	var n int
	require.NoError(t, a.db.QueryRow(t.Context(), "select count(*) from orders").Scan(&n))
	return n
}

// response is an answer that was read.
type response struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

// call sends a request on a connection of its own, so that nothing is repeated behind the test's back.
func call(t *testing.T, method, address, key, body string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if !assert.NoError(t, err) {
		return response{}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	assert.NoError(t, err)
	r := response{status: res.StatusCode, header: res.Header, text: string(text)}
	if len(text) > 0 {
		assert.NoError(t, json.Unmarshal(text, &r.body), r.text)
	}
	return r
}

func (a api) create(t *testing.T, key, body string) response {
	t.Helper()
	return call(t, "POST", a.url+"/v1/orders", key, body)
}

// refused holds an answer against the problem that it should be.
func refused(t *testing.T, r response, p problem) {
	t.Helper()
	assert.Equal(t, p.status, r.status, r.text)
	assert.Equal(t, p.code, r.body["code"], r.text)
	assert.Equal(t, "application/problem+json", r.header.Get("Content-Type"))
}

// bridge passes connections on to the database until it is cut.
type bridge struct {
	listener net.Listener
	mu       sync.Mutex
	down     bool
	open     []net.Conn
}

// bridged gives a bridge, and the address of the database through it.
func bridged(t *testing.T) (*bridge, string) {
	t.Helper()
	u, err := url.Parse(dsn(t))
	require.NoError(t, err)
	upstream := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &bridge{listener: listener}
	t.Cleanup(b.cut)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", upstream)
			if err != nil || !b.keep(conn, server) {
				conn.Close()
				continue
			}
			go io.Copy(server, conn)
			go io.Copy(conn, server)
		}
	}()
	u.Host = listener.Addr().String()
	return b, u.String()
}

// keep remembers connections, unless the bridge is down.
func (b *bridge) keep(conns ...net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = append(b.open, conns...)
	return !b.down
}

// cut ends all connections and takes no more.
func (b *bridge) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = true
	b.listener.Close()
	for _, conn := range b.open {
		conn.Close()
	}
}
