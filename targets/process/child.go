package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"
)

// child is one run of the program.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed after the child was reaped
	err    error         // of the program; to be read after exited
	gone   atomic.Bool   // nobody of the group is left, so that its number may belong to someone else by now
}

// launch starts a child. The goroutine that starts it keeps its thread until the child has ended: on Linux the signal
// that ends the child with its parent is sent when the thread that has started it ends, not when the process does, and
// Go ends threads whenever a goroutine that was locked to one returns.
func launch(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			c.gone.Store(!groupRuns(cmd.Process.Pid))
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// kill kills the group, also where the child itself is dead already and has left others behind.
func (c *child) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	if !c.gone.Load() {
		killGroup(c.cmd.Process)
	}
	if err := c.await(ctx); err != nil {
		return fmt.Errorf("kill target: process %d does not end: %w", c.cmd.Process.Pid, err)
	}
	return nil
}

// await waits until the child is reaped and nothing of its group runs any more: then its port is free again.
func (c *child) await(ctx context.Context) error {
	select {
	case <-c.exited:
	case <-ctx.Done():
		return ctx.Err()
	}
	for !c.gone.Load() && groupRuns(c.cmd.Process.Pid) {
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	c.gone.Store(true)
	return nil
}

// stop asks first, and kills in the end.
func (c *child) stop(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if !c.gone.Load() && askGroup(c.cmd.Process) == nil && c.await(patience) == nil {
		return nil
	}
	return c.kill(context.WithoutCancel(ctx))
}

// ended says how the program ended.
func (c *child) ended() error {
	var exit *exec.ExitError
	switch {
	case c.err == nil:
		return errors.New("exit status 0")
	case errors.As(c.err, &exit):
		return errors.New(exit.String())
	}
	return c.err
}

// sleep waits, or gives the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
