package container

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

const (
	connectTimeout = 20 * time.Second // an engine that hangs does not refuse
	ryukSwitch     = "TESTCONTAINERS_RYUK_DISABLED"
)

// engine is the Docker engine that is used.
type engine struct {
	client.APIClient
	provider *testcontainers.DockerProvider
	host     string // where testcontainers believes the ports to be that it publishes
}

// Available says why no Docker engine can be used; nil: one can.
func Available(ctx context.Context) error {
	_, err := connect(ctx)
	return err
}

// connect finds the engine: DOCKER_HOST, or one of the usual sockets.
func connect(caller context.Context) (*engine, error) {
	ctx, cancel := context.WithTimeout(caller, connectTimeout)
	defer cancel()
	type found struct {
		engine *engine
		err    error
	}
	answer := make(chan found, 1)
	// testcontainers keeps for the life of the process what it finds out first. It must not see a context that ends.
	go func() {
		e, err := find(context.WithoutCancel(ctx))
		answer <- found{e, err}
	}()
	select {
	case f := <-answer:
		if f.err != nil {
			return nil, unavailable(f.err)
		}
		return f.engine, nil
	case <-ctx.Done():
	}
	if caller.Err() != nil {
		return nil, fmt.Errorf("look for a Docker engine: %w", caller.Err())
	}
	return nil, unavailable(fmt.Errorf("nothing has come back within %s", connectTimeout))
}

// find asks testcontainers for the engine.
func find(ctx context.Context) (*engine, error) {
	quiet()
	provider, err := testcontainers.ProviderDefault.GetProvider(testcontainers.WithLogger(log.NewNoopLogger()))
	if err != nil {
		return nil, err
	}
	docker, ok := provider.(*testcontainers.DockerProvider)
	if !ok {
		return nil, fmt.Errorf("provider %T is not Docker's", provider)
	}
	if err := meant(ctx, docker.Client().DaemonHost()); err != nil {
		return nil, err
	}
	host, err := docker.DaemonHost(ctx)
	if err != nil {
		return nil, err
	}
	return &engine{APIClient: docker.Client(), provider: docker, host: host}, nil
}

// meant refuses another engine than the one that the user has named: testcontainers goes on to the usual sockets where
// nobody answers at DOCKER_HOST.
func meant(ctx context.Context, found string) error {
	named := os.Getenv("DOCKER_HOST")
	if named == "" || named == found {
		return nil
	}
	asked, err := client.New(client.FromEnv)
	if err != nil {
		return err
	}
	defer asked.Close()
	_, err = asked.Ping(ctx, client.PingOptions{})
	return err
}

// unavailable says in one message why there is no engine, and what can be done.
func unavailable(err error) error {
	cause := strings.ReplaceAll(err.Error(), "\n", "; ")
	if strings.Contains(cause, "permission denied") {
		return fmt.Errorf("no permission to use the Docker engine: %s (add yourself to the group docker and log in again, "+
			"or set DOCKER_HOST to an engine that you may use)", cause)
	}
	return fmt.Errorf("no Docker engine answers at %s: %s (is it started? if it listens elsewhere, set DOCKER_HOST)", usual(), cause)
}

// usual is where an engine is looked for first.
func usual() string {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return host
	}
	return client.DefaultDockerHost
}

// quiet settles how testcontainers behaves in this process, which reads its settings once. It must not print. Its reaper
// Ryuk removes everything soon after idemcheck was killed; but it is an image that cannot be pulled on a closed network,
// so it runs only where it is present. Without it the next idemcheck removes what is left.
var quiet = sync.OnceFunc(func() {
	log.SetDefault(log.NewNoopLogger())
	if _, set := os.LookupEnv(ryukSwitch); !set && !ryukIsHere() {
		os.Setenv(ryukSwitch, "true")
		defer os.Unsetenv(ryukSwitch) // the commands that idemcheck starts need not see it
	}
	testcontainers.ReadConfig()
})

// ryukIsHere reports whether the reaper's image need not be pulled. It asks without testcontainers, which would read
// its settings first.
func ryukIsHere() bool {
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return false
	}
	defer docker.Close()
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout/4)
	defer cancel()
	//lint:ignore SA1019 nothing else names the image of this version
	_, err = docker.ImageInspect(ctx, testcontainers.ReaperDefaultImage)
	return err == nil
}
