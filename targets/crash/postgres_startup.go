package crash

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// The codes with which a connection begins (PostgreSQL documentation, "Message Formats").
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104

	maxStartup   = 10_000 // bytes, as in the server
	tlsHandshake = 0x16   // the first byte of TLS that was not asked for (sslnegotiation=direct)
	alpnPostgres = "postgresql"
)

// SQLSTATEs of what the proxy says itself.
const (
	stateConnection = "08006"
	stateProtocol   = "08P01"
	stateFeature    = "0A000"
)

// openPostgres answers questions for encryption, and connects when the startup message has come.
func (l *link) openPostgres() (halves, error) {
	if err := l.client.SetDeadline(time.Now().Add(startUpWithin)); err != nil {
		return halves{}, err
	}
	in := bufio.NewReaderSize(l.client, bufferSize)
	startup, in, err := l.negotiate(in)
	if err != nil {
		return halves{}, err
	}
	if code(startup) == cancelRequest {
		return halves{}, l.passCancel(startup)
	}
	if err := l.startUpstream(startup); err != nil {
		return halves{}, l.say(stateConnection, err)
	}
	if err := l.client.SetDeadline(time.Time{}); err != nil {
		return halves{}, err
	}
	pg := newPGLink(l, in)
	return halves{front: pg.front, back: pg.back}, nil
}

// negotiate answers until the client has sent what it wants.
func (l *link) negotiate(in *bufio.Reader) ([]byte, *bufio.Reader, error) {
	for encrypted := false; ; {
		first, err := in.Peek(1)
		if err != nil {
			return nil, nil, err
		}
		if first[0] == tlsHandshake && !encrypted {
			if in, err = l.encrypt(in); err != nil {
				return nil, nil, err
			}
			encrypted = true
			continue
		}
		message, err := readStartup(in)
		if err != nil {
			return nil, nil, l.say(stateProtocol, err)
		}
		switch code(message) {
		case gssRequest:
			_, err = l.client.Write([]byte{'N'})
		case sslRequest:
			in, encrypted, err = l.answerSSL(in, encrypted)
		default:
			return message, in, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// answerSSL says yes and encrypts, or says no.
func (l *link) answerSSL(in *bufio.Reader, encrypted bool) (*bufio.Reader, bool, error) {
	if encrypted {
		return nil, false, l.say(stateProtocol, errors.New("TLS was asked for twice"))
	}
	if in.Buffered() > 0 {
		return nil, false, l.say(stateProtocol, errors.New("unencrypted data after the question for TLS"))
	}
	if l.p.options.PlainClients {
		_, err := l.client.Write([]byte{'N'})
		return in, false, err
	}
	if _, err := l.client.Write([]byte{'S'}); err != nil {
		return nil, false, err
	}
	in, err := l.encrypt(in)
	return in, true, err
}

// encrypt puts TLS with the proxy's own certificate over the client's connection.
func (l *link) encrypt(in *bufio.Reader) (*bufio.Reader, error) {
	ca, err := l.p.ca()
	if err != nil {
		return nil, err
	}
	conn := tls.Server(peeked{l.client, in}, &tls.Config{
		Certificates: []tls.Certificate{ca.leaf}, NextProtos: []string{alpnPostgres}, MinVersion: tls.VersionTLS12})
	if err := conn.HandshakeContext(l.p.ctx); err != nil {
		return nil, fmt.Errorf("encrypt the target's connection: %w", err)
	}
	l.client = conn
	return bufio.NewReaderSize(conn, bufferSize), l.alive()
}

// peeked is a connection of which something was read ahead.
type peeked struct {
	net.Conn
	r io.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// readStartup reads a message of the startup phase, which has no type.
func readStartup(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(4)
	if err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head)
	if n < 8 || n > maxStartup {
		return nil, fmt.Errorf("a startup message cannot have %d bytes: does the client speak the PostgreSQL protocol?", n)
	}
	message := make([]byte, n)
	_, err = io.ReadFull(in, message)
	return message, err
}

// code is what a startup message is for.
func code(message []byte) uint32 { return binary.BigEndian.Uint32(message[4:]) }

// startUpstream connects to the database and passes the startup message on.
func (l *link) startUpstream(startup []byte) error {
	if err := l.connect(); err != nil {
		return err
	}
	if config := l.p.options.TLSUpstream; config != nil {
		if err := l.encryptUpstream(config); err != nil {
			return fmt.Errorf("encrypt the connection to the database: %w", err)
		}
	}
	if _, err := l.server.Write(startup); err != nil {
		return fmt.Errorf("pass the startup message on: %w", err)
	}
	return nil
}

// encryptUpstream asks the database for TLS.
func (l *link) encryptUpstream(config *tls.Config) error {
	if err := l.server.SetDeadline(time.Now().Add(dialWithin)); err != nil {
		return err
	}
	question := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 8), sslRequest)
	if _, err := l.server.Write(question); err != nil {
		return err
	}
	var answer [1]byte
	if _, err := io.ReadFull(l.server, answer[:]); err != nil {
		return err
	}
	if answer[0] != 'S' {
		return errors.New("the database does not offer TLS")
	}
	config = config.Clone()
	if config.ServerName == "" && !config.InsecureSkipVerify {
		config.ServerName, _, _ = net.SplitHostPort(l.p.options.Upstream)
	}
	conn := tls.Client(l.server, config)
	if err := conn.HandshakeContext(l.p.ctx); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	l.server = conn
	return nil
}

// passCancel passes a request to cancel on. The client waits until its connection is closed, and that must not be before
// the database has closed its own: only then has it seen the request.
func (l *link) passCancel(request []byte) error {
	if err := l.startUpstream(request); err != nil {
		return err
	}
	if err := l.server.SetReadDeadline(time.Now().Add(dialWithin)); err != nil {
		return err
	}
	io.Copy(io.Discard, l.server) //nolint:errcheck // it ends, or it does not
	return errCut
}

// say tells the client why it cannot be served, and gives the reason back.
func (l *link) say(state string, why error) error {
	message := pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: state,
		Message: "idemcheck's proxy: " + why.Error()}
	if b, err := message.Encode(nil); err == nil {
		l.client.Write(b) //nolint:errcheck // it may have gone
	}
	return why
}
