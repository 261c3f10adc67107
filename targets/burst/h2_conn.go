package burst

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// What we tell the other side (RFC 9113 section 6.5.2), in bytes. The window of a stream bounds what an answer that
// nobody reads yet can occupy.
const (
	ownFrameSize    = 16 << 10
	ownStreamWindow = 256 << 10
	ownConnWindow   = 16 << 20
	ownHeaderList   = 1 << 20
	ownHeaderTable  = 4 << 10
	firstWindow     = 64<<10 - 1 // of every connection and stream before anything else is said
	maxWindow       = 1<<31 - 1
)

// conn is an HTTP/2 connection that carries several requests of a burst. Its own goroutine reads; whoever writes holds
// the lock of writing. That lock is taken before the other one, never while the other is held.
type conn struct {
	line *targets.Line
	now  func() time.Time
	end  context.CancelFunc // ends the line

	writing sync.Mutex
	out     bytes.Buffer // frames that are yet to be written
	frames  *http2.Framer
	fields  *hpack.Encoder
	block   bytes.Buffer // one header block

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever something below changes
	streams  map[uint32]*stream
	nextID   uint32
	window   int64 // what the other side still takes, on the connection
	reserve  int64 // of it, for what is withheld
	initial  int64 // window of new streams
	frame    int   // largest frame that it takes
	most     uint32
	settled  bool // it has sent its settings
	agreed   bool // it has acknowledged ours
	pongs    uint64
	received int64 // what we still take, on the connection
	err      error // the connection is over, or takes no new streams
	over     bool

	requests []*stream // of the burst, in the order in which they are opened
	began    time.Time // the release was about to be written
	wrote    time.Time // it was
	whole    bool      // it was small enough to leave as a whole
	done     bool      // the release was complete
}

// newConn begins HTTP/2 on a line and waits until both sides have agreed (RFC 9113 section 3.4): before that, what the
// other side allows is not known.
func newConn(ctx context.Context, line *targets.Line, now func() time.Time, end context.CancelFunc) (*conn, error) {
	c := &conn{
		line: line, now: now, end: end,
		changed: make(chan struct{}), streams: map[uint32]*stream{}, nextID: 1,
		window: firstWindow, initial: firstWindow, frame: ownFrameSize, most: maxWindow, received: ownConnWindow,
	}
	c.frames = http2.NewFramer(&c.out, line)
	c.frames.SetReuseFrames()
	c.frames.SetMaxReadFrameSize(ownFrameSize)
	c.frames.ReadMetaHeaders = hpack.NewDecoder(ownHeaderTable, nil)
	c.frames.MaxHeaderListSize = ownHeaderList
	c.fields = hpack.NewEncoder(&c.block)
	err := c.write(func() {
		c.out.WriteString(http2.ClientPreface)
		c.frames.WriteSettings(
			http2.Setting{ID: http2.SettingEnablePush, Val: 0},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: ownStreamWindow},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: ownHeaderList},
		)
		c.frames.WriteWindowUpdate(0, ownConnWindow-firstWindow)
	})
	go c.read()
	if err == nil {
		err = c.wait(ctx, func() bool { return c.settled && c.agreed })
	}
	return c, err
}

// write gathers frames and writes them at once.
func (c *conn) write(gather func()) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	gather()
	return c.flushOut()
}

// flushOut writes what was gathered, under the lock of writing. An error ends the connection.
func (c *conn) flushOut() error {
	if c.out.Len() == 0 {
		return nil
	}
	_, err := c.line.Write(c.out.Bytes())
	c.out.Reset()
	if err != nil {
		c.fail(err)
	}
	return err
}

// wait waits for something under the lock, for the end of the connection, or for the context.
func (c *conn) wait(ctx context.Context, ready func() bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !ready() {
		if c.over {
			return c.err
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if ctx.Err() != nil && !ready() {
			return context.Cause(ctx)
		}
	}
	return nil
}

// wake lets all that wait look again; under the lock.
func (c *conn) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// fail ends the connection and all of its streams. The first reason stays.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if c.over = true; c.err == nil {
		c.err = err
	}
	for _, st := range c.streams {
		st.fail(c.err)
	}
	c.wake()
}

// ping asks for a sign of life and waits for it. The other side handles frames in their order: it then has all that was
// written before.
func (c *conn) ping(ctx context.Context) (time.Duration, error) {
	c.mu.Lock()
	want := c.pongs + 1
	c.mu.Unlock()
	began := time.Now()
	if err := c.write(func() { c.frames.WritePing(false, [8]byte{'b', 'u', 'r', 's', 't'}) }); err != nil {
		return 0, err
	}
	err := c.wait(ctx, func() bool { return c.pongs >= want })
	return time.Since(began), err
}

// close ends the connection.
func (c *conn) close() {
	c.mu.Lock()
	alive := !c.over
	c.mu.Unlock()
	c.line.Close(alive)
	c.end()
}

func (c *conn) tcp() net.Conn { return c.line.TCP() }
