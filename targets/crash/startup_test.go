package crash

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCancelRequest(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	defer c.Close()
	request, err := (&pgproto3.CancelRequest{ProcessID: 7, SecretKey: []byte("1234")}).Encode(nil)
	require.NoError(t, err)
	_, err = c.Write(request)
	require.NoError(t, err)
	_, err = io.ReadAll(c)
	if err != nil {
		assert.ErrorContains(t, err, "reset")
	}
	assert.Equal(t, "cancel", f.seen(), "it ends when the database has seen it")
}

// startupReply sends bytes to a proxy and gives all that it answers.
func startupReply(t *testing.T, p *Proxy, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, request)
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(patience)))
	reply, err := io.ReadAll(c)
	assert.False(t, errors.Is(err, context.DeadlineExceeded))
	return string(reply)
}

func TestStartupThatFails(t *testing.T) {
	t.Parallel()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone.Close()
	p := startProxy(t, Options{Upstream: gone.Addr().String(), Protocol: Postgres})
	hello := "\x00\x00\x00\x09\x00\x03\x00\x00\x00"
	assert.Contains(t, startupReply(t, p, hello), "idemcheck's proxy: connect to the database: ")
	assert.Contains(t, startupReply(t, p, "GET / HTTP/1.1\r\n\r\n"), "does the client speak the PostgreSQL protocol?")
	assert.Contains(t, startupReply(t, p, "\x00\x00\x00\x08\x04\xd2\x16\x30"+hello), "Nidemcheck"[:1])
	assert.Contains(t, startupReply(t, p, "\x00\x00\x00\x08\x04\xd2\x16\x2f"+hello), "unencrypted data after the question for TLS")
	my := startProxy(t, Options{Upstream: gone.Addr().String(), Protocol: MySQL})
	assert.Contains(t, startupReply(t, my, ""), "idemcheck's proxy: connect to the database: ")
	tcp := startProxy(t, Options{Upstream: gone.Addr().String(), Protocol: TCP})
	assert.Empty(t, startupReply(t, tcp, ""))

	f := startFake(t)
	secure := startProxy(t, Options{Upstream: f.listener.Addr().String(), Protocol: Postgres, TLSUpstream: insecure()})
	assert.Contains(t, startupReply(t, secure, hello), "encrypt the connection to the database: ")
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	taken := before(t, startFake(t))
	for words, o := range map[string]Options{
		"no database":            {Protocol: Postgres},
		`protocol "redis"`:       {Upstream: "x:1", Protocol: "redis"},
		"possible for postgres":  {Upstream: "x:1", Protocol: MySQL, TLSUpstream: insecure()},
		"start the crash proxy:": {Upstream: "x:1", Protocol: TCP, Listen: taken.Addr()},
	} {
		_, err := Start(t.Context(), o)
		assert.ErrorContains(t, err, words)
	}
}

func TestDropAndRefuse(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	p := before(t, f)
	x := dialTarget(t, p)
	p.Drop()
	require.Error(t, x.until("Z"))
	x = dialTarget(t, p)
	p.Refuse(true)
	require.Error(t, x.until("Z"))
	c, err := net.Dial("tcp", p.Addr())
	if err == nil {
		_, err = io.ReadAll(c)
	}
	require.Error(t, err)
	p.Refuse(false)
	require.NoError(t, dialTarget(t, p).query("BEGIN"))
}
