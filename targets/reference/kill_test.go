package reference

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childFile names the environment variable that makes the test binary a
// server on that file, so that a test can kill a whole process.
const childFile = "REFERENCE_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		serveChild(path)
	}
	os.Exit(m.Run())
}

// serveChild serves until it is killed; its address goes to standard output.
func serveChild(path string) {
	server, err := New(Options{Path: path, TestSwitches: true, Lease: 300 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	panic(server.Serve(context.Background(), l))
}

// startChild runs a server in a process of its own. The returned function
// kills it and waits for its end.
func startChild(t *testing.T, path string) (s *service, kill func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFile+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = child.Process.Kill() // it may have ended
		_ = child.Wait()         // "signal: killed" is no news
	}
	t.Cleanup(kill)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &service{t: t, url: "http://" + strings.TrimSpace(address),
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}, kill
}

// TestKilledProcess kills a server while it works, and another one right
// after it has answered, and sends the same request to the next one.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	reader := start(t, Options{Path: path})
	reader.approve("E204", "A18")

	first, kill := startChild(t, path)
	lost := reader.whileRunning(func() reply { return first.task("k", body("a"), "Test-Slow: 1m") }, kill)
	equal(t, "killed", statuses(lost)+" "+reader.total(), "0 0 tasks 0 notes 0 mails")

	second, kill := startChild(t, path)
	var retry reply
	second.eventually(func() bool { retry = second.task("k", body("a")); return retry.status != 409 })
	kill()
	equal(t, "after the lease", statuses(retry)+" "+reader.total(), "201 1 tasks 0 notes 1 mails")
	equal(t, "replay", reader.task("k", body("a")).body, retry.body)
}
