//go:build unix

package observe

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command into a process group of its own, so that its children can be killed with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
