package process_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// aRun is an idemcheck with an open target, in a process of its own.
type aRun struct {
	cmd  *exec.Cmd
	url  string // of the target
	tmp  string // its folder for temporary files
	root string // the one folder in it
}

// openRun starts an idemcheck whose target is a wrapper: the system kills the wrapper with its owner, and the server
// behind it stays.
func openRun(t *testing.T) aRun {
	t.Helper()
	r := aRun{tmp: t.TempDir(), cmd: exec.Command(os.Args[0])}
	r.cmd.Env = append(os.Environ(), role+"=opener", "TMPDIR="+r.tmp)
	out, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	r.url = strings.TrimSpace(line)
	found, err := filepath.Glob(filepath.Join(r.tmp, "idemcheck-*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	r.root = found[0]
	server := r.server()
	t.Cleanup(func() {
		r.die()
		if pid, err := strconv.Atoi(server); err == nil {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return r
}

// die kills the idemcheck. It has no time to clean up.
func (r aRun) die() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

// server is the process id of the target; empty when there is none.
func (r aRun) server() string { return get(r.url + "/pid") }

// edit changes the note.
func (r aRun) edit(t *testing.T, change func(note map[string]any)) {
	t.Helper()
	file := filepath.Join(r.root, "owner.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var note map[string]any
	require.NoError(t, json.Unmarshal(text, &note))
	change(note)
	text, err = json.Marshal(note)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// forgetLeader leaves of a group only its number, as if its leader had been reaped and never seen.
func (r aRun) forgetLeader(t *testing.T) {
	r.edit(t, func(n map[string]any) {
		for _, g := range n["groups"].([]any) {
			delete(g.(map[string]any), "started")
		}
	})
}

func TestRemoveStaleRemovesWhatADeadRunHasLeft(t *testing.T) {
	t.Parallel()
	r := openRun(t)
	require.NoError(t, process.RemoveStale(r.tmp))
	assert.NotEmpty(t, r.server(), "its owner lives")
	assert.DirExists(t, r.root)

	r.die()
	assert.NotEmpty(t, r.server(), "the server outlives its owner")
	require.NoError(t, process.RemoveStale(r.tmp))
	assert.Empty(t, r.server())
	assert.NoDirExists(t, r.root)
	assert.NoError(t, process.RemoveStale(r.tmp))
}

// A folder is left alone where it is not certain that its owner is dead, and a group where it is not certain that it is
// the one that was noted.
func TestRemoveStaleIsCertain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change  func(t *testing.T, r aRun)
		removed bool
		lives   bool
	}{
		"nothing": {func(*testing.T, aRun) {}, true, false},
		"another machine": {func(t *testing.T, r aRun) {
			r.edit(t, func(n map[string]any) { n["where"] = "elsewhere pid:[1]" })
		}, false, true},
		"no note": {func(t *testing.T, r aRun) { require.NoError(t, os.Remove(filepath.Join(r.root, "owner.json"))) }, false, true},
		"no JSON": {func(t *testing.T, r aRun) {
			require.NoError(t, os.WriteFile(filepath.Join(r.root, "owner.json"), []byte(`{"pid":`), 0o600))
		}, false, true},
		"no owner":  {func(t *testing.T, r aRun) { r.edit(t, func(n map[string]any) { delete(n, "pid") }) }, false, true},
		"anybody's": {func(t *testing.T, r aRun) { require.NoError(t, os.Chmod(r.root, 0o777)) }, false, true},
		"the owner's id was given to another": {func(t *testing.T, r aRun) {
			r.edit(t, func(n map[string]any) { n["pid"] = os.Getpid() })
		}, true, false},
		"no groups": {func(t *testing.T, r aRun) { r.edit(t, func(n map[string]any) { delete(n, "groups") }) }, true, false}, // killed before it could note one
		"everyone": {func(t *testing.T, r aRun) {
			r.edit(t, func(n map[string]any) {
				n["groups"] = []map[string]any{{"pid": 1}, {"pid": 0}, {"pid": -1}, {"pid": syscall.Getpgrp()}}
			})
		}, true, false}, // what has the marker, and nobody else
		"a group by the folder in its environment": {func(t *testing.T, r aRun) { r.forgetLeader(t) }, true, false},
		"a group that names another folder": {func(t *testing.T, r aRun) {
			r.forgetLeader(t)
			require.NoError(t, os.Rename(r.root, r.root+"-renamed"))
		}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRun(t)
			r.die()
			row.change(t, r)
			require.NoError(t, process.RemoveStale(r.tmp))
			assert.Equal(t, row.lives, r.server() != "")
			left, err := filepath.Glob(filepath.Join(r.tmp, "idemcheck-*"))
			require.NoError(t, err)
			assert.Equal(t, row.removed, len(left) == 0)
		})
	}
}

// A process that has got the id of a dead leader is not killed; the leader itself is.
func TestARecycledIDIsNotKilled(t *testing.T) {
	t.Parallel()
	r := openRun(t)
	r.die()
	number, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	port := strconv.Itoa(number)
	stranger := exec.Command(os.Args[0], port)
	stranger.Env = append(os.Environ(), role+"=serve")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { stranger.Process.Kill(); stranger.Wait() })
	url := "http://127.0.0.1:" + port + "/pid"
	require.Eventually(t, func() bool { return get(url) != "" }, 20*time.Second, 5*time.Millisecond)

	r.edit(t, func(n map[string]any) {
		n["groups"] = []map[string]any{{"pid": stranger.Process.Pid, "started": "another boot 1"}, {"pid": stranger.Process.Pid}}
	})
	require.NoError(t, process.RemoveStale(r.tmp))
	assert.NoDirExists(t, r.root)
	assert.NotEmpty(t, get(url))
}

// The leader is known by its start time alone: its environment may say nothing.
func TestALeaderIsKnownByItsStart(t *testing.T) {
	t.Parallel()
	number, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	port := strconv.Itoa(number)
	leader := exec.Command(os.Args[0], port)
	leader.Env = append(os.Environ(), role+"=serve")
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, leader.Start())
	ended := make(chan error, 1)
	go func() { ended <- leader.Wait() }()
	t.Cleanup(func() { leader.Process.Kill() })
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(leader.Process.Pid) + "/stat")
	require.NoError(t, err)
	_, fields, _ := strings.Cut(string(stat), ") ")
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)

	r := openRun(t)
	r.die()
	r.edit(t, func(n map[string]any) {
		started := strings.TrimSpace(string(boot)) + " " + strings.Fields(fields)[19]
		n["groups"] = []map[string]any{{"pid": leader.Process.Pid, "started": started}}
	})
	require.NoError(t, process.RemoveStale(r.tmp))
	assert.ErrorContains(t, <-ended, "killed")
}
