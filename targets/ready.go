package targets

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// probeTimeout bounds one question whether a target is ready.
const probeTimeout = 2 * time.Second

// ErrEnded is why nobody waits any longer for a target that has ended.
var ErrEnded = errors.New("it has ended")

// Readiness is how one waits until a target is ready.
type Readiness struct {
	Ask    func(context.Context) error // asked again and again until it gives nil
	Within time.Duration
	First  time.Duration   // the pause after the first question, which grows with each; 0: Every
	Every  time.Duration   // the longest pause between two questions
	Ended  <-chan struct{} // closed when the target has ended; nil: that cannot be seen
}

// Await asks until the target is ready. It fails with ErrEnded where the target has ended before, with the context's
// error, or when the time is over; then the last refusal is part of the error.
func (r Readiness) Await(ctx context.Context) error {
	timed, cancel := context.WithTimeout(ctx, r.Within)
	defer cancel()
	var last error
	pause := r.Every
	if r.First > 0 {
		pause = min(r.First, r.Every)
	}
	for {
		err := r.Ask(timed)
		if err == nil && !r.ended() {
			return nil
		}
		if timed.Err() == nil || last == nil {
			last = err // an error of the end of the time would hide what was wrong all the while
		}
		if !r.again(timed, pause) {
			return r.why(ctx, last)
		}
		pause = min(pause*3/2, r.Every)
	}
}

// again waits a moment and reports whether it makes sense to ask once more.
func (r Readiness) again(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-r.Ended:
		return false
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// why says why the waiting is over.
func (r Readiness) why(ctx context.Context, last error) error {
	switch {
	case r.ended():
		return ErrEnded
	case ctx.Err() != nil:
		return fmt.Errorf("not ready: %w", ctx.Err())
	}
	return fmt.Errorf("not ready within %s (%w)", r.Within, last)
}

func (r Readiness) ended() bool {
	select {
	case <-r.Ended:
		return true
	default:
		return false
	}
}

// Answers gives a Readiness.Ask that asks an HTTP address until it answers 2xx. The request is one like "GET /healthz";
// the path stands below the base URL. An empty request asks only for a connection, with TLS where the URL is https. Give
// it a sender without a rate limit: such questions are no part of the run.
func Answers(sender *Sender, base, request string) (func(context.Context) error, error) {
	if request == "" {
		return connects(sender, base), nil
	}
	method, path, ok := strings.Cut(request, " ")
	if !ok || !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("ready: %q is not a request like \"GET /healthz\"", request)
	}
	attempt := Attempt{Method: method, URL: base + path, Timeout: probeTimeout}
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

// connects gives a Readiness.Ask that asks for a connection.
func connects(sender *Sender, base string) func(context.Context) error {
	return func(ctx context.Context) error {
		timed, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		l, err := sender.Dial(timed, base, AnyProtocol)
		if err != nil {
			return err
		}
		l.Close(true)
		return nil
	}
}
