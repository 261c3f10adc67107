package process

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// standBefore puts a proxy between the target and its database, where the file says by which variable the target finds
// that, and changes the variable. It lives until the endpoint is closed.
func standBefore(ctx context.Context, t *targets.Target, e *targets.Endpoint, spec *Spec) error {
	c := t.Run.CrashPoints
	if c == nil || c.Through == nil {
		return nil
	}
	i := slices.IndexFunc(spec.Env, func(pair string) bool { return strings.HasPrefix(pair, c.Through.Env+"=") })
	if i < 0 {
		return fmt.Errorf("run.crash_points.through: the target's environment has no %s", c.Through.Env)
	}
	_, address, _ := strings.Cut(spec.Env[i], "=")
	proxy, rewritten, err := crash.Through(context.WithoutCancel(ctx), c.Through, address, "", "", nil)
	if err != nil {
		return err
	}
	e.OnClose(proxy.Close)
	spec.Env[i] = c.Through.Env + "=" + rewritten
	e.Points, e.RefuseStore = proxy.Points(), proxy.Refuse
	return nil
}

// offerPoints adds the points that the target itself names, and the way to start a further instance of it.
func offerPoints(t *targets.Target, e *targets.Endpoint, folder *Folder) {
	if c := t.Run.CrashPoints; c != nil && c.Named != nil {
		e.Points = crash.NewNamed(c.Named, e.Sender.Send, e.URL, t.Headers)
	}
	e.Another = func(ctx context.Context) (*targets.Endpoint, error) {
		another, err := openIn(ctx, t, folder)
		if err == nil {
			e.OnClose(another.Close)
		}
		return another, err
	}
}
