package container

import (
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/crash"
)

// RunsStore reports whether the database behind the crash points of a target is one of its services, so that it can be
// restarted.
func RunsStore(t *targets.Target) bool {
	if t.Run == nil || t.Run.Container == nil || t.Run.CrashPoints == nil || t.Run.CrashPoints.Through == nil {
		return false
	}
	c, through := t.Run.Container, t.Run.CrashPoints.Through
	return c.Services.Named(crash.HostOf(c.Env[through.Env], through.Protocol)) != nil
}
