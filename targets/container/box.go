package container

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	defaultReadyTimeout = 60 * time.Second
	patience            = 5                // seconds that the target has to end when it is asked to
	storePatience       = 30               // seconds that a database has to write down what it holds
	killTimeout         = 10 * time.Second // a killed process that waits for a broken disk does not end
	hostName            = "host.docker.internal"
)

// plan says what is run in a container.
type plan struct {
	what     string // in messages: "orders", "service database"
	image    string
	command  []string
	env      map[string]string
	port     int
	volumes  map[string]string
	within   time.Duration
	patience int
}

// box is one container with the front before it. Its methods may be called by several goroutines, and do one thing at
// a time.
type box struct {
	plan
	name  string // of the service
	site  *site
	front *front
	ready func(context.Context) error

	mu        sync.Mutex // of the methods that start and end the container
	id        string
	container testcontainers.Container
	run       *run

	keep sync.Mutex // of the field below
	kept *tail
}

// run is one run of a container.
type run struct {
	over chan struct{} // closed after it has ended and the front leads nowhere
	err  error         // why that cannot be known; to be read after over
}

// newBox makes the front.
func (s *site) newBox(ctx context.Context, p plan) (*box, error) {
	f, err := newFront(ctx)
	if err != nil {
		return nil, err
	}
	if p.within <= 0 {
		p.within = defaultReadyTimeout
	}
	return &box{plan: p, site: s, front: f}, nil
}

// open makes the container, starts it, and waits until it is ready.
func (b *box) open(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("start %s: %w", b.what, err)
	}
	if err := b.create(ctx); err != nil {
		return fmt.Errorf("make a container of %s: %w", b.image, err)
	}
	return b.start(ctx)
}

func (b *box) create(ctx context.Context) error {
	ctx, cancel := making(ctx)
	defer cancel()
	port := fmt.Sprintf("%d/tcp", b.port)
	request := testcontainers.ContainerRequest{
		Name: b.site.named(fmt.Sprintf("%d-%s", b.site.next(), b.what)), Image: b.image, Cmd: b.command, Env: b.env,
		ExposedPorts: []string{port}, Labels: b.site.ownLabels(), Networks: []string{b.site.network},
		HostConfigModifier: func(c *container.HostConfig) {
			c.PortBindings = network.PortMap{network.MustParsePort(port): {{HostIP: b.site.publishedAt()}}}
			if b.callsHost() {
				c.ExtraHosts = []string{hostName + ":host-gateway"}
			}
		},
	}
	if b.name != "" {
		request.NetworkAliases = map[string][]string{b.site.network: {b.name}}
	}
	for name, path := range b.volumes {
		request.Mounts = append(request.Mounts, testcontainers.VolumeMount(b.site.volumes[name], testcontainers.ContainerMountTarget(path)))
	}
	made, err := b.site.engine.provider.CreateContainer(ctx, request)
	if err != nil {
		return err
	}
	b.container, b.id = made, made.GetContainerID()
	return nil
}

// callsHost reports whether something in the environment names this machine. On Linux the name must be given.
func (b *box) callsHost() bool {
	for _, value := range b.env {
		if strings.Contains(value, hostName) {
			return true
		}
	}
	return false
}

// start starts the container and waits until it is ready; otherwise it is killed.
func (b *box) start(ctx context.Context) error {
	steady, cancel := making(ctx)
	defer cancel()
	if _, err := b.site.engine.ContainerStart(steady, b.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start %s: %w", b.what, err)
	}
	b.watch()
	err := b.awaitReady(ctx)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("start %s: %w%s", b.what, err, b.lastLines(ctx))
	b.end(context.WithoutCancel(ctx)) //nolint:errcheck // the first error says it
	return err
}

// watch waits for the end of the container, whatever its cause, and then lets the front lead nowhere.
func (b *box) watch() {
	r := &run{over: make(chan struct{})}
	b.run = r
	b.site.running.Go(func() {
		defer close(r.over)
		waiting := b.site.engine.ContainerWait(b.site.life, b.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case <-waiting.Result:
			b.front.cut()
		case r.err = <-waiting.Error:
		}
	})
}

// kill ends the container as a crash does and waits until nothing of it runs. A dead one is not an error.
func (b *box) kill(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.end(ctx); err != nil {
		return fmt.Errorf("kill %s: %w", b.what, err)
	}
	return nil
}

func (b *box) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	_, err := b.site.engine.ContainerKill(ctx, b.id, client.ContainerKillOptions{Signal: "KILL"})
	if err != nil && !errdefs.IsConflict(err) { // which says that it does not run
		return err
	}
	return b.await(ctx)
}

// await waits until nothing of the container runs any more.
func (b *box) await(ctx context.Context) error {
	select {
	case <-b.run.over:
		if b.run.err != nil {
			return fmt.Errorf("wait for its end: %w", b.run.err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("it does not end: %w", ctx.Err())
	}
}

// restart starts the container again, on the same data, and waits until it is ready. One that still runs is asked to
// end first.
func (b *box) restart(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.site.engine.ContainerStop(ctx, b.id, client.ContainerStopOptions{Timeout: &b.patience}); err != nil {
		return fmt.Errorf("restart %s: %w", b.what, err)
	}
	if err := b.await(ctx); err != nil {
		return fmt.Errorf("restart %s: %w", b.what, err)
	}
	if err := b.start(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}
