package crash

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// pgHeader is the type of a message and its length, which counts itself but not the type.
const pgHeader = 5

// pgLink is a connection that speaks the PostgreSQL protocol, after the startup message.
type pgLink struct {
	*link
	in   *inlet // from the target
	to   *bufio.Writer
	unit pgUnit // the one that is being collected

	from     *inlet // from the database
	out      *outlet
	ready    bool        // the database has said so once: the connection is open
	stripped atomic.Bool // it has offered channel binding, and that was taken out
}

func newPGLink(l *link, in *bufio.Reader) *pgLink {
	pg := &pgLink{link: l, to: newGated(l, l.server), out: newOutlet(l), unit: newPGUnit()}
	pg.in = &inlet{r: in, idle: pg.idle}
	pg.from = newInlet(l.server, pg.out.flush)
	return pg
}

// pgMessage reads a message's header. The size is that of all of it.
func pgMessage(in *inlet) (kind byte, size int, err error) {
	header, err := in.peek(pgHeader)
	if err != nil {
		return 0, 0, err
	}
	n := binary.BigEndian.Uint32(header[1:])
	if n < 4 || n > 1<<30 {
		return 0, 0, fmt.Errorf("read a message of kind %q: %d bytes is no length", header[0], n)
	}
	return header[0], int(n) + 1, nil
}

// idle is called before more is waited for. Messages before the end of a unit are kept back, since nobody waits for them,
// unless the client streams.
func (pg *pgLink) idle() error {
	if !pg.unit.streams {
		return nil
	}
	return pg.to.Flush()
}

// front passes on what the target says, unit by unit.
func (pg *pgLink) front() error {
	for {
		kind, size, err := pgMessage(pg.in)
		if err != nil {
			return err
		}
		if err := pg.ask(kind, size); err != nil {
			return err
		}
	}
}

// ask passes on one message of the target's.
func (pg *pgLink) ask(kind byte, size int) error {
	body, err := pg.in.peek(min(size, maxPeek))
	if err != nil {
		return err
	}
	if kind == 'p' {
		if err := pg.checkBinding(body); err != nil {
			return err
		}
	}
	if label, ends := pg.unit.add(kind, body[pgHeader:]); ends {
		if err := pg.depart(label, 0, replyOne); err != nil {
			return err
		}
	}
	if err := pg.in.send(pg.to, size); err != nil {
		return err
	}
	if !pgAwaited(kind) {
		return nil
	}
	return pg.to.Flush()
}

// pgAwaited reports whether the database is expected to do something at once about a message.
func pgAwaited(kind byte) bool {
	switch kind {
	case 'Q', 'S', 'F', 'H', 'X', 'c', 'f', 'p': // Query, Sync, FunctionCall, Flush, Terminate, CopyDone, CopyFail, password
		return true
	}
	return false
}

// errBinding is why channel binding fails.
var errBinding = errors.New("the database is reached over TLS, and so is the proxy: this client's channel binding cannot " +
	"work through it; set channel_binding=disable, or sslmode=disable, in the target's database URL")

// checkBinding finds a client that could use channel binding and wonders why the database seems not to (RFC 5802,
// section 6): the database would take that for an attack.
func (pg *pgLink) checkBinding(body []byte) error {
	mechanism, rest, found := bytes.Cut(body[pgHeader:], []byte{0})
	if !pg.stripped.Load() || !found || string(mechanism) != "SCRAM-SHA-256" || len(rest) < 5 {
		return nil
	}
	if bytes.HasPrefix(rest[4:], []byte("y,")) {
		return pg.say(stateFeature, errBinding)
	}
	return nil
}

// back passes on what the database says, reply by reply.
func (pg *pgLink) back() error {
	for {
		kind, size, err := pgMessage(pg.from)
		if err == nil {
			err = pg.answer(kind, size)
		}
		if err != nil {
			return errors.Join(err, pg.leave(err))
		}
	}
}

// leave passes on what the database has said before it closed the connection.
func (pg *pgLink) leave(why error) error {
	if errors.Is(why, errCut) {
		return nil
	}
	return errors.Join(pg.out.release(), pg.out.flush())
}

// answer passes on one message of the database's, or holds it.
func (pg *pgLink) answer(kind byte, size int) error {
	if !pg.ready {
		return pg.welcome(kind, size)
	}
	if kind == 'A' || kind == 'S' || kind == 'N' { // notifications, parameters and notices belong to no reply
		return pg.from.send(pg.out.w, size)
	}
	if err := pg.out.hold(); err != nil {
		return err
	}
	switch kind {
	case 'G', 'W', 'H', 'd', 'c': // COPY goes on only when the target sees it
		if err := pg.out.spill(); err != nil {
			return err
		}
		return pg.from.send(pg.out.w, size)
	}
	if err := pg.from.send(pg.out, size); err != nil {
		return err
	}
	if kind == 'Z' { // ReadyForQuery
		return pg.out.complete()
	}
	return nil
}

// welcome passes on a message of the startup phase.
func (pg *pgLink) welcome(kind byte, size int) error {
	if kind == 'R' && !pg.stripped.Load() && pg.p.options.TLSUpstream != nil && size <= maxPeek {
		message, err := pg.from.peek(size)
		if err != nil {
			return err
		}
		plain := withoutPlus(message)
		pg.stripped.Store(len(plain) < size)
		if _, err := pg.out.Write(plain); err != nil {
			return err
		}
		_, err = pg.from.r.Discard(size)
		return err
	}
	pg.ready = kind == 'Z'
	return pg.from.send(pg.out, size)
}

// withoutPlus takes the mechanism with channel binding out of AuthenticationSASL.
func withoutPlus(message []byte) []byte {
	const sasl, plus = 10, "SCRAM-SHA-256-PLUS\x00"
	if len(message) < 9 || binary.BigEndian.Uint32(message[5:]) != sasl {
		return message
	}
	message = bytes.Replace(message, []byte(plus), nil, 1)
	binary.BigEndian.PutUint32(message[1:], uint32(len(message)-1))
	return message
}
