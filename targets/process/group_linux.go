package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// dieWithParent lets the system kill the child when idemcheck dies; see launch. Whoever the child has started survives
// that: the signal goes to the child only.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// groupRuns reports whether anyone in a group still runs. The dead who wait for a parent to notice them do not count:
// in a container that may be never.
func groupRuns(group int) bool {
	if syscall.Kill(-group, 0) != nil {
		return false
	}
	return anyoneIn(group, func(string) bool { return true })
}

// anyoneIn reports whether something holds for anyone in a group who still runs: for a folder of /proc.
func anyoneIn(group int, holds func(proc string) bool) bool {
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return false
	}
	for _, proc := range procs {
		if stat, err := os.ReadFile(proc + "/stat"); err == nil && runsIn(stat, group) && holds(proc) {
			return true
		}
	}
	return false
}

// runsIn reads a line of /proc/PID/stat: after the name in parentheses, which may hold anything, come the state, the
// parent and the group (proc_pid_stat(5)).
func runsIn(stat []byte, group int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 || string(fields[2]) != strconv.Itoa(group) {
		return false
	}
	state := fields[0][0]
	return state != 'Z' && state != 'X'
}
