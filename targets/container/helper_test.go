package container

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	eventually = 20 * time.Second
	tick       = 5 * time.Millisecond
	role       = "IDEMCHECK_TEST_ROLE" // tells the test binary that it is another program, and which
)

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(role)]; ok {
		play()
		return
	}
	code := m.Run()
	if e, err := connect(context.Background()); err == nil {
		e.removeRun(context.Background(), shopRun)
	}
	os.RemoveAll(shopFolder)
	os.Exit(code)
}

// roles are the programs that the test binary can be.
var roles = map[string]func(){
	"available": func() { fmt.Print(Available(context.Background())) },
	"nobody":    func() { becomeNobody(); fmt.Print(Available(context.Background())) },
	"killed":    openAndWait,
}

// shopRun labels the image that the tests share.
var shopRun = fmt.Sprintf("tests-%d", os.Getpid())

// shopFolder holds the shop's build context.
var shopFolder string

// buildContext compiles the shop, once.
var buildContext = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "idemcheck-shop-")
	if err != nil {
		return "", err
	}
	shopFolder = dir
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "shop"), "./testdata/shop")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	dockerfile, err := os.ReadFile("testdata/shop/Dockerfile")
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "Dockerfile"), dockerfile, 0o600)
})

// shopImage builds the image that the tests share, once.
var shopImage = sync.OnceValues(func() (string, error) {
	dir, err := buildContext()
	if err != nil {
		return "", err
	}
	e, err := connect(context.Background())
	if err != nil {
		return "", err
	}
	s := &site{engine: e, id: shopRun, target: &targets.Target{}}
	return s.build(context.Background(), "shop", targets.Build{Context: dir})
})

// docker gives the engine, or skips the test.
func docker(t *testing.T) *engine {
	t.Helper()
	e, err := connect(t.Context())
	if err != nil {
		if os.Getenv("IDEMCHECK_TEST_DOCKER") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return e
}

// shop is a target in a container of the shop's image.
func shop(t *testing.T, command ...string) *targets.Target {
	t.Helper()
	docker(t)
	image, err := shopImage()
	require.NoError(t, err)
	secrets := targets.NewSecrets()
	secrets.Add("s3cret-word")
	return &targets.Target{
		Name: "orders", File: filepath.Join(shopFolder, "orders.yaml"), Secrets: secrets,
		Run: &targets.Run{Container: &targets.Container{
			Image: image, Command: command, Port: 8080, Env: map[string]string{"PASSWORD": "s3cret-word"}, Ready: "GET /healthz",
			Volumes: map[string]string{"data": "/data"},
		}},
	}
}

// store is the store as a service.
func store(t *testing.T, name string) targets.Service {
	t.Helper()
	image, err := shopImage()
	require.NoError(t, err)
	return targets.Service{Name: name, Image: image, Command: targets.Strings{"store"}, Port: 7000}
}

func mustOpen(t *testing.T, target *targets.Target) *targets.Endpoint {
	t.Helper()
	e, err := Open(t.Context(), target)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// get gives the body of an answer; empty where there is none.
func get(url string) string {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	res, err := client.Get(url)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// things counts what is labelled, by kind.
func things(t *testing.T, e *engine, label string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, k := range kinds() {
		found, err := k.list(context.Background(), e, make(client.Filters).Add("label", label))
		require.NoError(t, err)
		if len(found) > 0 {
			n[k.name] = len(found)
		}
	}
	return n
}
