package observe_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// play is the environment variable that turns the test binary into the command of an observer.
const play = "OBSERVE_TEST_PLAY"

func TestMain(m *testing.M) {
	if role := os.Getenv(play); role != "" {
		os.Exit(roles[role](os.Args[1:]))
	}
	os.Exit(m.Run())
}

// roles are what the test binary can play.
var roles = map[string]func(args []string) int{
	"print": func(args []string) int {
		fmt.Println(args[0], os.Getenv("EXTRA"))
		return 0
	},
	"fail": func(args []string) int {
		fmt.Fprintln(os.Stderr, args[0])
		return 3
	},
	"flood": func([]string) int {
		_, _ = io.WriteString(os.Stdout, strings.Repeat("1", 2<<20))
		return 0
	},
	// hold starts a child that holds the output, and waits for it; leave does not wait.
	"hold":  func(args []string) int { return child(args, true) },
	"leave": func(args []string) int { return child(args, false) },
	"child": func(args []string) int {
		c, err := net.Dial("tcp", args[0])
		if err != nil {
			return 1
		}
		_, _ = fmt.Fprintln(c, "here")
		_, _ = io.ReadAll(c)
		return 0
	},
}

func child(args []string, waits bool) int {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), play+"=child")
	cmd.Stdout = os.Stdout
	if cmd.Start() != nil {
		return 1
	}
	if waits {
		_ = cmd.Wait()
	}
	return 0
}

func openCommand(t *testing.T, role string, c targets.CommandCall) observe.Observer {
	t.Helper()
	c.Argv = append(targets.Strings{os.Args[0]}, c.Argv...)
	return open(t, targets.Observer{Name: "tasks", Command: &c}, observe.Deps{
		Environ: append(os.Environ(), play+"="+role),
		Redact:  func(s string) string { return strings.ReplaceAll(s, "s3cret", "[redacted]") },
	})
}

func TestCommand(t *testing.T) {
	t.Parallel()
	got := openCommand(t, "print", targets.CommandCall{
		Argv: []string{`[{"id":"{{marker}}","ref":`},
		Env:  map[string]string{"EXTRA": `"{{tenant}}"}]`},
	}).Count(t.Context(), marked("m-1"))
	assert.Empty(t, got.Err)
	assert.Equal(t, []string{"m-1"}, got.IDs)
	assert.Equal(t, []string{"T1"}, got.Refs)
}

func TestCommandInheritsTheEnvironment(t *testing.T) {
	t.Parallel()
	name, err := exec.LookPath("printenv")
	if err != nil {
		t.Skip("there is no printenv")
	}
	o := open(t, targets.Observer{Command: &targets.CommandCall{Argv: []string{name, "N"}, Env: map[string]string{"N": "7"}}}, observe.Deps{})
	assert.Equal(t, 7, o.Count(t.Context(), marked("m")).Count)
}

func TestCommandFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		role string
		argv []string
		want string
	}{
		"exit status":  {"fail", []string{"no\n s3cret"}, "exit status 3: no [redacted]"},
		"long message": {"fail", []string{strings.Repeat("a", 9000) + strings.Repeat("b", 200)}, "exit status 3: …" + strings.Repeat("b", 200)},
		"flood":        {"flood", nil, "it printed more than 1048576 bytes"},
		"no number":    {"print", []string{"s3cret"}, "its output is neither a whole number nor a JSON array of ids: [redacted]"},
		"unknown name": {"print", []string{"{{nobody}}"}, "expand argument 1 of the command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := openCommand(t, c.role, targets.CommandCall{Argv: c.argv}).Count(t.Context(), marked("m"))
			assert.Contains(t, got.Err, c.want)
		})
	}
	_, err := observe.Open(t.Context(), targets.Observer{Command: &targets.CommandCall{}}, observe.Deps{})
	assert.ErrorContains(t, err, "argv is empty")
	o := open(t, targets.Observer{Command: &targets.CommandCall{Argv: []string{"/no/such/program"}}}, observe.Deps{})
	assert.Contains(t, o.Count(t.Context(), marked("m")).Err, "run /no/such/program: ")
}

// A command that is stopped must take its children with it, or they hold locks and ports for the cases that follow.
func TestCommandIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("windows has no process groups that could be killed as a whole")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			r := bufio.NewReader(c)
			_, err = r.ReadString('\n') // the child runs
			cancel()
			_, _ = r.ReadByte() // and ends
		}
		gone <- err
	}()
	got := openCommand(t, "hold", targets.CommandCall{Argv: []string{l.Addr().String()}}).Count(ctx, marked("m"))
	assert.Contains(t, got.Err, "it was stopped: context canceled")
	select {
	case err := <-gone:
		assert.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("the child outlived its command")
	}
}

func TestCommandLeavesNobodyBehind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("windows has no process groups that could be killed as a whole")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	gone := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, _ = io.ReadAll(c)
		}
		gone <- err
	}()
	got := openCommand(t, "leave", targets.CommandCall{Argv: []string{l.Addr().String()}}).Count(t.Context(), marked("m"))
	assert.Contains(t, got.Err, "it left a process behind that holds its output")
	select {
	case err := <-gone:
		assert.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("the child outlived its command")
	}
}
