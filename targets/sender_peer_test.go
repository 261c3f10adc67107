package targets_test

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// soon is long enough for anything that must happen and short enough to wait for when it does not.
const soon = 10 * time.Second

// peer is a TCP server written by hand: one function for each connection, which is closed after it.
type peer struct {
	net.Listener
	mu    sync.Mutex
	seen  []string // what each finished connection has sent
	conns int
	work  sync.WaitGroup
}

// listen starts a peer; the end of the test waits for all of its connections.
func listen(t testing.TB, serve func(*peerConn)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &peer{Listener: l}
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		p.accept(serve)
	}()
	t.Cleanup(func() {
		l.Close()
		p.work.Wait()
	})
	return p
}

func (p *peer) accept(serve func(*peerConn)) {
	for {
		conn, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns++
		p.mu.Unlock()
		p.work.Add(1)
		go func() {
			defer p.work.Done()
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(soon))
			serve(&peerConn{Conn: conn, br: bufio.NewReader(conn), peer: p})
		}()
	}
}

func (p *peer) url() string { return "http://" + p.Addr().String() + "/v1/tasks" }

// requests gives everything that came, one entry for each request or remainder that a connection has noted.
func (p *peer) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

func (p *peer) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns
}

// peerConn is the peer's side of one connection.
type peerConn struct {
	net.Conn
	br   *bufio.Reader
	peer *peer
}

// request reads one whole request and notes it.
func (c *peerConn) request() string {
	var text strings.Builder
	length := 0
	for {
		line, err := c.br.ReadString('\n')
		text.WriteString(line)
		if err != nil || line == "\r\n" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(v))
		}
	}
	io.CopyN(&text, c.br, int64(length))
	return c.note(text.String())
}

// rest reads until the other side ends, and notes what came.
func (c *peerConn) rest() (string, error) {
	b, err := io.ReadAll(c.br)
	return c.note(string(b)), err
}

func (c *peerConn) note(text string) string {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	c.peer.seen = append(c.peer.seen, text)
	return text
}

func (c *peerConn) say(s string) { io.WriteString(c.Conn, s) }

// answers reads one request and says something.
func answers(s string) func(*peerConn) {
	return func(c *peerConn) {
		c.request()
		c.say(s)
	}
}

// sender is one that may contact loopback and uses no proxy.
func sender(with ...func(*targets.SenderOptions)) *targets.Sender {
	o := targets.SenderOptions{Hosts: []string{"127.0.0.1"}, Timeout: soon}
	for _, w := range with {
		w(&o)
	}
	return targets.NewSender(o)
}

// create is the usual attempt.
func create(url string) targets.Attempt {
	return targets.Attempt{
		Name: "first", Key: "k-1", Method: http.MethodPost, URL: url,
		Header: http.Header{"Idempotency-Key": {"k-1"}, "Content-Type": {"application/json"}},
		Body:   []byte(`{"note":"hello"}`),
	}
}

// send sends one attempt.
func send(t testing.TB, s *targets.Sender, a targets.Attempt) targets.Exchange {
	t.Helper()
	return s.Send(t.Context(), a)
}

// quiet is a log for servers whose complaints are part of the test.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
