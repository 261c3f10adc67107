package process_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

func TestStartKillRestart(t *testing.T) {
	t.Parallel()
	p := start(t, "serve")
	first := p.get("/pid")
	assert.Equal(t, strconv.Itoa(p.PID()), first)
	exited := p.Exited()

	require.NoError(t, p.Kill(t.Context()))
	<-exited
	assert.Empty(t, p.get("/pid"), "the port is free")
	require.NoError(t, p.Kill(t.Context()), "a dead child is not an error")

	require.NoError(t, p.Restart(t.Context()))
	second := p.get("/pid")
	assert.Equal(t, strconv.Itoa(p.PID()), second)
	assert.NotEqual(t, first, second)
	assert.NotEqual(t, exited, p.Exited())
	assert.Equal(t, 2, strings.Count(p.Logs(), "serving on "+p.port))
}

func TestKillReachesTheWholeGroup(t *testing.T) {
	t.Parallel()
	p := start(t, "wrapper")
	server := p.get("/pid")
	assert.NotEqual(t, strconv.Itoa(p.PID()), server)
	require.NoError(t, p.Kill(t.Context()))
	assert.Empty(t, p.get("/pid"))
	require.NoError(t, p.Restart(t.Context()))
	assert.NotEqual(t, server, p.get("/pid"))
}

func TestKillReachesWhomTheChildHasLeftBehind(t *testing.T) {
	t.Parallel()
	s, port := spec(t, "leaver")
	p, err := process.Start(t.Context(), s)
	if err != nil {
		require.ErrorContains(t, err, "ended before it was ready") // it may leave before it is asked
	} else {
		<-p.Exited()
		require.NoError(t, p.Kill(t.Context()))
	}
	assert.Empty(t, get("http://127.0.0.1:"+port+"/pid"))
}

func TestStopIsPolite(t *testing.T) {
	t.Parallel()
	note := filepath.Join(t.TempDir(), "note")
	p := start(t, "serve", note)
	require.NoError(t, p.Stop(t.Context()))
	text, err := os.ReadFile(note)
	require.NoError(t, err)
	assert.Equal(t, "bye", string(text))
	assert.Empty(t, p.get("/pid"))
}

func TestRestartStopsWhatStillRuns(t *testing.T) {
	t.Parallel()
	note := filepath.Join(t.TempDir(), "note")
	p := start(t, "serve", note)
	first := p.get("/pid")
	require.NoError(t, p.Restart(t.Context()))
	assert.FileExists(t, note)
	assert.NotEqual(t, first, p.get("/pid"))
}

func TestStopKillsInTheEnd(t *testing.T) {
	t.Parallel()
	p := start(t, "stubborn")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, p.Stop(ctx))
	assert.Empty(t, p.get("/pid"))
}

func TestExitedTellsOfAnEndThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	p := start(t, "serve")
	p.get("/exit")
	<-p.Exited()
	require.NoError(t, p.Restart(t.Context()))
	assert.NotEmpty(t, p.get("/pid"))
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		as     string
		change func(*process.Spec)
		words  []string
	}{
		"no command":     {change: func(s *process.Spec) { s.Command = nil }, words: []string{"start target: no command"}},
		"not in PATH":    {change: func(s *process.Spec) { s.Command = []string{"no-such-program-x"} }, words: []string{`command "no-such-program-x" was not found in PATH`}},
		"no such file":   {change: func(s *process.Spec) { s.Command = []string{"./missing/server"} }, words: []string{"./missing/server"}},
		"no such folder": {as: "serve", change: func(s *process.Spec) { s.Dir = "missing" }, words: []string{"there is no folder missing to run in"}},
		"ends":           {as: "exit", words: []string{"ended before it was ready (exit status 3); its last lines:\n", "listening soon", "no database"}},
		"never ready": {as: "hang", change: func(s *process.Spec) { s.ReadyTimeout = 300 * time.Millisecond },
			words: []string{"not ready within 300ms", "no connection to 127.0.0.1:"}},
		"other answer": {as: "serve", change: func(s *process.Spec) {
			s.ReadyTimeout = 300 * time.Millisecond
			s.Ready = func(context.Context) error { return assert.AnError }
		}, words: []string{assert.AnError.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, port := spec(t, row.as)
			if row.change != nil {
				row.change(&s)
			}
			p, err := process.Start(t.Context(), s)
			require.Error(t, err)
			assert.Nil(t, p)
			for _, words := range row.words {
				assert.ErrorContains(t, err, words)
			}
			assert.Empty(t, get("http://127.0.0.1:"+port+"/pid"))
		})
	}
}

func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	s, _ := spec(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	asked := s.Ready
	s.Ready = func(ctx context.Context) error {
		cancel()
		return asked(ctx)
	}
	_, err := process.Start(ctx, s)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestLogsKeepTheEnd(t *testing.T) {
	t.Parallel()
	var all syncBuffer
	s, port := spec(t, "talk")
	s.Log = &all
	p, err := process.Start(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, p.Kill(t.Context()))
	logs := p.Logs()
	assert.Len(t, logs, 64<<10)
	assert.True(t, strings.HasSuffix(logs, "line 19999\nserving on "+port+"\n"))
	assert.True(t, strings.HasPrefix(all.String(), "line 0\n"))
	assert.True(t, strings.HasSuffix(all.String(), logs))
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestFreePortsAreGivenOnce(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 200 {
		port, err := targets.FreePort("127.0.0.1")
		require.NoError(t, err)
		assert.False(t, seen[port])
		assert.True(t, port >= 20000 && port < 32000)
		seen[port] = true
	}
}
