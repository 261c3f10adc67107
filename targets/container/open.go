package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// Open starts the target of a `run.container` section and gives its endpoint: the services in the order of the file,
// each when the one before is ready, and then the instances of the target, all on a network of their own. The first
// instance can be killed and restarted. In the observers of the endpoint's target {{services.NAME}} is replaced by the
// address at which a service is reached. The context bounds the start only.
//
// What dead runs have left behind is removed first. On an error everything is undone already. The error may hold what
// the containers have printed, without secrets.
func Open(ctx context.Context, t *targets.Target) (*targets.Endpoint, error) {
	e := &targets.Endpoint{}
	err := open(ctx, t, e)
	if err == nil {
		return e, nil
	}
	err = errors.Join(err, e.Close())
	return nil, &openError{words: t.Secrets.Redact(fmt.Sprintf("open %s: %s", t.Name, err)), err: err}
}

// openError is an error whose words are without secrets.
type openError struct {
	words string
	err   error
}

func (e *openError) Error() string { return e.words }

func (e *openError) Unwrap() error { return e.err }

// open fills in the endpoint, with whatever must be undone.
func open(ctx context.Context, t *targets.Target, e *targets.Endpoint) error {
	engine, err := connect(ctx)
	if err != nil {
		return err
	}
	engine.removeStale(ctx) //nolint:errcheck // what dead runs have left is in nobody's way; RemoveStale says why it stays
	s, err := newSite(ctx, engine, t)
	e.OnClose(func() error { return s.close(ctx) })
	if err != nil {
		return err
	}
	if err := s.startServices(ctx); err != nil {
		return err
	}
	instances, err := s.startInstances(ctx)
	if err != nil {
		return err
	}
	return s.fill(e, instances)
}

// startServices starts the services one after the other.
func (s *site) startServices(ctx context.Context) error {
	for _, service := range s.target.Run.Container.Services {
		what := "service " + service.Name
		image, err := s.find(ctx, what, service.Image, service.Build)
		if err != nil {
			return err
		}
		b, err := s.newBox(ctx, plan{what: what, image: image, command: service.Command, env: service.Env, port: service.Port,
			volumes: service.Volumes, within: service.ReadyWithin.Std(), patience: storePatience})
		if err != nil {
			return err
		}
		b.name, b.ready = service.Name, b.succeeds(service.Ready)
		s.services = append(s.services, b)
		if err := b.open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startInstances starts the target as often as the file says, one after the other: the first may set up the database.
func (s *site) startInstances(ctx context.Context) (all []*instance, err error) {
	c := s.target.Run.Container
	if s.image, err = s.find(ctx, s.target.Name, c.Image, c.Build); err != nil {
		return nil, err
	}
	if err := s.shareProxy(ctx); err != nil {
		return nil, err
	}
	for range max(1, c.Replicas) {
		i, err := s.start(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// fill says in the endpoint what can be done to the target.
func (s *site) fill(e *targets.Endpoint, all []*instance) error {
	addresses := map[string]string{}
	for _, b := range s.services {
		addresses[b.name] = b.front.addr()
	}
	t, err := withAddresses(s.target, addresses)
	if err != nil {
		return err
	}
	t.Replicas = slices.Clone(t.Replicas)
	for _, i := range all[1:] {
		t.Replicas = append(t.Replicas, i.url)
	}
	if err := s.describe(e, t, all); err != nil {
		return err
	}
	e.About += s.further(len(all) - 1)
	if s.shared == nil {
		e.Another = func(ctx context.Context) (*targets.Endpoint, error) { return s.another(ctx, t) }
	}
	if s.through() == nil {
		return nil
	}
	e.RefuseStore = func(refuse bool) (refused int) {
		for _, i := range all {
			refused += i.proxy.Refuse(refuse)
		}
		return refused
	}
	if s.store != nil {
		e.RestartStore = s.store.restart
	}
	return nil
}

// describe fills in what an endpoint of the first of these instances can do.
func (s *site) describe(e *targets.Endpoint, t *targets.Target, all []*instance) error {
	i := all[0]
	options, err := targets.SenderOptionsFor(t, i.url)
	if err != nil {
		return err
	}
	e.Target, e.URL, e.Replicas, e.Sender, e.Loopback = t, i.url, t.Replicas, targets.NewSender(options), true
	e.About = fmt.Sprintf("container %s (%.12s)", s.imageName(), i.id)
	e.Kill, e.Restart = i.kill, i.restart
	e.Logs = func() string { return t.Secrets.Redact(printedBy(all)) }
	if i.proxy != nil {
		e.Points = i.proxy.Points()
	}
	if points := t.Run.CrashPoints; points != nil && points.Named != nil {
		e.Points = crash.NewNamed(points.Named, e.Sender.Send, e.URL, t.Headers)
	}
	return nil
}

// another starts a further instance, as an endpoint of its own.
func (s *site) another(ctx context.Context, t *targets.Target) (*targets.Endpoint, error) {
	i, err := s.start(ctx)
	if err != nil {
		return nil, &openError{words: t.Secrets.Redact(fmt.Sprintf("open another instance of %s: %s", t.Name, err)), err: err}
	}
	e := &targets.Endpoint{}
	e.OnClose(func() error { return s.drop(ctx, i) })
	if err := s.describe(e, t, []*instance{i}); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if i.proxy != nil {
		e.RefuseStore = i.proxy.Refuse
	}
	return e, nil
}

// imageName says what the target is run from.
func (s *site) imageName() string {
	if c := s.target.Run.Container; c.Build != nil {
		return "built from " + c.Build.Context
	}
	return s.target.Run.Container.Image
}

// further names the other containers.
func (s *site) further(replicas int) string {
	var text string
	switch {
	case replicas == 1:
		text = " and a replica"
	case replicas > 1:
		text = fmt.Sprintf(" and %d replicas", replicas)
	}
	var names []string
	for _, service := range s.target.Run.Container.Services {
		from := service.Image
		if service.Build != nil {
			from = "built from " + service.Build.Context
		}
		names = append(names, fmt.Sprintf("%s (%s)", service.Name, from))
	}
	if names == nil {
		return text
	}
	return text + ", with " + strings.Join(names, ", ")
}

// printedBy gives what instances have printed.
func printedBy(all []*instance) string {
	if len(all) == 1 {
		return all[0].printed(context.Background()).String()
	}
	var text strings.Builder
	for n, i := range all {
		fmt.Fprintf(&text, "instance %d:\n%s", n+1, i.printed(context.Background()))
	}
	return text.String()
}
