package crash

import (
	"context"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Labels gives the labels of units.
func Labels(units []Unit) []string {
	labels := make([]string, len(units))
	for i, u := range units {
		labels[i] = u.Label
	}
	return labels
}

// Points gives what a proxy sees as the points at which a target can be stopped.
func (p *Proxy) Points() targets.Points { return points{p} }

type points struct{ *Proxy }

func (p points) About() string {
	if p.options.Protocol == TCP {
		return "flushes of the target to its database, counted and unlabelled"
	}
	return "statements of the target to its database (" + string(p.options.Protocol) + ")"
}

func (p points) Can(targets.PointFault) bool { return true }

func (p points) Record(context.Context) (func(context.Context) ([]string, error), error) {
	stop := p.Proxy.Record()
	return func(context.Context) ([]string, error) { return Labels(stop()), nil }, nil
}

func (p points) Arm(_ context.Context, pt targets.Point, f targets.PointFault, atPoint func()) (targets.ArmedPoint, error) {
	then := map[targets.PointFault]Then{targets.Kill: Cut, targets.CutStore: Cut, targets.HostCrash: Orphan, targets.Disconnect: Resume}
	return p.Proxy.Arm(pt, then[f], atPoint), nil
}

func (p points) Quiesce(ctx context.Context, quiet time.Duration, ignore map[string]bool) error {
	return p.Proxy.Quiesce(ctx, quiet, ignore)
}

func (p points) Settle() { p.Drop() }
