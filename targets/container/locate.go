package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// locate finds out where containers are reached. Where the network's gateway is an address of this machine, the engine
// runs on it and so do the containers, whatever else it looks like: testcontainers takes an engine for another machine's
// wherever idemcheck itself runs in a container, also when the engine runs in that container too.
func (s *site) locate() {
	s.host, s.local, s.direct = s.engine.host, loopback(s.engine.host), s.gatewayIsHere()
	if s.direct || s.local {
		s.host, s.local = "127.0.0.1", true // the ports are published there; localhost may be ::1
	}
}

// gatewayIsHere reports whether the network's gateway is an address of this machine.
func (s *site) gatewayIsHere() bool {
	addresses, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(addresses, func(a net.Addr) bool {
		here, ok := a.(*net.IPNet)
		return ok && here.IP.String() == s.gateway
	})
}

// hosting says how this machine listens for containers of the network, and how they call it; empty: by the same
// address. Where the engine runs in a machine of its own, as Docker Desktop's does, the gateway is there and not here.
func (s *site) hosting() (listen, seenAs string, err error) {
	switch {
	case !s.local:
		return "", "", fmt.Errorf("the Docker engine's containers are at %s and do not reach this machine", s.host)
	case s.direct:
		return s.gateway, "", nil
	}
	return "127.0.0.1", hostName, nil
}

// find gives where a container is now: by its own address where this machine has a way to it, or where its port is
// published. The engine's own proxy before a published port takes every connection, and closes it at once where nobody
// listens behind it; and it costs time between the requests of a burst.
func (b *box) find(ctx context.Context) (string, error) {
	if !b.site.direct {
		port, err := b.container.MappedPort(ctx, fmt.Sprintf("%d/tcp", b.port))
		return net.JoinHostPort(b.site.host, port.Port()), err
	}
	found, err := b.container.Inspect(ctx)
	if err != nil {
		return "", err
	}
	if at := found.NetworkSettings.Networks[b.site.network]; at != nil && at.IPAddress.IsValid() {
		return net.JoinHostPort(at.IPAddress.String(), strconv.Itoa(b.port)), nil
	}
	return "", errors.New("it has no address in the network")
}

// publishedAt keeps what a container offers on this machine, where the engine runs on it.
func (s *site) publishedAt() netip.Addr {
	if s.local {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.Addr{}
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
