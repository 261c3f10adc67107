//go:build !unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noSuchProcess is what Windows says of an id that nobody has (ERROR_INVALID_PARAMETER).
const noSuchProcess = syscall.Errno(87)

// private takes every folder: each user has a folder of their own for temporary files.
func private(fs.FileInfo) bool { return true }

// here names the machine.
func here() string {
	host, _ := os.Hostname()
	return host
}

// identify knows no more of a process than its id.
func identify(pid int) identity { return identity{PID: pid} }

// alive reports whether there is, as far as can be seen, a process with the id.
func (i identity) alive() bool {
	p, err := os.FindProcess(i.PID)
	if err == nil {
		_ = p.Release()
	}
	return !errors.Is(err, noSuchProcess)
}

// endGroup does nothing: this system has no process groups.
func endGroup(identity, string) error { return nil }

// endMarked does nothing: the environment of others cannot be read here.
func endMarked(string) error { return nil }
