package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// What a Spec leaves open.
const (
	defaultReadyTimeout = 30 * time.Second
	stopTimeout         = 5 * time.Second
	killTimeout         = 10 * time.Second // a killed process that waits for a broken disk does not end
	pipeTimeout         = 2 * time.Second  // how long a dead child's output may stay open in someone else's hands
	readyFirst          = time.Millisecond // many targets take a few milliseconds, and are started at each crash point
	readyInterval       = 10 * time.Millisecond
)

// Spec says what is run and when it counts as ready.
type Spec struct {
	Command      []string                    // the program and its arguments; no shell
	Env          []string                    // NAME=value, over idemcheck's own environment
	Dir          string                      // where it runs; empty: idemcheck's own folder
	Ready        func(context.Context) error // asked again and again until it gives nil; nil: ready when started
	ReadyTimeout time.Duration               // default 30s
	Log          io.Writer                   // gets the output too, besides Logs; may be nil

	folder *Folder // in which the children are noted; nil: nowhere
}

// Process is a program that can be killed and started again. Its methods may be called by several goroutines, and do
// one thing at a time.
type Process struct {
	spec Spec
	logs *logBuffer

	mu    sync.Mutex // of the methods that start and end the child
	state sync.Mutex // of the field below
	child *child
}

// Start starts the program and waits until it is ready. The context bounds the start, not the life of the program.
// Where the program cannot be started, ends before it is ready, or is not ready in time, nothing is left running and
// the error ends with its last lines.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if len(spec.Command) == 0 {
		return nil, errors.New("start target: no command")
	}
	if spec.ReadyTimeout <= 0 {
		spec.ReadyTimeout = defaultReadyTimeout
	}
	p := &Process{spec: spec, logs: &logBuffer{also: spec.Log}}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.start(ctx); err != nil {
		return nil, fmt.Errorf("start target: %w", err)
	}
	return p, nil
}

// PID is the id of the child, or of the last one where none runs.
func (p *Process) PID() int { return p.current().cmd.Process.Pid }

// Exited is closed when the present child has ended and was reaped. After a Restart there is a new one.
func (p *Process) Exited() <-chan struct{} { return p.current().exited }

// Logs gives the last 64 KiB of what the program has printed, over all its restarts.
func (p *Process) Logs() string { return p.logs.String() }

// Kill ends the whole group as a crash does (SIGKILL) and waits until it is gone. A dead child is not an error.
func (p *Process) Kill(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current().kill(ctx)
}

// Stop asks the whole group to end (SIGTERM), and kills it where it has not after five seconds or when the context
// ends.
func (p *Process) Stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current().stop(ctx)
}

// Restart starts the same command again, with the same environment and so on the same port, and waits until it is
// ready. A child that still runs is stopped first.
func (p *Process) Restart(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.current().stop(ctx); err != nil {
		return fmt.Errorf("restart target: %w", err)
	}
	if err := p.start(ctx); err != nil {
		return fmt.Errorf("restart target: %w", err)
	}
	return nil
}

func (p *Process) current() *child {
	p.state.Lock()
	defer p.state.Unlock()
	return p.child
}

// start starts a child and waits until it is ready; otherwise it is killed.
func (p *Process) start(ctx context.Context) error {
	c, err := launch(p.command())
	if err != nil {
		return p.startError(err)
	}
	p.state.Lock()
	p.child = c
	p.state.Unlock()
	if err := p.begin(ctx, c); err != nil {
		killed := c.kill(context.WithoutCancel(ctx))
		return errors.Join(fmt.Errorf("%w%s", err, p.lastLines()), killed)
	}
	return nil
}

// begin notes a child, so that it is found if this program is killed, and waits until it is ready.
func (p *Process) begin(ctx context.Context, c *child) error {
	if p.spec.folder != nil {
		if err := p.spec.folder.add(c.cmd.Process.Pid); err != nil {
			return fmt.Errorf("note the process: %w", err)
		}
	}
	return p.awaitReady(ctx, c)
}

// command is the command of one child.
func (p *Process) command() *exec.Cmd {
	cmd := exec.Command(p.spec.Command[0], p.spec.Command[1:]...)
	cmd.Dir = p.spec.Dir
	cmd.Env = append(cmd.Environ(), slices.Clone(p.spec.Env)...)
	cmd.Stdout, cmd.Stderr = p.logs, p.logs
	cmd.WaitDelay = pipeTimeout
	ownGroup(cmd)
	return cmd
}

// startError says what a user can do about a program that does not start.
func (p *Process) startError(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("command %q was not found in PATH", p.spec.Command[0])
	}
	if info, bad := os.Stat(p.spec.Dir); p.spec.Dir != "" && (bad != nil || !info.IsDir()) {
		return fmt.Errorf("there is no folder %s to run in", p.spec.Dir) // the system blames the program for it
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no program %s (looked for from the folder %s)", p.spec.Command[0], p.spec.Dir)
	}
	return err // the system's own words name the program
}

// lastLines is the end of the output for an error message.
func (p *Process) lastLines() string {
	lines := p.logs.tail(10)
	if lines == "" {
		return "; it has printed nothing"
	}
	return "; its last lines:\n" + lines
}
