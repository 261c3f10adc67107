package process_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// role tells the test binary that it is a target, and which.
const role = "IDEMCHECK_TEST_ROLE"

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(role)]; ok {
		play(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// roles are the targets that the test binary can be.
var roles = map[string]func([]string){
	"serve":   serve,
	"wrapper": wrapper,
	"leaver":  leaver,
	"exit": func([]string) {
		fmt.Println("listening soon")
		fmt.Fprintln(os.Stderr, "no database: s3cret")
		os.Exit(3)
	},
	"hang":      func([]string) { fmt.Println("warming up"); time.Sleep(time.Hour) },
	"talk":      talk,
	"owner":     owner,
	"opener":    opener,
	"contested": contestedPort,
	"stubborn":  func(args []string) { signal.Ignore(syscall.SIGTERM); serve(args) },
}

// serve is a server on a port: it says who it is, and on SIGTERM leaves a file behind where it is told one.
func serve(args []string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /pid", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getpid()) })
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getenv("GREETING")) })
	mux.HandleFunc("GET /exit", func(http.ResponseWriter, *http.Request) { os.Exit(4) })
	if len(args) > 1 {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go func() {
			<-asked
			os.WriteFile(args[1], []byte("bye"), 0o600)
			os.Exit(0)
		}()
	}
	fmt.Println("serving on", args[0])
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+args[0], mux))
	os.Exit(1)
}

// another starts the test binary once more, in another role.
func another(as string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// wrapper is what a shell or "go run" is: the real server is its child.
func wrapper(args []string) { another("serve", args...).Wait() }

// leaver leaves the real server behind and ends.
func leaver(args []string) {
	another("serve", args...)
	for {
		if res, err := http.Get("http://127.0.0.1:" + args[0] + "/healthz"); err == nil {
			res.Body.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// owner starts a server as idemcheck does, and waits to be killed.
func owner(args []string) {
	os.Setenv(role, "serve")
	_, err := process.Start(context.Background(), process.Spec{Command: []string{os.Args[0], args[0]}})
	if err != nil {
		panic(err)
	}
	select {}
}

// opener opens a target as idemcheck does, says where it is, and waits to be killed.
func opener([]string) {
	e, err := process.Open(context.Background(), target("wrapper"))
	if err != nil {
		panic(err)
	}
	fmt.Println(e.URL)
	select {}
}

// contestedPort tells a thief of its port before it serves there itself.
func contestedPort(args []string) {
	res, err := http.Get(os.Getenv("THIEF") + "/?port=" + args[0])
	if err != nil || res.StatusCode != http.StatusOK {
		panic(fmt.Sprint("no thief: ", err))
	}
	if os.Getenv("THEN") == "end" {
		os.Exit(5)
	}
	serve(args)
}

// talk prints more than is kept.
func talk(args []string) {
	for i := range 20000 {
		fmt.Println("line", i)
	}
	serve(args)
}

// running is a started process with its port.
type running struct {
	*process.Process
	port string
	url  string
}

// spec is the spec of a role.
func spec(t *testing.T, as string, args ...string) (process.Spec, string) {
	t.Helper()
	number, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	port := strconv.Itoa(number)
	base := "http://127.0.0.1:" + port
	ready, err := targets.Answers(targets.NewSender(targets.SenderOptions{Hosts: []string{base}}), base, "GET /healthz")
	require.NoError(t, err)
	return process.Spec{
		Command: append([]string{os.Args[0], port}, args...), Env: []string{role + "=" + as},
		Ready: ready, ReadyTimeout: 20 * time.Second,
	}, port
}

// start starts a role and stops it with the test.
func start(t *testing.T, as string, args ...string) running {
	t.Helper()
	s, port := spec(t, as, args...)
	p, err := process.Start(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Kill(context.Background())) })
	return running{p, port, "http://127.0.0.1:" + port}
}

// get asks the server; empty when there is none.
func (r running) get(path string) string { return get(r.url + path) }

func get(url string) string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return strings.TrimSpace(string(b))
}
