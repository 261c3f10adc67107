package container

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// briefly is how long a target that never gets ready is waited for.
const briefly = targets.Duration(1500 * time.Millisecond)

func TestOpenFails(t *testing.T) {
	t.Parallel()
	docker(t)
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("Dockerfile.base", "FROM idemcheck.invalid/nothing:1\n")
	write("Dockerfile.fails", "FROM scratch\nCOPY missing /missing\n")
	for name, row := range map[string]struct {
		change func(*targets.Target)
		words  []string
	}{
		"ends": {func(o *targets.Target) { o.Run.Container.Command = targets.Strings{"exit"} },
			[]string{"open orders: start orders: it ended before it was ready (exit code 3); its last lines:\n", "listening soon", "no database: "}},
		"no program": {func(o *targets.Target) {
			o.Run.Container.Build = &targets.Build{Context: folder, Dockerfile: "Dockerfile.empty"}
			o.Run.Container.Image = ""
			write("Dockerfile.empty", "FROM scratch\nCOPY Dockerfile.fails /\nENTRYPOINT [\"/nothing\"]\n")
		}, []string{"open orders: start orders: ", "/nothing"}},
		"port": {func(o *targets.Target) {
			o.Run.Container.Command, o.Run.Container.Ready = targets.Strings{"mute"}, ""
		}, []string{"start orders: not ready within 1.5s (port 8080 takes no connections); its last lines:\nwarming up"}},
		"sick": {func(o *targets.Target) { o.Run.Container.Env["SICK"] = "yes" },
			[]string{"start orders: not ready within 1.5s (GET /healthz answers 503); its last lines:\nserving with "}},
		"service": {func(o *targets.Target) { o.Run.Container.Services[0].Ready = targets.Strings{"/shop", "fail"} },
			[]string{"start service database: not ready within 1.5s (/shop ends with 1: not yet); its last lines:\nstore is up"}},
		"service without the command": {func(o *targets.Target) { o.Run.Container.Services[0].Ready = targets.Strings{"pg_isready"} },
			[]string{"start service database: not ready within 1.5s (pg_isready", "executable file not found"}},
		"service port": {func(o *targets.Target) { o.Run.Container.Services[0].Port = 7001 },
			[]string{"start service database: not ready within 1.5s (port 7001 takes no connections)"}},
		"image": {func(o *targets.Target) { o.Run.Container.Image = "idemcheck.invalid/shop:1" },
			[]string{"find the image of orders: idemcheck.invalid/shop:1 is not on this machine and cannot be pulled: ", "docker login"}},
		"image name": {func(o *targets.Target) { o.Run.Container.Image = "No Such Image" }, []string{"find the image of orders: ", "invalid reference format"}},
		"folder": {func(o *targets.Target) { built(o, "nowhere", "") },
			[]string{"build the image of orders from nowhere: there is no folder ", "nowhere"}},
		"dockerfile": {func(o *targets.Target) { built(o, folder, "") }, []string{"there is no Dockerfile in " + folder}},
		"build": {func(o *targets.Target) { built(o, folder, "Dockerfile.fails") },
			[]string{"build the image of orders from " + folder, "missing", "; the last lines of the build:\n", "COPY missing /missing"}},
		"buildkit": {func(o *targets.Target) {
			write("Dockerfile.kit", "FROM "+o.Run.Container.Image+"\nRUN --mount=type=cache,target=/x [\"/shop\", \"fail\"]\n")
			built(o, folder, "Dockerfile.kit")
		}, []string{"build the image of orders from ", "[/shop fail]", "exit code: 1"}},
		"parse": {func(o *targets.Target) {
			write("Dockerfile.parse", "FROM scratch\nCOPPY a b\n")
			built(o, folder, "Dockerfile.parse")
		}, []string{"build the image of orders from ", "unknown instruction: COPPY"}},
		"base":  {func(o *targets.Target) { built(o, folder, "Dockerfile.base") }, []string{"build the image of orders from ", "idemcheck.invalid"}},
		"ready": {func(o *targets.Target) { o.Run.Container.Ready = "healthz" }, []string{`ready: "healthz" is not a request`}},
		"url":   {func(o *targets.Target) { o.URL = "http://127.0.0.1:8080" }, []string{"url: http://127.0.0.1:8080 is not where a container is reached"}},
		"tls":   {func(o *targets.Target) { o.TLS.CA = "missing.pem" }, []string{"tls.ca: "}},
		"store": {func(o *targets.Target) {
			o.Run.CrashPoints = &targets.CrashPoints{Through: &targets.Through{Env: "PASSWORD", Protocol: "tcp"}}
		}, []string{"stand before the target's database: the value of PASSWORD"}},
		"observer": {func(o *targets.Target) {
			o.Observers = []targets.Observer{{Name: "rows", SQL: &targets.SQLQuery{DSN: "{{services.db}}"}}}
		}, []string{"observer rows: dsn: {{services.db}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := shop(t)
			broken.Run.Container.ReadyWithin = briefly
			if name != "image" && name != "folder" { // most need none
				broken.Run.Container.Services = targets.Services{store(t, "database")}
				broken.Run.Container.Services[0].ReadyWithin = briefly
			}
			row.change(broken)
			e, err := Open(t.Context(), broken)
			assert.NoError(t, e.Close(), "a nil endpoint can be closed")
			require.Nil(t, e)
			require.Error(t, err)
			for _, words := range row.words {
				assert.ErrorContains(t, err, words)
			}
			assert.NotContains(t, err.Error(), "s3cret-word")
		})
	}
}

func built(o *targets.Target, context, dockerfile string) {
	o.Run.Container.Image = ""
	o.Run.Container.Build = &targets.Build{Context: context, Dockerfile: dockerfile}
}

// asked runs Available in a process of its own: what testcontainers finds out first it keeps.
func asked(t *testing.T, as, host string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+as, "DOCKER_HOST="+host)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestNoEngine(t *testing.T) {
	t.Parallel()
	host := "unix://" + filepath.Join(t.TempDir(), "docker.sock")
	assert.Regexp(t, `^no Docker engine answers at `+host+`: .*no such file.* \(is it started\? if it listens elsewhere, set DOCKER_HOST\)$`,
		asked(t, "available", host))
	assert.Regexp(t, `^no Docker engine answers at tcp://127\.0\.0\.1:1: .* \(is it started\?`, asked(t, "available", "tcp://127.0.0.1:1"))
}

func TestNoPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become nobody")
	}
	path := filepath.Join(t.TempDir(), "docker.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, os.Chmod(path, 0o600))
	assert.Regexp(t, `^no permission to use the Docker engine: .*permission denied.* \(add yourself to the group docker .*DOCKER_HOST`,
		asked(t, "nobody", "unix://"+path))
}
