package targets

import (
	"context"
	"net"
	"net/url"
	"strings"

	"golang.org/x/time/rate"
)

// newLimiter spaces requests evenly: a target's limit is seldom one of the average only. Nil for no limit.
func newLimiter(r Rate) *rate.Limiter {
	if r <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(r), 1)
}

// Take waits until n further requests are within the rate limit. Send does it for itself; whoever uses Prepare takes
// all requests of a burst first. It fails when the context ends, or would end, before that.
func (s *Sender) Take(ctx context.Context, n int) error {
	if s.limit == nil {
		return ctx.Err()
	}
	for range n {
		if err := s.limit.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return failure(FailureNotSent, "the rate limit leaves no time for this request")
		}
	}
	return nil
}

// hostSet holds the hosts that may be contacted: "host" for any port, "host:port" for one.
type hostSet map[string]bool

// newHostSet reads what SenderOptions.Hosts allows.
func newHostSet(entries []string) hostSet {
	set := make(hostSet, len(entries))
	for _, entry := range entries {
		if u, err := url.Parse(entry); err == nil && u.Scheme != "" && u.Host != "" {
			entry = address(u)
		} else if strings.Count(entry, ":") > 1 && !strings.Contains(entry, "]") {
			entry = strings.Trim(entry, "[]") // an IPv6 address without a port
		}
		set[strings.ToLower(entry)] = true
	}
	return set
}

// allow reports whether the host of a URL may be contacted.
func (h hostSet) allow(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return h[host] || h[net.JoinHostPort(host, portOf(u))]
}
