package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/testcontainers/testcontainers-go/exec"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	readyInterval = 20 * time.Millisecond
	probeTimeout  = 2 * time.Second        // of one question whether the target is ready
	silence       = 500 * time.Millisecond // after which a connection counts as accepted
)

// awaitReady asks until the container is ready, has ended, or its time is over. The last refusal is part of the error.
func (b *box) awaitReady(ctx context.Context) error {
	timed, cancel := context.WithTimeout(ctx, b.within)
	defer cancel()
	var last error
	for {
		err := b.isReady(timed)
		switch {
		case b.isOver():
			return fmt.Errorf("it ended before it was ready (%w)", b.ended(ctx))
		case err == nil:
			return nil
		case timed.Err() == nil || last == nil:
			last = err // an error of the end of the time would hide what was wrong all the while
		}
		if pause(timed) != nil {
			return b.notReady(ctx, last)
		}
	}
}

// isReady asks once.
func (b *box) isReady(ctx context.Context) error {
	at, err := b.find(ctx)
	if err != nil {
		return fmt.Errorf("find out where it is: %w", err)
	}
	b.front.lead(at)
	return b.ready(ctx)
}

// isOver reports whether the container has ended. Then the front leads nowhere again.
func (b *box) isOver() bool {
	select {
	case <-b.run.over:
		b.front.cut() // it may have ended before the front was led to it
		return true
	default:
		return false
	}
}

// pause waits a moment, or gives the context's error.
func pause(ctx context.Context) error {
	timer := time.NewTimer(readyInterval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// notReady says why the waiting is over.
func (b *box) notReady(ctx context.Context, last error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("not ready: %w", ctx.Err())
	}
	return fmt.Errorf("not ready within %s (%w)", b.within, last)
}

// ended says how the container ended.
func (b *box) ended(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	found, err := b.container.Inspect(ctx)
	switch {
	case err != nil:
		return err
	case b.run.err != nil:
		return b.run.err
	case found.State.OOMKilled:
		return errors.New("out of memory")
	}
	return fmt.Errorf("exit code %d", found.State.ExitCode)
}

// answers gives a check that asks an HTTP address until it answers 2xx. The request is one like "GET /healthz"; the path
// stands below the base URL. An empty request asks only whether the port accepts connections.
func (b *box) answers(sender *targets.Sender, base, request string) (func(context.Context) error, error) {
	if request == "" {
		return b.accepts, nil
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
		return fmt.Errorf("%s: %s", request, x.Err)
	}, nil
}

// accepts checks that the port takes connections. Where the engine's own proxy is before it, which takes every one, a
// connection counts when it has not been closed for a moment.
func (b *box) accepts(ctx context.Context) error {
	at, err := b.find(ctx)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{Timeout: probeTimeout}).DialContext(ctx, "tcp", at)
	if err != nil {
		return fmt.Errorf("port %d takes no connections", b.port)
	}
	defer conn.Close()
	if b.site.direct {
		return nil
	}
	if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("port %d takes no connections", b.port)
}

// succeeds gives a check that runs a command inside until it ends with 0. Then the port must accept too: a database
// that is being set up is often ready for those inside before it is for others.
func (b *box) succeeds(command []string) func(context.Context) error {
	if len(command) == 0 {
		return b.accepts
	}
	return func(ctx context.Context) error {
		code, output, err := b.container.Exec(ctx, command, exec.Multiplexed())
		if err != nil {
			return fmt.Errorf("%s: %w", command[0], err)
		}
		if code == 0 {
			return b.accepts(ctx)
		}
		said := &tail{}
		io.Copy(said, output) //nolint:errcheck // what came is shown
		if lines := said.last(3); lines != "" {
			return fmt.Errorf("%s ends with %d: %s", command[0], code, lines)
		}
		return fmt.Errorf("%s ends with %d", command[0], code)
	}
}
