package burst

import (
	"errors"

	"golang.org/x/net/http2"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// read reads frames until the connection ends. Everything that it reads is taken as hostile.
func (c *conn) read() {
	for {
		f, err := c.frames.ReadFrame()
		if err == nil {
			err = c.take(f)
		}
		if bad := (http2.StreamError{}); errors.As(err, &bad) {
			err = c.refuse(bad)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// refuse ends a stream whose frames are wrong.
func (c *conn) refuse(bad http2.StreamError) error {
	c.mu.Lock()
	st := c.streams[bad.StreamID]
	c.mu.Unlock()
	if st == nil {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	st.reset(http2.StreamError{StreamID: bad.StreamID, Code: http2.ErrCodeProtocol}, http2.ErrCodeProtocol)
	return nil
}

// take handles one frame.
func (c *conn) take(f http2.Frame) error {
	if _, first := f.(*http2.SettingsFrame); !first && !c.begun() {
		return http2.ConnectionError(http2.ErrCodeProtocol) // RFC 9113 section 3.4
	}
	switch f := f.(type) {
	case *http2.SettingsFrame:
		return c.takeSettings(f)
	case *http2.PingFrame:
		return c.takePing(f)
	case *http2.WindowUpdateFrame:
		return c.takeWindow(f)
	case *http2.MetaHeadersFrame:
		return c.takeHeader(f)
	case *http2.DataFrame:
		return c.takeData(f)
	case *http2.RSTStreamFrame:
		return c.takeReset(f)
	case *http2.GoAwayFrame:
		c.takeGoAway(f)
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol) // we have forbidden it
	}
	return nil // RFC 9113 section 4.1: what is not known is ignored
}

func (c *conn) begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settled
}

// takeSettings follows what the other side says, and confirms it.
func (c *conn) takeSettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.agreed = true
		c.wake()
		return nil
	}
	table := int64(-1)
	c.mu.Lock()
	err := f.ForeachSetting(func(s http2.Setting) error {
		if s.ID == http2.SettingHeaderTableSize {
			table = int64(s.Val)
		}
		return c.set(s)
	})
	c.settled = true
	c.wake()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.write(func() {
		if table >= 0 {
			c.fields.SetMaxDynamicTableSizeLimit(uint32(min(table, ownHeaderTable)))
			c.fields.SetMaxDynamicTableSize(uint32(min(table, ownHeaderTable)))
		}
		c.frames.WriteSettingsAck()
	})
}

// set follows one setting; under the lock.
func (c *conn) set(s http2.Setting) error {
	if err := s.Valid(); err != nil {
		return err
	}
	switch s.ID {
	case http2.SettingMaxConcurrentStreams:
		c.most = s.Val
	case http2.SettingMaxFrameSize:
		c.frame = int(min(s.Val, ownFrameSize)) // smaller frames are always allowed
	case http2.SettingInitialWindowSize:
		change := int64(s.Val) - c.initial
		c.initial = int64(s.Val)
		for _, st := range c.streams {
			if st.window += change; st.window > maxWindow {
				return http2.ConnectionError(http2.ErrCodeFlowControl)
			}
		}
	}
	return nil
}

func (c *conn) takePing(f *http2.PingFrame) error {
	if !f.IsAck() {
		return c.write(func() { c.frames.WritePing(true, f.Data) })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pongs++
	c.wake()
	return nil
}

func (c *conn) takeWindow(f *http2.WindowUpdateFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	if f.StreamID == 0 {
		if c.window += int64(f.Increment); c.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		return nil
	}
	st := c.streams[f.StreamID]
	if st == nil {
		return c.unknown(f.StreamID)
	}
	if st.window += int64(f.Increment); st.window > maxWindow {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeFlowControl}
	}
	return nil
}

// unknown is about a frame on a stream that we do not have; under the lock. Streams that were never opened are an error
// (RFC 9113 section 5.1).
func (c *conn) unknown(id uint32) error {
	if id%2 == 0 || id >= c.nextID {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	return nil
}

// takeReset ends a stream. After a whole answer it says only that the rest of the request is not wanted.
func (c *conn) takeReset(f *http2.RSTStreamFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	st := c.streams[f.StreamID]
	if st == nil {
		return c.unknown(f.StreamID)
	}
	code := f.ErrCode
	err := error(http2.StreamError{StreamID: f.StreamID, Code: code})
	if code == http2.ErrCodeProtocol {
		err = targets.NewFailure(targets.FailureClosed, "the stream was reset before the answer was complete (%s)", code)
	}
	st.fail(err)
	return nil
}

// takeGoAway ends the streams that the other side has not looked at, and lets it finish the others.
func (c *conn) takeGoAway(f *http2.GoAwayFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	c.err = targets.NewFailure(targets.FailureClosed, "the connection was closed before the answer was complete (GOAWAY %s)", f.ErrCode)
	for id, st := range c.streams {
		if id > f.LastStreamID {
			st.fail(c.err)
		}
	}
}
