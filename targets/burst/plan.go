package burst

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// planned is what goes to one origin by one protocol.
type planned struct {
	origin   string
	http2    bool
	attempts []int // their places in the burst
	err      error // why nothing can be sent there
}

// plan chooses the technique of each attempt. Its error is about all of them.
func (r *run) plan() error {
	ctx, cancel := context.WithTimeout(r.ctx, openLimit)
	defer cancel()
	r.techniques = make([]Technique, len(r.attempts))
	if r.o.Technique != "" {
		if err := r.force(); err != nil {
			return err
		}
	}
	for i, a := range r.attempts {
		r.group(originOf(a)).attempts = append(r.group(originOf(a)).attempts, i)
	}
	each(len(r.groups), func(i int) { r.choose(ctx, r.groups[i]) })
	for _, g := range r.groups {
		r.because(g)
	}
	return nil
}

// force checks whether a technique can be had at all.
func (r *run) force() error {
	t := r.o.Technique
	if words[t] == "" || t == Mixed {
		return targets.NewFailure(targets.FailureNotSent, "%q is not a technique", t)
	}
	for i, a := range r.attempts {
		if t.gatesBody() && !hasBody(a) {
			return targets.NewFailure(targets.FailureNotSent, "%s needs requests with a body", t)
		}
		if t.http2() && a.Fault != targets.NoFault {
			return targets.NewFailure(targets.FailureNotSent, "%s needs a connection for each request, which %s does not use", a.Fault, t)
		}
		r.techniques[i] = t
	}
	return nil
}

// group finds or begins the group of an origin.
func (r *run) group(origin string) *planned {
	for _, g := range r.groups {
		if g.origin == origin {
			return g
		}
	}
	g := &planned{origin: origin}
	r.groups = append(r.groups, g)
	return g
}

// choose finds out which protocol an origin speaks, and the techniques that follow.
func (r *run) choose(ctx context.Context, g *planned) {
	if t := r.o.Technique; t != "" {
		g.http2 = t.http2()
		if err := ctx.Err(); err != nil {
			g.err = err
		}
		return
	}
	if !r.faulty(g) && g.origin != "" {
		g.http2, g.err = r.sender.Speaks(ctx, r.attempts[g.attempts[0]].URL)
	}
	for _, i := range g.attempts {
		switch body := hasBody(r.attempts[i]); {
		case g.http2 && body:
			r.techniques[i] = HTTP2SingleWrite
		case g.http2:
			r.techniques[i] = HTTP2Burst
		case body:
			r.techniques[i] = HTTP1BodyGate
		default:
			r.techniques[i] = HTTP1HeaderGate
		}
	}
}

// faulty reports whether one of the attempts breaks its connection on purpose.
func (r *run) faulty(g *planned) bool {
	for _, i := range g.attempts {
		if r.attempts[i].Fault != targets.NoFault {
			return true
		}
	}
	return false
}

// because notes why a group goes the way it does.
func (r *run) because(g *planned) {
	switch {
	case g.err != nil || g.origin == "":
	case r.o.Technique != "":
		r.note("it was asked for")
	case r.faulty(g):
		r.note("requests that are broken off need HTTP/1.1")
	case !g.http2 && strings.HasPrefix(g.origin, "https:"):
		r.note("the target does not offer HTTP/2")
	case !g.http2:
		r.note("HTTP/2 is not spoken to http:// targets unless asked for")
	case strings.HasPrefix(g.origin, "https:"):
		r.note("the target offers HTTP/2")
	default:
		r.note("HTTP/2 without TLS was asked for")
	}
}

// note adds a reason, once.
func (r *run) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reason := fmt.Sprintf(format, args...)
	switch {
	case r.b.Reason == "":
		r.b.Reason = reason
	case !strings.Contains(r.b.Reason, reason):
		r.b.Reason += "; " + reason
	}
}

// originOf is where an attempt goes; empty when it goes nowhere, which the sender says.
func originOf(a targets.Attempt) string {
	u, err := url.Parse(a.URL)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return targets.Origin(u)
}

// probe is the probe for the address of an attempt: a burst over several addresses has one probe only.
func (r *run) probe(a targets.Attempt) targets.Attempt {
	probe := *r.o.Probe
	from, err := url.Parse(a.URL)
	if err != nil {
		return probe
	}
	if to, err := url.Parse(probe.URL); err == nil {
		to.Scheme, to.Host = from.Scheme, from.Host
		probe.URL = to.String()
	}
	return probe
}

// hasBody reports whether there is a body byte to withhold. A body in chunks has one even when it is empty.
func hasBody(a targets.Attempt) bool {
	return len(a.Body) > 0 || strings.EqualFold(a.Header.Get("Transfer-Encoding"), "chunked")
}
