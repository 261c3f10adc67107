package observe

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps an interrupt on the console of idemcheck from reaching the command.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the command only: Windows has no process groups that could be ended as a whole.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
