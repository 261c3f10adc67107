package targets

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// statusProxyAuth is how a proxy asks for credentials (RFC 9110 section 15.5.8).
const statusProxyAuth = http.StatusProxyAuthRequired

// maxProxyHeader bounds the answer of a proxy to CONNECT, in bytes.
const maxProxyHeader = 64 << 10

// dialProxy connects to an HTTP proxy.
func (s *Sender) dialProxy(ctx context.Context, proxy *url.URL) (*link, error) {
	if proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, failure(FailureProxy, "a proxy of the kind %q is not supported, only http and https", proxy.Scheme)
	}
	l, err := dialTCP(ctx, address(proxy))
	if err != nil {
		return nil, throughProxy(ctx, err)
	}
	if proxy.Scheme == "https" {
		// The same authorities as for the target, but neither its name nor our certificate.
		config := &tls.Config{RootCAs: s.o.TLS.RootCAs, NextProtos: []string{alpnHTTP1}}
		if err := l.secure(ctx, config, proxy.Hostname()); err != nil {
			return nil, throughProxy(ctx, err)
		}
	}
	return l, nil
}

// dialTunnel connects to an address through a proxy (CONNECT, RFC 9110 section 9.3.6).
func (s *Sender) dialTunnel(ctx context.Context, proxy *url.URL, to string) (*link, error) {
	l, err := s.dialProxy(ctx, proxy)
	if err != nil {
		return nil, err
	}
	if err := l.tunnel(proxy, to); err != nil {
		l.close(false)
		return nil, throughProxy(ctx, err)
	}
	return l, nil
}

// tunnel asks the proxy for the connection.
func (l *link) tunnel(proxy *url.URL, to string) error {
	ask := fmt.Sprintf("CONNECT %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n", to, to, userAgent)
	if proxy.User != nil {
		ask += "Proxy-Authorization: " + basicAuth(proxy.User) + "\r\n"
	}
	if _, err := io.WriteString(l, ask+"\r\n"); err != nil {
		return err
	}
	br := bufio.NewReader(io.LimitReader(l, maxProxyHeader))
	res, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	switch {
	case err != nil:
		return err
	case res.StatusCode == statusProxyAuth:
		return failure(FailureProxy, "the proxy asks for other credentials (407)")
	case res.StatusCode/100 != 2:
		return failure(FailureProxy, "the proxy refused the connection with status %d", res.StatusCode)
	case br.Buffered() > 0:
		return failure(FailureProxy, "the proxy sent bytes before the target was asked")
	}
	return nil
}

// throughProxy turns a failure on the way to the proxy, or in it, into one of the proxy.
func throughProxy(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, words := classify(err)
	return failure(FailureProxy, "proxy: %s", words)
}
