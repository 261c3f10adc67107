package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

const (
	removeTimeout = time.Minute // of everything; it goes on after the context of the run has ended
	makeTimeout   = time.Minute
)

// site is where one open target and its services live.
type site struct {
	engine  *engine
	target  *targets.Target // as it was written
	id      string
	network string // its name
	gateway string // the network's own address of the machine on which the engine runs
	host    string // where the ports that the engine publishes are reached
	local   bool   // that is this machine
	direct  bool   // this machine has a way to the containers' own addresses
	volumes map[string]string

	services []*box       // in the order of the file
	image    string       // of the target
	shared   *crash.Proxy // the one before the database, where the file says at which address; nil: none, or each has its own

	life    context.Context // of all that watches and starts containers
	endLife context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	instances []*instance
	numbered  int  // instances so far
	store     *box // the service that the proxies lead to
	closed    bool
}

// newSite makes the network and the volumes.
func newSite(ctx context.Context, e *engine, t *targets.Target) (*site, error) {
	s := &site{engine: e, target: t, id: rand.Text()[:10], volumes: map[string]string{}}
	s.life, s.endLife = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.connect(ctx); err != nil {
		return s, err
	}
	return s, s.makeVolumes(ctx)
}

// makeVolumes makes each volume once: a name stands for the same one in the target and in the services.
func (s *site) makeVolumes(ctx context.Context) error {
	ctx, cancel := making(ctx)
	defer cancel()
	c := s.target.Run.Container
	names := slices.Collect(maps.Keys(c.Volumes))
	for _, service := range c.Services {
		names = slices.AppendSeq(names, maps.Keys(service.Volumes))
	}
	for n, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		s.volumes[name] = s.named(fmt.Sprintf("%d-%s", n+1, name))
		o := client.VolumeCreateOptions{Name: s.volumes[name], Labels: s.labels()}
		if _, err := s.engine.VolumeCreate(ctx, o); err != nil {
			return fmt.Errorf("make the volume %s: %w", name, err)
		}
	}
	return nil
}

// making gives a context for making something that must be removed in the end. The engine finishes what it was asked
// for, also when nobody waits for it any more: then it would come to be after everything was removed.
func making(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), makeTimeout)
}

// connect makes the network.
func (s *site) connect(ctx context.Context) error {
	ctx, cancel := making(ctx)
	defer cancel()
	n, err := network.New(ctx, network.WithLabels(s.labels()))
	if err != nil {
		return fmt.Errorf("make a network: %w", err)
	}
	s.network = n.Name
	found, err := s.engine.NetworkInspect(ctx, n.ID, client.NetworkInspectOptions{})
	if err != nil {
		return fmt.Errorf("look at the network: %w", err)
	}
	for _, config := range found.Network.IPAM.Config {
		if config.Gateway.Is4() {
			s.gateway = config.Gateway.String()
		}
	}
	s.locate()
	return nil
}

// labels are on everything that is made here. Those of testcontainers let its reaper find it.
func (s *site) labels() map[string]string {
	labels := testcontainers.GenericLabels()
	labels[ownerLabel], labels[runLabel] = self().String(), s.id
	return labels
}

// ownLabels are labels without those that testcontainers adds itself.
func (s *site) ownLabels() map[string]string {
	return map[string]string{ownerLabel: self().String(), runLabel: s.id}
}

// named gives the name of something here, which nothing else on the engine has.
func (s *site) named(part string) string {
	return strings.TrimSuffix("idemcheck-"+strings.ToLower(s.id)+"-"+plain(part), "-")
}

// service finds a service by its name.
func (s *site) service(name string) *box {
	for _, b := range s.services {
		if b.name == name {
			return b
		}
	}
	return nil
}

// join adds an instance that is being started, unless the site is being closed.
func (s *site) join(i *instance) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the target is closed")
	}
	s.instances = append(s.instances, i)
	s.running.Add(1)
	return nil
}

// next numbers the instances.
func (s *site) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbered++
	return s.numbered
}

// close ends and removes everything, also what is being started just now.
func (s *site) close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.endLife()
	s.running.Wait()
	s.mu.Lock()
	instances := s.instances
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	var errs []error
	for _, i := range instances {
		errs = append(errs, i.shut(ctx))
	}
	for _, b := range s.services {
		b.front.close()
	}
	if s.shared != nil {
		errs = append(errs, s.shared.Close())
	}
	if err := s.engine.removeRun(ctx, s.id); err != nil {
		errs = append(errs, fmt.Errorf("remove what was started: %w", err))
	}
	return errors.Join(errs...)
}
