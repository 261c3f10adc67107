package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// linesShown is how many of a failed command's last lines an error has.
const linesShown = 10

// run runs one command to its end. It must end with 0 and in time; otherwise its whole group is killed. Whatever it has
// left running on purpose, such as the target itself, goes on: it holds the output, and nobody waits for it.
func (h *hooks) run(ctx context.Context, command targets.Strings) error {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	timed, cancel := context.WithTimeout(ctx, h.timeout())
	defer cancel()
	cmd := h.command(timed, command)
	from := h.out.size()
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("command %q was not found in PATH", command[0])
	case cmd.Process == nil && ctx.Err() == nil:
		return h.startError(err) // never started, so it has printed nothing
	case ctx.Err() != nil:
		err = fmt.Errorf("the command was stopped: %w", ctx.Err())
	case timed.Err() != nil:
		err = fmt.Errorf("the command has not ended within %s", h.timeout())
	default:
		err = fmt.Errorf("the command has failed (%w)", err)
	}
	return fmt.Errorf("%w%s", err, h.lastLines(from))
}

// timeout is how long one command may take.
func (h *hooks) timeout() time.Duration {
	if d := h.section.Timeout.Std(); d > 0 {
		return d
	}
	return defaultTimeout
}

// command makes the command in a group of its own. A single text is for the shell.
func (h *hooks) command(ctx context.Context, words targets.Strings) *exec.Cmd {
	var cmd *exec.Cmd
	if len(words) == 1 {
		cmd = shell(ctx, words[0])
	} else {
		cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	}
	cmd.Dir = h.folder
	cmd.Env = cmd.Environ()
	for _, name := range slices.Sorted(maps.Keys(h.section.Env)) {
		cmd.Env = append(cmd.Env, name+"="+h.section.Env[name])
	}
	cmd.Stdout, cmd.Stderr = h.out.file, h.out.file
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

// startError says what a user can do about a command that does not start.
func (h *hooks) startError(err error) error {
	if info, bad := os.Stat(h.folder); bad != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s to run in", h.folder) // the system blames the program for it
	}
	return err // the system's own words name the program
}

// lastLines is the end of a command's output for an error message.
func (h *hooks) lastLines(from int64) string {
	text := strings.TrimSpace(h.out.last(from, maxLogs, h.target.Secrets.Redact))
	if text == "" {
		return "; it has printed nothing"
	}
	lines := strings.Split(text, "\n")
	return "; its last lines:\n" + strings.Join(lines[max(0, len(lines)-linesShown):], "\n")
}
