package container

import (
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOwnerIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	me := self()
	read, err := parseOwner(me.String())
	require.NoError(t, err)
	assert.Equal(t, me, read)
	assert.False(t, read.gone(me), "this process lives")
}

func TestWhatIsNoOwner(t *testing.T) {
	t.Parallel()
	for label, words := range map[string]string{
		"":            "not of the form HOST/SPACE/PID/STARTED",
		"box":         "not of the form",
		"/1/2/3":      "not of the form",
		"box/1/2/3/4": "not of the form",
		"box/1/pid/3": `"pid" is no process id`,
		"box/1/-1/3":  `"-1" is no process id`,
	} {
		_, err := parseOwner(label)
		assert.ErrorContains(t, err, words, label)
	}
}

// dead is an owner on this machine that has ended.
func dead(t *testing.T) owner {
	t.Helper()
	cmd := exec.Command("go", "version")
	require.NoError(t, cmd.Run())
	o := self()
	o.pid, o.started = cmd.Process.Pid, "1"
	return o
}

func TestOnlyTheSurelyDeadAreGone(t *testing.T) {
	t.Parallel()
	me := self()
	gone := dead(t)
	assert.True(t, gone.gone(me))

	other := gone
	other.host = "another"
	assert.False(t, other.gone(me), "another machine")
	other = gone
	other.space = "another"
	assert.False(t, other.gone(me), "another space of process ids")
	if runtime.GOOS == "linux" {
		other = me
		other.started = "1"
		assert.True(t, other.gone(me), "its id was used again")
	}
}

func TestTheUnreapedDeadDoNotLive(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says so")
	}
	cmd := exec.Command("go", "version")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, alive := lives(cmd.Process.Pid)
	assert.True(t, alive)
	defer cmd.Wait()
	for buf := make([]byte, 1024); err == nil; { // its output ends when it does
		_, err = out.Read(buf)
	}
	assert.Eventually(t, func() bool { _, alive := lives(cmd.Process.Pid); return !alive }, eventually, tick,
		"process "+strconv.Itoa(cmd.Process.Pid))
}
