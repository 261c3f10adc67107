package hooks

import (
	"context"
	"os/exec"
	"syscall"
)

// shell gives a text to the shell, which takes quotes differently from what Go writes for other programs.
func shell(ctx context.Context, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + text + `"`}
	return cmd
}

// ownGroup keeps an interrupt on the console of idemcheck from reaching the command.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags = syscall.CREATE_NEW_PROCESS_GROUP
}

// killGroup ends the command only: Windows has no process groups that could be ended as a whole.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
