package container

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// backend serves each connection with a function.
func backend(t *testing.T, serve func(*net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn.(*net.TCPConn))
		}
	}()
	return listener.Addr().String()
}

func opened(t *testing.T) *front {
	t.Helper()
	f, err := newFront(t.Context())
	require.NoError(t, err)
	t.Cleanup(f.close)
	return f
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// isReset reports whether a connection ends with a reset.
func isReset(conn net.Conn) bool {
	_, err := io.Copy(io.Discard, conn)
	return errors.Is(err, syscall.ECONNRESET)
}

// isDead reports whether nobody serves an address: a new connection is reset at once.
func isDead(t *testing.T, address string) bool {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return errors.Is(err, syscall.ECONNRESET)
	}
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	return isReset(conn)
}

func TestFrontForwardsBothHalves(t *testing.T) {
	t.Parallel()
	f := opened(t)
	f.lead(backend(t, func(conn *net.TCPConn) {
		defer conn.Close()
		question, err := io.ReadAll(conn) // only the end of the question ends this
		fmt.Fprintf(conn, "%s, %v", question, err)
	}))
	conn := dial(t, f.addr())
	_, err := io.WriteString(conn, strings.Repeat("ask ", 100_000))
	require.NoError(t, err)
	require.NoError(t, conn.CloseWrite())
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("ask ", 100_000)+", <nil>", string(answer))
}

func TestFrontPassesAResetOn(t *testing.T) {
	t.Parallel()
	f := opened(t)
	f.lead(backend(t, func(conn *net.TCPConn) {
		bufio.NewReader(conn).ReadString('\n')
		conn.SetLinger(0)
		conn.Close()
	}))
	conn := dial(t, f.addr())
	fmt.Fprintln(conn, "ask")
	assert.True(t, isReset(conn))
}

func TestFrontDeliversTheLastWordsOfAServerThatReadsNoMore(t *testing.T) {
	t.Parallel()
	f := opened(t)
	f.lead(backend(t, func(conn *net.TCPConn) {
		bufio.NewReader(conn).ReadString('\n')
		io.WriteString(conn, "too large\n")
		conn.CloseWrite()
		io.Copy(io.Discard, conn)
		conn.Close()
	}))
	conn := dial(t, f.addr())
	fmt.Fprintln(conn, "ask")
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "too large\n", string(answer))
}

func TestFrontOfADeadContainer(t *testing.T) {
	t.Parallel()
	f := opened(t)
	assert.True(t, isDead(t, f.addr()), "it leads nowhere yet")

	arrived := make(chan struct{}, 1)
	f.lead(backend(t, func(conn *net.TCPConn) {
		io.WriteString(conn, "hello\n")
		arrived <- struct{}{}
		io.Copy(io.Discard, conn)
	}))
	conn := dial(t, f.addr())
	greeting, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "hello\n", greeting)
	<-arrived
	f.cut()
	assert.True(t, isReset(conn), "what is connected is cut")
	assert.True(t, isDead(t, f.addr()), "and nothing new is taken")

	f.lead("127.0.0.1:1")
	assert.True(t, isDead(t, f.addr()), "nobody listens there")
	address := f.addr()
	f.lead(backend(t, func(conn *net.TCPConn) { io.WriteString(conn, "again"); conn.Close() }))
	answer, err := io.ReadAll(dial(t, address))
	require.NoError(t, err)
	assert.Equal(t, "again", string(answer), "at the same address")
}

func TestFrontEndsWithItsConnections(t *testing.T) {
	t.Parallel()
	f, err := newFront(t.Context())
	require.NoError(t, err)
	f.lead(backend(t, func(conn *net.TCPConn) { io.Copy(conn, conn) }))
	conn := dial(t, f.addr())
	fmt.Fprintln(conn, "ask")
	_, err = bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	f.close()
	f.close()
	assert.True(t, isReset(conn))
	other, err := net.Dial("tcp", f.addr())
	if err == nil { // somebody else has the port by now
		defer other.Close()
		require.NoError(t, other.SetDeadline(time.Now().Add(5*time.Second)))
		fmt.Fprintln(other, "ask")
		line, _ := bufio.NewReader(other).ReadString('\n')
		assert.NotEqual(t, "ask\n", line)
		return
	}
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
}
