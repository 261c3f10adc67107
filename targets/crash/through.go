package crash

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"regexp"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Through starts a proxy before the database whose address a target is given in its environment, and gives the address
// by which the target reaches the proxy in its place. The address may be scheme://user:password@host:port/…,
// tcp(host:port), host=… port=…, or host:port.
//
// listen is the host on which the proxy listens, at a free port; empty: 127.0.0.1. seenAs is that host as the target
// sees it; empty: the same. resolve gives where this machine reaches the host:port of the address; nil: there.
//
// What the address asks of TLS holds for the way from the proxy to the database: sslmode require encrypts it. A target
// that insists on checking the database's certificate, or on channel binding, cannot be served and is refused here.
//
// The proxy ends with the context, or with Close.
func Through(ctx context.Context, section *targets.Through, written, listen, seenAs string, resolve func(hostPort string) string) (*Proxy, string, error) {
	p, rewritten, err := through(ctx, section, written, listen, seenAs, resolve)
	if err != nil {
		return nil, "", fmt.Errorf("stand before the target's database: the value of %s: %w", section.Env, err)
	}
	return p, rewritten, nil
}

func through(ctx context.Context, section *targets.Through, written, listen, seenAs string, resolve func(string) string) (*Proxy, string, error) {
	protocol := Protocol(section.Protocol)
	a, err := parseAddress(written, protocol)
	if err != nil {
		return nil, "", err
	}
	o := Options{Upstream: a.hostPort, Protocol: protocol}
	if o.TLSUpstream, err = upstreamTLS(written, protocol, a.hostPort); err != nil {
		return nil, "", err
	}
	o.PlainClients = o.TLSUpstream == nil
	if resolve != nil {
		o.Upstream = resolve(a.hostPort)
	}
	p, err := startLow(ctx, o, listen)
	if err != nil {
		return nil, "", err
	}
	host, port, err := net.SplitHostPort(p.Addr())
	if err != nil {
		return nil, "", errors.Join(err, p.Close())
	}
	if seenAs != "" {
		host = seenAs
	}
	return p, a.at(net.JoinHostPort(host, port)), nil
}

// startLow starts a proxy at a free port below the range of ephemeral ports: while the proxy refuses connections, none
// of the target's outgoing ones may take its port.
func startLow(ctx context.Context, o Options, host string) (p *Proxy, err error) {
	if host == "" {
		host = "127.0.0.1"
	}
	for range 10 {
		port, freeErr := targets.FreePort(host)
		if freeErr != nil {
			return nil, freeErr
		}
		o.Listen = net.JoinHostPort(host, fmt.Sprint(port))
		if p, err = Start(ctx, o); err == nil {
			return p, nil
		}
	}
	return nil, err
}

var (
	tlsMode        = regexp.MustCompile(`(?i)\b(?:ssl-?mode|tls|useSSL)\s*=\s*'?([A-Za-z_-]+)`)
	channelBinding = regexp.MustCompile(`\bchannel_binding\s*=\s*'?require`)
)

// upstreamTLS says how the proxy reaches the database: encrypted where the address insists on it.
func upstreamTLS(written string, p Protocol, hostPort string) (*tls.Config, error) {
	m := tlsMode.FindStringSubmatch(written)
	mode := ""
	if m != nil {
		mode = m[1]
	}
	switch {
	case p == TCP:
		return nil, nil // passed through as it is
	case p == MySQL && mode != "" && mode != "false" && mode != "preferred" && mode != "disabled" && mode != "DISABLED":
		return nil, fmt.Errorf("it asks for TLS (%s), which a proxy before MySQL does not offer: switch it off for the test", m[0])
	case p == MySQL:
		return nil, nil
	case channelBinding.MatchString(written):
		return nil, errors.New("it insists on channel binding, which no proxy can satisfy: say channel_binding=disable for the test")
	case mode == "verify-ca" || mode == "verify-full":
		return nil, fmt.Errorf("it insists on the database's own certificate (%s), which no proxy can show: say sslmode=require for the test", m[0])
	case mode == "require":
		host, _, _ := net.SplitHostPort(hostPort)
		return &tls.Config{InsecureSkipVerify: true, ServerName: host}, nil //nolint:gosec // as sslmode=require has it
	}
	return nil, nil
}

// HostOf gives the host in a database's address as a target is given it; empty where the address cannot be read.
func HostOf(written, protocol string) string {
	a, err := parseAddress(written, Protocol(protocol))
	if err != nil {
		return ""
	}
	host, _, _ := net.SplitHostPort(a.hostPort)
	return host
}
