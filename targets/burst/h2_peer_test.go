package burst_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// listen starts a server written by hand: one function for each connection, which is closed after it. The end of the
// test waits for all of them.
func listen(t testing.TB, serve func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(soon))
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		work.Wait()
	})
	return "http://" + l.Addr().String()
}

// framed is the other side of an HTTP/2 connection, by hand. It answers PING and SETTINGS, and notes what comes.
type framed struct {
	*http2.Framer
	conn    net.Conn
	block   bytes.Buffer
	encoder *hpack.Encoder
	streams []uint32 // in the order of their HEADERS
	ended   map[uint32]bool
	sizes   map[uint32]int // of what came of their bodies
	pings   int
	pongs   int
	resets  map[uint32]http2.ErrCode
}

// h2peer starts a peer that has said its settings, and goes on.
func h2peer(t testing.TB, then func(*framed), settings ...http2.Setting) (url string) {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface)))
		f := &framed{Framer: http2.NewFramer(conn, conn), conn: conn, ended: map[uint32]bool{}, sizes: map[uint32]int{}, resets: map[uint32]http2.ErrCode{}}
		f.encoder = hpack.NewEncoder(&f.block)
		f.WriteSettings(settings...)
		then(f)
	})
}

// until reads frames until something is so, or the connection ends.
func (f *framed) until(so func() bool) bool {
	for !so() {
		frame, err := f.ReadFrame()
		if err != nil {
			return false
		}
		f.take(frame)
	}
	return true
}

func (f *framed) take(frame http2.Frame) {
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			f.WriteSettingsAck()
		}
	case *http2.PingFrame:
		if frame.IsAck() {
			f.pongs++
			return
		}
		f.pings++
		f.WritePing(true, frame.Data)
	case *http2.HeadersFrame:
		f.streams = append(f.streams, frame.StreamID)
		f.ended[frame.StreamID] = frame.StreamEnded()
	case *http2.DataFrame:
		f.sizes[frame.StreamID] += len(frame.Data())
		f.ended[frame.StreamID] = frame.StreamEnded()
	case *http2.RSTStreamFrame:
		f.resets[frame.StreamID] = frame.ErrCode
	}
}

// complete counts the requests that have ended.
func (f *framed) complete() int {
	n := 0
	for _, ended := range f.ended {
		if ended {
			n++
		}
	}
	return n
}

// requests reads until n requests are complete.
func (f *framed) requests(n int) bool { return f.until(func() bool { return f.complete() == n }) }

// header sends the header of an answer.
func (f *framed) header(stream uint32, end bool, fields ...string) {
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: f.encode(fields...), EndStream: end, EndHeaders: true})
}

func (f *framed) encode(fields ...string) []byte {
	f.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		f.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return f.block.Bytes()
}

// answer sends a whole answer.
func (f *framed) answer(stream uint32, content string) {
	f.header(stream, false, ":status", "200")
	f.WriteData(stream, true, []byte(content))
}

// drain reads until the other side ends the connection.
func (f *framed) drain() { f.until(func() bool { return false }) }
