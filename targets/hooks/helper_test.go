//go:build unix

package hooks_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/hooks"
)

// role tells the test binary that it is a program of the target's owner, and which.
const role = "IDEMCHECK_TEST_ROLE"

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(role)]; ok {
		play(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// roles are the programs that the test binary can be. The first argument is a port, the second a folder.
var roles = map[string]func(args []string){
	"serve":   serve,
	"crash":   crashIt,
	"restart": func(args []string) { another("serve", args...); fmt.Println("started again") },
	"nothing": func([]string) { fmt.Println("no resources found") },
	"fail": func([]string) {
		fmt.Println("token", os.Getenv("CLUSTER_TOKEN"))
		fmt.Fprintln(os.Stderr, "forbidden: s3cret in", folder())
		os.Exit(1)
	},
	"hang": hang,
	"held": func(args []string) { hold(args[0]) },
}

// folder is where a command runs.
func folder() string {
	dir, _ := os.Getwd()
	return filepath.Base(dir)
}

// serve is the target: it writes down its process id, and prints a line for each request.
func serve(args []string) {
	http.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println("asked")
		fmt.Fprint(w, os.Getpid())
	})
	l, err := net.Listen("tcp", "127.0.0.1:"+args[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(args[1], "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	if err == nil {
		err = http.Serve(l, nil)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// crashIt kills the target as its owner would, and waits until its port is free.
func crashIt(args []string) {
	text, err := os.ReadFile(filepath.Join(args[1], "pid"))
	if err != nil {
		panic(err)
	}
	pid, _ := strconv.Atoi(string(text))
	p, _ := os.FindProcess(pid)
	p.Kill()
	p.Wait()
	for {
		conn, err := net.Dial("tcp", "127.0.0.1:"+args[0])
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
	fmt.Println("killed")
}

// another starts the test binary once more, in another role and with the same outputs.
func another(as string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// hang never ends, and has a child that does not either. Both hold a connection to a port of the test.
func hang(args []string) {
	fmt.Println("waiting for the cluster")
	another("held", args...)
	hold(args[0])
}

func hold(port string) {
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, conn)
}

// site is a target that runs, with its file and the arguments of its owner's programs.
type site struct {
	*targets.Target
	port, dir string
}

// newSite describes a target. Nothing runs yet.
func newSite(t *testing.T) site {
	t.Helper()
	number, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	s := site{port: strconv.Itoa(number), dir: t.TempDir()}
	s.Target = &targets.Target{
		Name: "orders", File: filepath.Join(s.dir, "orders.yaml"), URL: "http://127.0.0.1:" + s.port + "/", Secrets: targets.NewSecrets(),
	}
	s.Target.Secrets.Add("s3cret")
	s.Target.Run = &targets.Run{Hooks: &targets.Hooks{
		Crash: s.command("crash"), Restart: s.command("restart"), Ready: "GET /healthz",
		ReadyWithin: targets.Duration(20 * time.Second), Timeout: targets.Duration(20 * time.Second),
	}}
	return s
}

// command is one of the owner's programs: an argument tells it from the others, as both have the same environment.
func (s site) command(as string) targets.Strings {
	return targets.Strings{"env", role + "=" + as, os.Args[0], s.port, s.dir}
}

// starts starts the target, and ends the one that runs when the test ends.
func (s site) starts(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], s.port, s.dir)
	cmd.Env = append(os.Environ(), role+"=serve")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	require.Eventually(t, func() bool { return s.pid() != "" }, 20*time.Second, time.Millisecond)
}

// ends kills whoever is the target when the test ends.
func (s site) ends(t *testing.T) {
	t.Cleanup(func() {
		if pid, err := strconv.Atoi(s.pid()); err == nil {
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
	})
}

// pid asks the target who it is; empty when there is none.
func (s site) pid() string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://127.0.0.1:" + s.port + "/healthz")
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return strings.TrimSpace(string(b))
}

// opened opens the target, and closes it with the test.
func (s site) opened(t *testing.T) *targets.Endpoint {
	t.Helper()
	e, err := hooks.Open(t.Context(), s.Target)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e
}

// holder listens for programs that hold a connection. The channel is closed when n of them have come and gone.
func holder(t *testing.T, n int) (port string, came, gone <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	all, none := make(chan struct{}), make(chan struct{})
	go func() {
		var conns []net.Conn
		for range n {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
		}
		close(all)
		for _, conn := range conns {
			io.Copy(io.Discard, conn)
			conn.Close()
		}
		close(none)
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, all, none
}

// within waits for a channel, and fails the test where it takes too long.
func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatal(what)
	}
}
