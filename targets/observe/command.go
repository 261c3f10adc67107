package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	maxOutput    = 1 << 20 // bytes of standard output
	maxErrors    = 8 << 10 // bytes of standard error kept, the last ones
	errorsShown  = 200     // characters of it that a message shows
	outputsGrace = time.Second
)

// command counts by what a command of the user's prints.
type command struct {
	spec targets.CommandCall
	deps Deps
}

func openCommand(_ context.Context, spec targets.Observer, d Deps) (counter, error) {
	if len(spec.Command.Argv) == 0 || spec.Command.Argv[0] == "" {
		return nil, errors.New("command: argv is empty")
	}
	return &command{spec: *spec.Command, deps: d}, nil
}

func (c *command) close() error { return nil }

func (c *command) count(ctx context.Context, q Query) (tally, error) {
	cmd, err := c.prepare(ctx, q.Vars)
	if err != nil {
		return tally{}, err
	}
	out, errs := &head{limit: maxOutput}, &tail{limit: maxErrors}
	cmd.Stdout, cmd.Stderr = out, errs
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		killGroup(cmd) // whatever holds the output is a child of the command's, in its group
		err = errors.New("it left a process behind that holds its output")
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("it was stopped: %w", ctx.Err())
	}
	if err != nil {
		return tally{}, c.failed(err, errs.data)
	}
	if out.over {
		return tally{}, c.failed(fmt.Errorf("it printed more than %d bytes", maxOutput), nil)
	}
	t, err := parseOutput(out.data)
	if err != nil {
		return tally{}, c.failed(fmt.Errorf("%w: %s", err, excerpt(out.data, c.deps.Redact)), nil)
	}
	return t, nil
}

// prepare makes a command in a process group of its own, which is killed as a whole when the context ends.
func (c *command) prepare(ctx context.Context, vars targets.Vars) (*exec.Cmd, error) {
	argv := make([]string, len(c.spec.Argv))
	for i, a := range c.spec.Argv {
		text, err := targets.Expand(a, vars)
		if err != nil {
			return nil, fmt.Errorf("expand argument %d of the command: %w", i, err)
		}
		argv[i] = text
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = c.deps.Environ
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	for name, value := range c.spec.Env {
		text, err := targets.Expand(value, vars)
		if err != nil {
			return nil, fmt.Errorf("expand %s for the command: %w", name, err)
		}
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], name+"="+text)
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = outputsGrace
	return cmd, nil
}

// failed names the program and not its arguments, which may hold credentials.
func (c *command) failed(err error, stderr []byte) error {
	// Redacted before it is cut: half a secret is not recognised.
	text := strings.Join(strings.Fields(c.deps.Redact(strings.ToValidUTF8(string(stderr), "�"))), " ")
	if runes := []rune(text); len(runes) > errorsShown {
		text = "…" + string(runes[len(runes)-errorsShown:])
	}
	if text != "" {
		text = ": " + text
	}
	return fmt.Errorf("run %s: %w%s", c.spec.Argv[0], err, text)
}

// head keeps the first bytes written and notes whether there were more.
type head struct {
	data  []byte
	limit int
	over  bool
}

func (h *head) Write(p []byte) (int, error) {
	keep := min(len(p), h.limit-len(h.data))
	h.data = append(h.data, p[:keep]...)
	h.over = h.over || keep < len(p)
	return len(p), nil
}

// tail keeps the last bytes written.
type tail struct {
	data  []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - t.limit; over > 0 {
		t.data = bytes.Clone(t.data[over:])
	}
	return len(p), nil
}
