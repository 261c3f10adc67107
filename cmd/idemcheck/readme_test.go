package main

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/shell"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// readmeExits are the commands of the README that do not end with 0.
var readmeExits = map[string]int{
	"run --defect payload-not-compared":                               exitBroken,
	"run --target targets/examples/orders-postgres.yaml --only crash": exitBroken, // of a broken variant
	"verify": exitBroken,
}

// readmeVendor is where the README has its stand-in for a vendor listen.
const readmeVendor = "http://127.0.0.1:8090"

// Every command of the README is run as it stands there. `go run ./cmd/idemcheck` is this program; `go test ./...` is
// what runs this test.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	program := installed(t)
	folder := readmeFolder(t, program, string(readme))
	commands := shellLines(string(readme))
	standIn := vendorOf(t, commands)
	require.Contains(t, commands, "go run ./cmd/idemcheck run")
	require.Contains(t, commands, "go test ./...")
	for _, line := range commands {
		environ, line := assignments(line)
		args, ours := strings.CutPrefix(line, "idemcheck ")
		if !ours {
			args, ours = strings.CutPrefix(line, "go run ./cmd/idemcheck ")
		}
		if !ours {
			assert.Contains(t, []string{"go test ./...", "go build -o idemcheck ./cmd/idemcheck", vendorCommand(commands)}, line, "a command that no test runs")
			continue
		}
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(args, "orders-postgres.yaml") {
				engine(t)
			}
			words, err := shell.Fields(strings.ReplaceAll(args, readmeVendor, standIn), nil)
			require.NoError(t, err)
			cmd := exec.Command(program, words...)
			cmd.Dir = t.TempDir()
			require.NoError(t, os.CopyFS(cmd.Dir, os.DirFS(folder)))
			cmd.Env = append(append(os.Environ(), "VENDOR_TOKEN=sk_test_abcdef"), environ...)
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			status := 0
			if errors.As(err, &failed) {
				status = failed.ExitCode()
			} else {
				require.NoError(t, err)
			}
			want, whole := readmeExits[args]
			if !whole {
				want = readmeExits[words[0]]
			}
			assert.Equal(t, want, status, "%s", out)
		})
	}
}

// The README's table lists all profiles, and nothing else.
func TestReadmeProfiles(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(readme), "\n## Profiles\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
				listed = append(listed, name[1])
			}
		}
	}
	assert.ElementsMatch(t, targets.ProfileNames(), listed)
}

// assignments takes the variables that stand before a command from it.
func assignments(line string) (environ []string, command string) {
	for {
		word, rest, _ := strings.Cut(line, " ")
		if !strings.Contains(word, "=") {
			return environ, line
		}
		environ, line = append(environ, word), rest
	}
}

// vendorCommand is the command that starts the stand-in.
func vendorCommand(commands []string) string {
	i := slices.IndexFunc(commands, func(line string) bool { return strings.HasPrefix(line, "go run ./targets/examples/vendor ") })
	if i < 0 {
		return ""
	}
	return commands[i]
}

// vendorOf starts the stand-in as the README does, and gives its address.
func vendorOf(t *testing.T, commands []string) string {
	t.Helper()
	_, mode, ok := strings.Cut(vendorCommand(commands), "-mode ")
	require.True(t, ok)
	return vendor(t, buildVendor(t), mode)
}

// installed puts this program into a folder under its own name. TestMain then acts as the command.
func installed(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "idemcheck")
	require.NoError(t, os.WriteFile(path, data, 0o700))
	return path
}

// readmeFolder holds the files that the README's commands name: the examples, and its own target file, pointed at a
// service that keeps its promise.
func readmeFolder(t *testing.T, program, readme string) string {
	t.Helper()
	server := httptest.NewServer(newShop(func(s *shop) { s.likeStripe = true }))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(folder, "targets/examples"), os.DirFS("../../targets/examples")))
	spec, err := os.ReadFile("../../targets/intake/testdata/orders.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "openapi.yaml"), spec, 0o600))
	block := regexp.MustCompile("(?s)   ```yaml\n(   name: orders-sandbox.*?)   ```").FindStringSubmatch(readme)
	require.NotNil(t, block)
	file := strings.ReplaceAll(block[1], "\n   ", "\n")
	file = strings.Replace(strings.TrimPrefix(file, "   "), "https://api.vendor.example", server.URL, 1)
	file = strings.Replace(file, "settle: 2s", "settle: 0s", 1)
	file = strings.Replace(file, "rate: 5/s", "rate: 500/s", 1)
	for _, name := range []string{"orders-sandbox.yaml", "orders-staging.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(file), 0o600))
	}
	own := regexp.MustCompile("(?s)```yaml\n(# my-orders.yaml.*?)```").FindStringSubmatch(readme)
	require.NotNil(t, own)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "my-orders.yaml"), []byte(own[1]), 0o600))
	for _, earlier := range []string{"--events run.ndjson", "--ci --shard 1/2", "--ci --shard 2/2"} {
		args := "run --target orders-staging.yaml --only first-request,replay-once,different-key " + earlier
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "VENDOR_TOKEN=sk_test_abcdef")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return folder
}

// shellLines gives the commands of all sh blocks; a line that ends with a backslash goes on.
func shellLines(text string) []string {
	var list []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", "")) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, line)
			}
		}
	}
	return list
}

// TestReadmeReceiver: the target file of a receiver is whole, and its profile fills in the rest.
func TestReadmeReceiver(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```yaml\n(name: github-events.*?)```").FindSubmatch(readme)
	require.NotNil(t, block)
	target, err := targets.Parse("README.md", block[1], nil)
	require.NoError(t, err)
	assert.Equal(t, targets.Strings{"X-GitHub-Delivery"}, target.Receiver.EventID)
	assert.Equal(t, targets.SchemeGitHub, target.Receiver.Sign.Scheme)
	assert.Equal(t, 10*time.Second, target.Receiver.Ack.Within.Std())
}
