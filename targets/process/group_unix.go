//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives the child a group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup kills a group. Its number is the child's, and stays taken as long as anyone is in it.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// askGroup asks a group to end.
func askGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
