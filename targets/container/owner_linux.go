package container

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// pidSpace is the namespace of this process's id.
func pidSpace() string {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

// lives reports whether a process lives, and when it was started, in ticks since the system was; empty: it lives, but
// is hidden from this user. The dead whom nobody has reaped do not count.
func lives(pid int) (started string, alive bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	// After the name in parentheses, which may hold anything, comes the state as the third field of proc_pid_stat(5);
	// the start is the 22nd.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return "", false
	}
	return string(fields[19]), true
}
