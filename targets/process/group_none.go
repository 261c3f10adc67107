//go:build !unix

package process

import (
	"errors"
	"os"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the process itself.
func killGroup(p *os.Process) error { return p.Kill() }

// askGroup fails: this system cannot ask a process to end.
func askGroup(*os.Process) error { return errors.ErrUnsupported }

// groupRuns knows of nobody beside the process itself.
func groupRuns(int) bool { return false }
