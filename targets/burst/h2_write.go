package burst

import (
	"context"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// open gathers the HEADERS of a request, with CONTINUATION where they are long; under the lock of writing. It reports
// whether the stream could be opened.
func (c *conn) open(st *stream, end bool) bool {
	c.mu.Lock()
	if st.err == nil && c.err != nil {
		st.fail(c.err)
	}
	if st.over() {
		c.mu.Unlock()
		return false
	}
	st.id, c.nextID = c.nextID, c.nextID+2
	st.window, st.closed, st.finished = c.initial, end, end
	c.streams[st.id] = st
	frame := c.frame
	c.mu.Unlock()

	c.block.Reset()
	for _, f := range st.fields {
		c.fields.WriteField(hpack.HeaderField{Name: f.Name, Value: f.Value})
	}
	block := c.block.Bytes()
	part := block[:min(len(block), frame)]
	rest := block[len(part):]
	c.frames.WriteHeaders(http2.HeadersFrameParam{
		StreamID: st.id, BlockFragment: part, EndStream: end, EndHeaders: len(rest) == 0,
	})
	for len(rest) > 0 {
		part = rest[:min(len(rest), frame)]
		rest = rest[len(part):]
		c.frames.WriteContinuation(st.id, len(rest) == 0, part)
	}
	return true
}

// push gathers DATA of a request up to a place in its body, as far as the windows allow; under the lock of writing. The
// last byte of a body ends the stream, and only it may use what is reserved.
func (c *conn) push(st *stream, upto int) {
	for {
		c.mu.Lock()
		n := int(min(int64(upto-st.sent), int64(c.frame), st.window, c.free(upto == len(st.body))))
		if n <= 0 || st.closed {
			c.mu.Unlock()
			return
		}
		part := st.body[st.sent : st.sent+n]
		st.sent += n
		st.window -= int64(n)
		c.window -= int64(n)
		end := st.sent == len(st.body)
		st.closed, st.finished = end, end
		c.mu.Unlock()
		c.frames.WriteData(st.id, end, part)
	}
}

// free is what may be sent on the connection; under the lock.
func (c *conn) free(last bool) int64 {
	if last {
		return c.window
	}
	return c.window - c.reserve
}

// feed writes a body up to a place, waiting for windows as often as it takes.
func (c *conn) feed(ctx context.Context, st *stream, upto int) error {
	last := upto == len(st.body)
	for {
		err := c.wait(ctx, func() bool {
			return st.closed || st.sent >= upto || st.window > 0 && c.free(last) > 0
		})
		if err != nil {
			return err
		}
		c.mu.Lock()
		done := st.closed || st.sent >= upto
		c.mu.Unlock()
		if done {
			return nil
		}
		if err := c.write(func() { c.push(st, upto) }); err != nil {
			return err
		}
	}
}

// pongLimit is how long an answer to PING is waited for.
const pongLimit = time.Second

// gate is how much of a body goes before the release.
func (st *stream) gate() int {
	if !st.gated {
		return 0
	}
	return len(st.body) - 1
}

// prelude opens the streams with a gate in one write, and feeds what the windows did not let through at once.
func (c *conn) prelude(ctx context.Context) {
	var gated []*stream
	c.mu.Lock()
	for _, st := range c.requests {
		if st.gated && !st.Failed() {
			gated = append(gated, st)
		}
	}
	c.reserve = int64(len(gated))
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, c.end) // a target that reads nothing must not keep the others back
	c.write(func() {
		for _, st := range gated {
			if c.open(st, false) {
				c.push(st, st.gate())
			}
		}
	})
	stop()
	each(len(gated), func(i int) { c.complete(ctx, gated[i]) })
}

// complete brings one stream to its gate, with room for the byte behind it.
func (c *conn) complete(ctx context.Context, st *stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(st.Context(), func() { cancel(context.Cause(st.Context())) })
	defer stop()
	err := c.feed(ctx, st, st.gate())
	if err == nil {
		err = c.wait(ctx, func() bool { return st.closed || st.window > 0 })
	}
	if err != nil {
		c.mu.Lock()
		words := targets.NewFailure(targets.FailureTimeout,
			"the target took %d of %d bytes of the body before the release, and no more", st.sent, len(st.body))
		c.mu.Unlock()
		st.reset(words, http2.ErrCodeCancel)
	}
}

// seen is certain after an answer to PING.
func (c *conn) seen(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pongLimit)
	defer cancel()
	_, err := c.ping(ctx)
	return err == nil
}

func (c *conn) small() bool { return true } // what is large waits in goroutines of its own

// wholeWrite is what the system takes over before it sends any of it, in bytes: less than one of its own buffers.
const wholeWrite = 32 << 10

// arm gathers the last frames, encrypts them, and keeps the lock of writing until flush: nothing comes between.
func (c *conn) arm() int {
	c.writing.Lock()
	c.mu.Lock()
	c.reserve = 0
	c.mu.Unlock()
	for _, st := range c.requests {
		if st.Failed() || !st.gated && !c.open(st, len(st.body) == 0) {
			continue
		}
		if st.id != 0 {
			c.push(st, len(st.body))
		}
	}
	c.line.Hold()
	c.flushOut()
	size := c.line.Withheld()
	c.whole = size <= wholeWrite
	return size
}

func (c *conn) release() {
	c.began = c.now()
	var err error
	if c.done, err = c.line.Release(); err == nil && c.done {
		c.wrote = c.now()
	}
}

// rest is always true: the lock of writing is to be given back.
func (c *conn) rest() bool { return true }

// flush writes what the release has left. Bodies that are larger than the windows go on beside the reading of answers.
func (c *conn) flush(context.Context) {
	if !c.done {
		if err := c.line.Flush(); err != nil {
			c.fail(err)
		} else {
			c.wrote = c.now()
		}
	}
	c.writing.Unlock()
	for _, st := range c.requests {
		if !st.stamp(c.wrote) && st.id != 0 {
			go func() {
				if c.feed(st.Context(), st, len(st.body)) == nil {
					st.stamp(c.now())
				}
			}()
		}
	}
}

// stamp notes when the request was wholly written, if it is.
func (st *stream) stamp(at time.Time) bool {
	st.conn.mu.Lock()
	defer st.conn.mu.Unlock()
	whole := st.id != 0 && st.finished && st.sent == len(st.body)
	if whole && st.wrote.IsZero() {
		st.wrote = at
	}
	return whole
}

// restamp corrects when the release was written; under the lock. The time is taken after the write, which the system may
// stop for a target on the same machine, and so perhaps after the first answer. But the requests of one write were all on
// their way when any of them was answered.
func (c *conn) restamp() {
	if !c.done || !c.whole {
		return
	}
	at := c.wrote
	for _, st := range c.requests {
		if st.finished && st.first.After(c.began) && st.first.Before(at) {
			at = st.first.Add(-1)
		}
	}
	for _, st := range c.requests {
		if st.wrote.Equal(c.wrote) {
			st.wrote = at
		}
	}
}
