//go:build unix

package hooks_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/hooks"
)

func TestCrashAndRestart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.starts(t)
	s.ends(t)
	e := s.opened(t)
	assert.Equal(t, "http://127.0.0.1:"+s.port, e.URL)
	assert.Nil(t, e.Points)
	first := s.pid()
	require.NoError(t, e.Kill(t.Context()))
	assert.Empty(t, s.pid())
	require.NoError(t, e.Restart(t.Context()))
	second := s.pid()
	assert.NotEmpty(t, second)
	assert.NotEqual(t, first, second)
	assert.Contains(t, e.Logs(), "killed\n")
	assert.Contains(t, e.Logs(), "started again\n")
	x := e.Sender.Send(t.Context(), targets.Attempt{Method: "GET", URL: e.URL + "/healthz"})
	assert.Equal(t, 1, x.Conn, "questions whether it is ready are no part of the run")

	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	assert.Equal(t, second, s.pid(), "whoever the restart command has left running goes on printing")
	assert.Equal(t, second, s.pid())
}

func TestATargetThatComesBackByItself(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.starts(t)
	s.Target.Run.Hooks.Restart, s.Target.Run.Hooks.Ready = nil, ""
	e := s.opened(t)
	s.Target.Run.Hooks.Crash = s.command("nothing")
	require.NoError(t, e.Kill(t.Context()), "that it had no effect is seen by the request in flight")
	require.NoError(t, e.Restart(t.Context()))
	assert.Contains(t, e.Logs(), "no resources found")
}

// A single text is for the shell; it runs in the folder of the file and with the environment of the section.
func TestTheShell(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.starts(t)
	s.Target.Run.Hooks.Env = map[string]string{"POD": "orders 1"}
	s.Target.Run.Hooks.Crash = targets.Strings{`echo "killing $POD" '{{.pod}}' | tr a-z A-Z && echo done > note`}
	e := s.opened(t)
	require.NoError(t, e.Kill(t.Context()))
	assert.Equal(t, "KILLING ORDERS 1 {{.POD}}\n", e.Logs(), "no templates: other programs have them, too")
	text, err := os.ReadFile(s.dir + "/note")
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(text))
}

func TestBadCommands(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(s site, h *targets.Hooks)
		words  []string
	}{
		"not found":          {func(_ site, h *targets.Hooks) { h.Crash = targets.Strings{"no-such-program-x", "now"} }, []string{`crash the target: command "no-such-program-x" was not found in PATH`}},
		"no file":            {func(_ site, h *targets.Hooks) { h.Crash = targets.Strings{"./missing", "now"} }, []string{"crash the target: ", "./missing"}},
		"not found by shell": {func(_ site, h *targets.Hooks) { h.Crash = targets.Strings{"no-such-program-x"} }, []string{"exit status 127", "its last lines:\n", "no-such-program-x"}},
		"no folder":          {func(s site, h *targets.Hooks) { os.RemoveAll(s.dir) }, []string{"there is no folder", "to run in"}},
		"fails": {func(s site, h *targets.Hooks) { h.Crash = s.command("fail") },
			[]string{"crash the target: the command has failed (exit status 1); its last lines:\n", "token [redacted]\n", "forbidden: [redacted] in "}},
		"says nothing": {func(_ site, h *targets.Hooks) { h.Crash = targets.Strings{"exit 7"} }, []string{"(exit status 7); it has printed nothing"}},
		"a secret of its own": {func(_ site, h *targets.Hooks) { h.Crash = targets.Strings{"no-such-s3cret", "now"} },
			[]string{`command "no-such-[redacted]" was not found`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.Target.Run.Hooks.Env = map[string]string{"CLUSTER_TOKEN": "t0ken-of-the-cluster"}
			row.change(s, s.Target.Run.Hooks)
			e := s.opened(t)
			err := e.Kill(t.Context())
			require.Error(t, err)
			for _, words := range row.words {
				assert.ErrorContains(t, err, words)
			}
			for _, secret := range []string{"s3cret", "t0ken"} {
				assert.NotContains(t, err.Error(), secret)
				assert.NotContains(t, e.Logs(), secret)
			}
			s.Target.Run.Hooks.Restart = s.Target.Run.Hooks.Crash
			assert.ErrorContains(t, e.Restart(t.Context()), "restart the target: ")
		})
	}
}

