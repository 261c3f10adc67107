package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// here names the machine and the namespace of its process ids: a container that shares a folder with another one must not
// take the other's owners for dead.
func here() string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	return host + " " + space
}

// identify gives the identity of a process that runs.
func identify(pid int) identity {
	started, _ := startedAt(pid)
	return identity{PID: pid, Started: started}
}

// alive reports whether the very process still runs. One that is dead and that nobody has taken notice of does not.
func (i identity) alive() bool {
	started, runs := startedAt(i.PID)
	return runs && started == i.Started
}

// startedAt says when a process was started: in which run of the system, and how many ticks after its beginning (field 22
// of /proc/PID/stat, proc_pid_stat(5)). It is empty where there is no such process.
func startedAt(pid int) (started string, runs bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	const state, ticks = 0, 19 // the third and the 22nd field, counted from after the name in parentheses
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= ticks {
		return "", false
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + " " + string(fields[ticks]), fields[state][0] != 'Z' && fields[state][0] != 'X'
}

// endGroup kills a group that was noted, if it is still the same, and waits until it is gone.
func endGroup(g identity, marker string) error {
	if g.PID <= 1 || g.PID == syscall.Getpgrp() || !isStill(g, marker) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	if err := syscall.Kill(-g.PID, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return err
	}
	for groupRuns(g.PID) {
		if err := sleep(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("process group %d does not end: %w", g.PID, err)
		}
	}
	return nil
}

// isStill reports whether a group is the one that was noted. Its leader may be dead, as the system kills it with its
// owner. The number of a group stays taken as long as anyone is in it, so one member that carries the marker proves that
// it was never given to another.
func isStill(g identity, marker string) bool {
	if started, _ := startedAt(g.PID); started != "" && started == g.Started {
		return true
	}
	return anyoneIn(g.PID, func(proc string) bool {
		environ, err := os.ReadFile(proc + "/environ")
		return err == nil && slices.Contains(strings.Split(string(environ), "\x00"), marker)
	})
}

// endMarked kills every process that carries the marker, and waits until none is left: an owner that was killed between
// the start of a group and its note has noted nothing. Nobody but what the owner started has the marker.
func endMarked(marker string) error {
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	for {
		left := marked(marker)
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				return err
			}
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("processes %v do not end: %w", left, err)
		}
	}
}

// marked lists the living processes with the marker in their environment, as far as this user may look.
func marked(marker string) (pids []int) {
	procs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, environ := range procs {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(environ)))
		if err != nil || pid <= 1 || pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile(environ)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), marker) {
			continue
		}
		if _, runs := startedAt(pid); runs {
			pids = append(pids, pid)
		}
	}
	return pids
}
