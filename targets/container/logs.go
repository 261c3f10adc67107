package container

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

const (
	maxLogs     = 64 << 10 // bytes of the output that are kept
	logLines    = "4000"   // lines that are asked for
	logsTimeout = 5 * time.Second
)

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - maxLogs; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	return len(p), nil
}

// String gives what was kept, from the beginning of a line: the second half of a secret is not known as one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	if t.cut {
		kept = kept[bytes.IndexByte(kept, '\n')+1:]
	}
	return strings.ToValidUTF8(string(kept), "?")
}

// last gives the last lines.
func (t *tail) last(n int) string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// printed gives the end of what the container has printed, over all its restarts; what it had printed when it was
// removed, where that is so. It goes on after the context has ended.
func (b *box) printed(ctx context.Context) *tail {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logsTimeout)
	defer cancel()
	b.keep.Lock()
	defer b.keep.Unlock()
	if b.kept != nil {
		return b.kept
	}
	out := &tail{}
	if b.id == "" {
		return out
	}
	logs, err := b.site.engine.ContainerLogs(ctx, b.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: logLines})
	if err != nil {
		return out // a log driver that cannot be read, or the engine has gone
	}
	defer logs.Close()
	stdcopy.StdCopy(out, out, logs) //nolint:errcheck // what came is shown
	return out
}

// keepPrinted keeps what the container has printed, before it is removed.
func (b *box) keepPrinted(ctx context.Context) {
	printed := b.printed(ctx)
	b.keep.Lock()
	defer b.keep.Unlock()
	b.kept = printed
}

// lastLines is the end of the output for an error message.
func (b *box) lastLines(ctx context.Context) string {
	lines := b.printed(ctx).last(10)
	if lines == "" {
		return "; it has printed nothing"
	}
	return "; its last lines:\n" + lines
}
