package burst

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// openShared connects the attempts of a group over as few HTTP/2 connections as the target allows.
func (r *run) openShared(g *planned) []part {
	streams := make([]*targets.Prepared, len(g.attempts))
	for i, place := range g.attempts {
		streams[i] = r.sender.Begin(r.ctx, r.attempts[place])
	}
	first, err := r.connect(g)
	if err == nil && first.most == 0 {
		first.close()
		err = targets.NewFailure(targets.FailureNotSent, "the target allows no requests on its HTTP/2 connection")
	}
	if err != nil {
		return r.abandon(g.attempts, streams, err)
	}
	shares := shareOut(len(streams), int(min(first.most, maxWindow)))
	if len(shares) > 1 {
		r.note("the target allows %d requests on an HTTP/2 connection: %d connections", first.most, len(shares))
	}
	parts := make([][]part, len(shares))
	each(len(shares), func(i int) {
		c, err := first, error(nil)
		if i > 0 {
			c, err = r.connect(g)
		}
		from, to := shares[i][0], shares[i][1]
		parts[i] = r.carry(c, err, g.attempts[from:to], streams[from:to])
	})
	return slices.Concat(parts...)
}

// shareOut deals n requests out evenly, as ranges: no connection gets more than most.
func shareOut(n, most int) [][2]int {
	conns := (n + most - 1) / most
	shares := make([][2]int, conns)
	for i := range shares {
		shares[i] = [2]int{i * n / conns, (i + 1) * n / conns}
	}
	return shares
}

// carry puts a share of the requests on a connection.
func (r *run) carry(c *conn, err error, places []int, requests []*targets.Prepared) []part {
	if err == nil && int64(c.most) < int64(len(places)) {
		c.close()
		err = targets.NewFailure(targets.FailureNotSent, "the target allows fewer requests on a further HTTP/2 connection than on the first")
	}
	if err != nil {
		return r.abandon(places, requests, err)
	}
	for i, place := range places {
		gated := r.techniques[place] == HTTP2SingleWrite && len(r.attempts[place].Body) > 0
		c.requests = append(c.requests, newStream(c, requests[i], place, gated))
	}
	return []part{&shared{conn: c, run: r}}
}

// abandon gives requests up.
func (r *run) abandon(places []int, requests []*targets.Prepared, err error) []part {
	parts := make([]part, len(requests))
	for i, p := range requests {
		p.GiveUp(err)
		parts[i] = &single{Prepared: p, run: r, place: places[i], technique: r.techniques[places[i]]}
	}
	return parts
}

// longest is the longest time that one of the attempts may take: after that, nobody needs the connection.
func (r *run) longest(g *planned) (most time.Duration) {
	for _, place := range g.attempts {
		most = max(most, r.sender.Timeout(r.attempts[place]))
	}
	return most
}

// connect begins HTTP/2 with the target.
func (r *run) connect(g *planned) (*conn, error) {
	timed, stop := context.WithTimeout(r.ctx, r.longest(g))
	ctx, cancel := context.WithCancelCause(timed)
	end := func(cause error) { cancel(cause); stop() }
	limit := time.AfterFunc(openLimit, func() { end(context.DeadlineExceeded) })
	defer limit.Stop()
	to := r.attempts[g.attempts[0]].URL
	line, err := r.sender.Dial(ctx, to, targets.OnlyHTTP2)
	if err != nil {
		end(nil)
		return nil, err
	}
	c, err := newConn(ctx, line, r.sender.Now, func() { end(nil) })
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = greeted(err)
		}
		c.close()
		return nil, err
	}
	return c, nil
}

// greeted explains why there is no HTTP/2 although there is a connection. Nothing has been sent by then. What TLS has
// to say comes only now in some cases, and stays as it is.
func greeted(err error) error {
	bad, op := http2.ConnectionError(0), new(net.OpError)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op) && (op.Op == "read" || op.Op == "write"):
		return targets.NewFailure(targets.FailureNotSent, "the target closed the connection before HTTP/2 had begun")
	case errors.As(err, &bad), errors.Is(err, http2.ErrFrameTooLarge), strings.HasPrefix(err.Error(), "http2:"):
		return targets.NewFailure(targets.FailureNotSent, "the target does not speak HTTP/2 on this port")
	}
	return err
}

// shared is an HTTP/2 connection as a part of a burst.
type shared struct {
	*conn
	run *run
}

// warm sends probes one after the other; without one to send, PING will do.
func (p *shared) warm(ctx context.Context) (trips []time.Duration) {
	for range p.run.o.Warm {
		trip, err := p.probe(ctx)
		if err != nil {
			break
		}
		trips = append(trips, trip)
	}
	return trips
}

func (p *shared) probe(ctx context.Context) (time.Duration, error) {
	if p.run.o.Probe == nil {
		return p.ping(ctx)
	}
	probe := p.run.probe(p.requests[0].Attempt())
	st := newStream(p.conn, p.run.sender.Begin(ctx, probe), 0, false)
	began := time.Now()
	err := p.write(func() {
		if p.open(st, len(st.body) == 0) {
			p.push(st, len(st.body))
		}
	})
	if err == nil {
		err = p.wait(ctx, func() bool { return st.answer != nil || st.over() })
	}
	trip := time.Since(began)
	x := st.finish(ctx)
	if err == nil && x.Status == 0 {
		err = errors.New(x.Err)
	}
	return trip, err
}

func (p *shared) await(ctx context.Context) {
	for _, st := range p.requests {
		p.wait(ctx, func() bool { return st.answer != nil || st.over() })
	}
}

// finish reads all answers at the same time, and ends the connection.
func (p *shared) finish(ctx context.Context, into []targets.Exchange) {
	each(len(p.requests), func(i int) {
		st := p.requests[i]
		into[st.place] = st.finish(ctx)
	})
	p.close()
}
