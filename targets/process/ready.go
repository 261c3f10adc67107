package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// probeTimeout bounds one question whether the target is ready.
const probeTimeout = 2 * time.Second

// awaitReady asks until the child is ready, has ended, or its time is over. The last refusal is part of the error.
func (p *Process) awaitReady(ctx context.Context, c *child) error {
	if p.spec.Ready == nil {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, p.spec.ReadyTimeout)
	defer cancel()
	var last error
	for {
		err := p.spec.Ready(timed)
		if err == nil && !c.dead() {
			return nil
		}
		if timed.Err() == nil || last == nil {
			last = err // an error of the end of the time would hide what was wrong all the while
		}
		if !askAgain(timed, c) {
			return p.notReady(ctx, c, last)
		}
	}
}

// askAgain waits a moment and reports whether it makes sense to ask again.
func askAgain(ctx context.Context, c *child) bool {
	timer := time.NewTimer(readyInterval)
	defer timer.Stop()
	select {
	case <-c.exited:
		return false
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// notReady says why the waiting is over.
func (p *Process) notReady(ctx context.Context, c *child, last error) error {
	switch {
	case c.dead():
		return fmt.Errorf("it ended before it was ready (%w)", c.ended())
	case ctx.Err() != nil:
		return fmt.Errorf("not ready: %w", ctx.Err())
	}
	return fmt.Errorf("not ready within %s (%w)", p.spec.ReadyTimeout, last)
}

// Answers gives a Spec.Ready that asks an HTTP address until it answers 2xx. The request is one like "GET /healthz";
// the path stands below the base URL. An empty request asks only for a connection to the port.
func Answers(sender *targets.Sender, base, request string) (func(context.Context) error, error) {
	if request == "" {
		return connects(base)
	}
	method, path, ok := strings.Cut(request, " ")
	if !ok || !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("ready: %q is not a request like \"GET /healthz\"", request)
	}
	attempt := targets.Attempt{Method: method, URL: base + path, Timeout: probeTimeout}
	return func(ctx context.Context) error {
		x := sender.Send(ctx, attempt)
		switch {
		case x.Succeeded():
			return nil
		case x.Answered():
			return fmt.Errorf("%s answers %d", request, x.Status)
		}
		return errors.New(x.Err)
	}, nil
}

// connects gives a Spec.Ready that asks for a connection.
func connects(base string) (func(context.Context) error, error) {
	address, err := hostPort(base)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{Timeout: probeTimeout}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}, nil
}
