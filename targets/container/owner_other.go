//go:build !linux

package container

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// pidSpace is empty: this system has one space of process ids.
func pidSpace() string { return "" }

// lives reports whether a process with this id lives. This system does not say when it was started.
func lives(pid int) (started string, alive bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return "", false
	}
	defer p.Release() //nolint:errcheck // it was only looked at
	if runtime.GOOS == "windows" {
		return "", true // there it is found only where it lives
	}
	return "", !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
