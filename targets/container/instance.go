package container

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/moby/moby/client"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// instance is one container of the target itself, with the proxy between it and its database.
type instance struct {
	*box
	url   string
	proxy *crash.Proxy // nil: none
}

// start starts a further instance on the same volumes and waits until it is ready. On an error nothing of it is left.
func (s *site) start(ctx context.Context) (*instance, error) {
	c := s.target.Run.Container
	b, err := s.newBox(ctx, plan{what: s.target.Name, image: s.image, command: c.Command, env: maps.Clone(c.Env), port: c.Port,
		volumes: c.Volumes, within: c.ReadyWithin.Std(), patience: patience})
	if err != nil {
		return nil, err
	}
	i := &instance{box: b}
	if err := s.join(i); err != nil {
		b.front.close()
		return nil, err
	}
	defer s.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	if err := s.prepare(ctx, i); err != nil {
		return nil, errors.Join(err, s.drop(ctx, i))
	}
	if err := i.open(ctx); err != nil {
		return nil, errors.Join(err, s.drop(ctx, i))
	}
	return i, nil
}

// prepare finds out where the instance is, when it is ready, and what it is told about its database.
func (s *site) prepare(ctx context.Context, i *instance) (err error) {
	if i.url, err = baseURL(s.target.URL, i.front.addr()); err != nil {
		return err
	}
	options, err := targets.SenderOptionsFor(s.target, i.url)
	if err != nil {
		return err
	}
	options.Rate = 0 // asking whether it is ready is no part of the run
	if i.ready, err = i.answers(targets.NewSender(options), i.url, s.target.Run.Container.Ready); err != nil {
		return err
	}
	return s.standBefore(ctx, i)
}

// standBefore starts the instance's own proxy before the database that its environment names.
func (s *site) standBefore(ctx context.Context, i *instance) (err error) {
	section := s.through()
	if section == nil || section.Env == "" {
		i.proxy = s.shared
		return nil
	}
	listen, seenAs, err := s.hosting()
	if err != nil {
		return fmt.Errorf("stand before the target's database: %w", err)
	}
	// The proxy lives as long as the instance; the context is that of the start.
	i.proxy, i.env[section.Env], err = crash.Through(context.WithoutCancel(ctx), section, i.env[section.Env], listen, seenAs, s.resolve)
	return err
}

// shareProxy starts the one proxy that the target's user has told the target to find its database at.
func (s *site) shareProxy(ctx context.Context) (err error) {
	section := s.through()
	if section == nil || section.Env != "" {
		return nil
	}
	s.shared, err = crash.Start(context.WithoutCancel(ctx), crash.Options{
		Upstream: s.resolve(section.Upstream), Protocol: crash.Protocol(section.Protocol), Listen: section.Listen})
	return err
}

// through gives the section about the proxy; nil: there is none.
func (s *site) through() *targets.Through {
	if points := s.target.Run.CrashPoints; points != nil {
		return points.Through
	}
	return nil
}

// resolve gives where this machine reaches what a container calls host:port, and remembers the service behind it.
func (s *site) resolve(hostPort string) string {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return hostPort
	}
	if b := s.service(host); b != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.store = b
		return b.front.addr()
	}
	if host == hostName {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return hostPort
}

// shut ends what belongs to an instance on this machine, and keeps what the container has printed.
func (i *instance) shut(ctx context.Context) error {
	i.keepPrinted(ctx)
	i.front.close()
	if i.proxy == nil || i.proxy == i.site.shared {
		return nil
	}
	return i.proxy.Close()
}

// drop removes one instance.
func (s *site) drop(ctx context.Context, i *instance) error {
	s.mu.Lock()
	at := slices.Index(s.instances, i)
	if at >= 0 {
		s.instances = slices.Delete(slices.Clone(s.instances), at, at+1)
	}
	s.mu.Unlock()
	if at < 0 {
		return nil // it was dropped already, or goes with the site
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	err := i.shut(ctx)
	if i.id == "" {
		return err
	}
	_, removeErr := s.engine.ContainerRemove(ctx, i.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if removeErr != nil && !underWay(removeErr) {
		return errors.Join(err, fmt.Errorf("remove a container of %s: %w", i.what, removeErr))
	}
	return err
}

// baseURL is where the instance behind a front is reached. Any other address would be another target.
func baseURL(written, front string) (string, error) {
	if written == "" {
		return "http://" + front, nil
	}
	_, port, err := net.SplitHostPort(front)
	if err != nil {
		return "", err
	}
	base, err := targets.Expand(written, targets.Vars{"port": port})
	if err != nil {
		return "", fmt.Errorf("url: %w", err)
	}
	u, err := url.Parse(base)
	if err != nil || u.Port() != port || !loopback(u.Hostname()) {
		return "", fmt.Errorf("url: %s is not where a container is reached: leave url out, or write http://127.0.0.1:{{port}}", written)
	}
	return strings.TrimRight(base, "/"), nil
}
