package observe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// What a sink keeps. Beyond that it goes on answering, so that the target is not disturbed, and refuses to count.
const (
	maxMessages = 10_000
	maxMessage  = 1 << 20   // bytes of one message
	maxKept     = 256 << 20 // bytes of all messages
)

// headerPath marks an id or ref that stands in a header instead of a body: "header:X-Task-Id".
const headerPath = "header:"

// message is one call or mail that came in.
type message struct {
	texts  []string // everything in which a marker may stand, decoded
	header textproto.MIMEHeader
	body   []byte // of an HTTP call
	size   int
	cut    bool // longer than what is kept
}

// sink keeps messages and counts those that contain the marker. Its listener is one of the two protocols.
type sink struct {
	spec targets.Sink
	addr string
	stop func() error // ends the listener; safe to call twice

	mu       sync.Mutex
	messages []message
	size     int
	lost     int // messages that did not fit
}

// openSink starts to listen. An address without a host (":8025") is loopback; any other must be written out.
func openSink(ctx context.Context, spec targets.Observer, _ Deps) (counter, error) {
	s := &sink{spec: *spec.Sink}
	serve, address := s.serveHTTP, s.spec.HTTP
	if s.spec.SMTP != "" {
		serve, address = s.serveSMTP, s.spec.SMTP
	}
	if (s.spec.HTTP == "") == (s.spec.SMTP == "") {
		return nil, errors.New("sink: one of http and smtp must be set, the address to listen on")
	}
	if err := s.checkPaths(); err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("sink: the address must be host:port: %w", err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(orElse(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	s.addr = l.Addr().String()
	s.stop = serve(l)
	return s, nil
}

func (s *sink) checkPaths() error {
	if s.spec.ID == "" && s.spec.SMTP != "" {
		s.spec.ID = headerPath + "Message-ID"
	}
	for field, path := range map[string]string{"id": s.spec.ID, "ref": s.spec.Ref} {
		if strings.HasPrefix(path, headerPath) || path == "" {
			continue
		}
		if s.spec.SMTP != "" {
			return fmt.Errorf("%s: a mail is no JSON, only %sNAME can be read from it", field, headerPath)
		}
		if err := checkPath(field, path); err != nil {
			return err
		}
	}
	return nil
}

// Addr is the host:port that the sink listens on.
func (s *sink) Addr() string { return s.addr }

func (s *sink) close() error { return s.stop() }

// keep stores a message if there is room.
func (s *sink) keep(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.messages) == maxMessages || s.size+m.size > maxKept {
		s.lost++
		return
	}
	s.messages = append(s.messages, m)
	s.size += m.size
}

func (s *sink) count(_ context.Context, q Query) (tally, error) {
	marker := q.marker()
	if marker == "" {
		return tally{}, errors.New("a sink counts by the marker, and there is none")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost > 0 {
		return tally{}, fmt.Errorf("the sink is full: it keeps %d messages, and %d more came", len(s.messages), s.lost)
	}
	t := tally{}
	if s.spec.ID != "" {
		t.ids = []string{}
	}
	if s.spec.Ref != "" {
		t.refs = []string{}
	}
	for i, m := range s.messages {
		switch {
		case m.contains(marker):
			if err := s.add(&t, m, i); err != nil {
				return tally{}, err
			}
		case m.cut:
			return tally{}, fmt.Errorf("message %d is longer than %d bytes: the marker may stand in what was not kept", i+1, maxMessage)
		}
	}
	return t, nil
}

func (s *sink) add(t *tally, m message, i int) error {
	t.count++
	if t.ids != nil {
		id := m.at(s.spec.ID)
		if id == "" && s.spec.SMTP != "" {
			id = fmt.Sprintf("#%d", i+1) // a mail may be without Message-ID: the first server adds it
		}
		if id == "" {
			return fmt.Errorf("message %d has no id at %s", i+1, s.spec.ID)
		}
		t.ids = append(t.ids, id)
	}
	if t.refs != nil {
		t.refs = append(t.refs, m.at(s.spec.Ref))
	}
	return nil
}

func (m message) contains(marker string) bool {
	for _, t := range m.texts {
		if strings.Contains(t, marker) {
			return true
		}
	}
	return false
}

// at reads an id; "" where there is none. The angle brackets of a Message-ID are not part of it.
func (m message) at(path string) string {
	if name, ok := strings.CutPrefix(path, headerPath); ok {
		return strings.Trim(m.header.Get(name), "<> ")
	}
	text, _ := targets.QueryText(path, m.body)
	return text
}
