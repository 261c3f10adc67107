package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// awaitReady asks until the child is ready, has ended, or its time is over.
func (p *Process) awaitReady(ctx context.Context, c *child) error {
	if p.spec.Ready == nil {
		return nil
	}
	wait := targets.Readiness{Ask: p.spec.Ready, Within: p.spec.ReadyTimeout, First: readyFirst, Every: readyInterval, Ended: c.exited}
	err := wait.Await(ctx)
	if errors.Is(err, targets.ErrEnded) {
		return fmt.Errorf("it ended before it was ready (%w)", c.ended())
	}
	return err
}
