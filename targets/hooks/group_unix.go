//go:build unix

package hooks

import (
	"context"
	"os/exec"
	"syscall"
)

// shell gives a text to the shell.
func shell(ctx context.Context, text string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", text)
}

// ownGroup gives a command a group of its own, so that all of it can be killed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group of a command that was not waited for yet, so that its number is still its own.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