// A command that does not end is killed with everyone whom it has started.
func TestACommandThatNeverEnds(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"timeout", "cancelled"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			port, came, gone := holder(t, 2)
			s.Target.Run.Hooks.Crash = targets.Strings{"env", role + "=hang", os.Args[0], port}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			want := "crash the target: the command was stopped: context canceled; its last lines:\nwaiting for the cluster"
			if how == "timeout" {
				s.Target.Run.Hooks.Timeout = targets.Duration(3 * time.Second)
				want = "crash the target: the command has not ended within 3s; its last lines:\nwaiting for the cluster"
			} else {
				go func() {
					<-came
					cancel()
				}()
			}
			e := s.opened(t)
			err := e.Kill(ctx)
			assert.EqualError(t, err, want)
			within(t, "both have come", came)
			within(t, "both are gone", gone)
		})
	}
}

func TestNeverReadyAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Target.Run.Hooks.Restart, s.Target.Run.Hooks.ReadyWithin = nil, targets.Duration(50*time.Millisecond)
	e := s.opened(t)
	err := e.Restart(t.Context())
	assert.ErrorContains(t, err, "restart the target: the target at http://127.0.0.1:"+s.port+"/ is not ready within 50ms (no connection to 127.0.0.1:"+s.port)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, e.Restart(ctx), context.Canceled)
	assert.ErrorIs(t, e.Kill(ctx), context.Canceled)
}

func TestLogsKeepTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Target.Run.Hooks.Crash = targets.Strings{"seq -f 'line %.0f' 20000; echo s3cret"}
	e := s.opened(t)
	require.NoError(t, e.Kill(t.Context()))
	logs := e.Logs()
	assert.Len(t, logs, 64<<10)
	assert.True(t, strings.HasSuffix(logs, "line 20000\n[redacted]\n"))
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(site)
		words  string
	}{
		"ready":     {func(s site) { s.Target.Run.Hooks.Ready = "healthz" }, `open orders: ready: "healthz" is not a request`},
		"tls":       {func(s site) { s.Target.TLS.CA = "s3cret.pem" }, "tls.ca: "},
		"no listen": {func(s site) { s.through("", "") }, "needs listen and upstream"},
		"protocol": {func(s site) {
			s.through("127.0.0.1:0", "127.0.0.1:1")
			s.Target.Run.CrashPoints.Through.Protocol = "odbc"
		}, `protocol "odbc"`},
		"not ready":  {func(s site) { s.through("127.0.0.1:0", "127.0.0.1:1") }, "is not ready within 50ms"},
		"port taken": {func(s site) { s.through("192.0.2.1:1", "127.0.0.1:1") }, "start the crash proxy: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.Target.Run.Hooks.ReadyWithin = targets.Duration(50 * time.Millisecond)
			row.change(s)
			e, err := hooks.Open(t.Context(), s.Target)
			assert.Nil(t, e)
			assert.ErrorContains(t, err, row.words)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func (s site) through(listen, upstream string) {
	s.Target.Run.CrashPoints = &targets.CrashPoints{Through: &targets.Through{Listen: listen, Upstream: upstream, Protocol: "tcp"}}
}

// The target was told to look for its database at the proxy, which lives as long as the endpoint.
func TestTheProxyBeforeTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.starts(t)
	port, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	listen := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s.through(listen, echoServer(t))
	ctx, cancel := context.WithCancel(t.Context())
	e, err := hooks.Open(ctx, s.Target)
	require.NoError(t, err)
	cancel() // it bounds the opening only
	require.NotNil(t, e.Points)
	assert.True(t, e.Points.Can(targets.Kill))
	assert.Equal(t, "hello\n", said(t, listen))
	e.RefuseStore(true)
	assert.Empty(t, said(t, listen))
	e.RefuseStore(false)
	assert.Equal(t, "hello\n", said(t, listen))
	require.NoError(t, e.Close())
	assert.NotEqual(t, "hello\n", said(t, listen), "somebody else may have the port by now, but not the database")
}

// echoServer is a database that answers each line with itself.
func echoServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go io.Copy(conn, conn)
		}
	}()
	return l.Addr().String()
}

// said is what the database answers to a line; empty where there is no database.
func said(t *testing.T, address string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return ""
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(conn, "hello\n")
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return line
}

func TestNamedPoints(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Target.Run.CrashPoints = &targets.CrashPoints{Named: &targets.NamedPoints{}}
	assert.NotNil(t, s.opened(t).Points)
	s.Target.Run.Hooks = nil
	e := s.opened(t)
	assert.NotNil(t, e.Points)
	assert.Nil(t, e.Kill)
	assert.Nil(t, e.Restart)
	assert.Nil(t, e.Logs)
}
