package process

import (
	"io"
	"strings"
	"sync"
)

// maxLogs is how much of the output is kept, in bytes.
const maxLogs = 64 << 10

// logBuffer keeps the end of what is written to it. The child writes both of its outputs into it.
type logBuffer struct {
	also io.Writer

	mu   sync.Mutex
	kept []byte
}

// Write never fails: a full disk behind a copy must not stop the target.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, p...)
	if over := len(b.kept) - maxLogs; over > 0 {
		b.kept = append(b.kept[:0], b.kept[over:]...)
	}
	if b.also != nil {
		b.also.Write(p)
	}
	return len(p), nil
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.ToValidUTF8(string(b.kept), "?")
}

// tail gives the last lines.
func (b *logBuffer) tail(n int) string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
