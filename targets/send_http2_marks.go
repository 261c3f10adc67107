package targets

import (
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// marks are the times that net/http reports, from goroutines of its own.
type marks struct {
	now   func() time.Time
	mu    sync.Mutex
	wrote time.Time
	first time.Time
	done  chan struct{} // closed when nothing more of the request will be written
	once  sync.Once
}

func (m *marks) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				m.set(&m.wrote)
			}
			m.once.Do(func() { close(m.done) })
		},
		GotFirstResponseByte: func() { m.set(&m.first) },
	}
}

// set stamps a mark the first time.
func (m *marks) set(mark *time.Time) {
	at := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if mark.IsZero() {
		*mark = at
	}
}

// writeGrace is how long an exchange that has its answer waits for the report that its request was written.
const writeGrace = 50 * time.Millisecond

// settle waits for that report: it may come a moment after the answer. A target that answers without reading the
// request never lets it come.
func (m *marks) settle() {
	grace := time.NewTimer(writeGrace)
	defer grace.Stop()
	select {
	case <-m.done:
	case <-grace.C:
	}
}

func (m *marks) written() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wrote
}

func (m *marks) firstByte() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first
}

// gatedBody is a request body that stops at one byte until it is released.
type gatedBody struct {
	data     []byte
	off      int
	gate     int           // how many bytes pass before the release
	reached  chan struct{} // closed when everything before the gate is written
	released chan struct{}
	closed   chan struct{}
	once     [3]sync.Once // one for each channel, in their order
}

func newGatedBody(data []byte) *gatedBody {
	return &gatedBody{
		data: data, gate: len(data),
		reached: make(chan struct{}), released: make(chan struct{}), closed: make(chan struct{}),
	}
}

// Read is called again only after net/http has written what it was given before.
func (b *gatedBody) Read(p []byte) (int, error) {
	if b.off >= len(b.data) {
		return 0, io.EOF
	}
	end := b.gate
	if b.off >= b.gate {
		b.once[0].Do(func() { close(b.reached) })
		select {
		case <-b.released:
			end = len(b.data)
		case <-b.closed:
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(p, b.data[b.off:end])
	b.off += n
	return n, nil
}

// release lets the rest through.
func (b *gatedBody) release() { b.once[1].Do(func() { close(b.released) }) }

// Close ends a Read that waits at the gate.
func (b *gatedBody) Close() error {
	b.once[2].Do(func() { close(b.closed) })
	return nil
}
