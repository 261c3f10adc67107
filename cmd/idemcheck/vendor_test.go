package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// buildVendor builds the program that stands for a vendor, and gives its path.
func buildVendor(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "vendor")
	out, err := exec.Command("go", "build", "-o", program, module+"/targets/examples/vendor").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// startVendor starts it in a mode on a free port.
func startVendor(program, mode string) (url string, stop func(), err error) {
	cmd := exec.Command(program, "-addr", "127.0.0.1:0", "-mode", mode)
	said, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listens on ")
	if err != nil || !ok {
		stop()
		return "", nil, fmt.Errorf("start the vendor: it said %q: %w", line, err)
	}
	return url, stop, nil
}

// vendor starts it for the length of a test.
func vendor(t *testing.T, program, mode string) string {
	t.Helper()
	url, stop, err := startVendor(program, mode)
	require.NoError(t, err)
	t.Cleanup(stop)
	return url
}

// vendorFor starts it for the rest of a script and puts its address into a variable: vendor MODE VARIABLE.
func vendorFor(ts *testscript.TestScript, program string, args []string) {
	url, stop, err := startVendor(program, args[0])
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv(args[1], url)
}

// expand writes FILE from FILE.in, with the value of each variable in place of @NAME@: expand FILE. (A $NAME in a curl
// command is the command's own.)
func expand(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.ReplaceAll(ts.ReadFile(args[0]+".in"), "@URL@", ts.Getenv("URL"))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
