package crash

import (
	"crypto/tls"
	"errors"
	"time"
)

// Protocol is what a target and its database speak.
type Protocol string

// The protocols.
const (
	Postgres Protocol = "postgres"
	MySQL    Protocol = "mysql" // and MariaDB
	TCP      Protocol = "tcp"   // anything else in which an answer follows a question
)

// Unit is one unit that the target has sent.
type Unit struct {
	Label string // verb and table; with several statements all of them; Step where the protocol is not understood
	At    time.Time
	Conn  int // number of the connection within the proxy, from 1
	Size  int // bytes of the payload; only where the protocol is not understood
}

// Step is the label of all units where the protocol is not understood.
const Step = "step"

// Then is what happens to the target's connections at a point, after the function that was armed has returned.
type Then int

// What happens at a point.
const (
	Cut    Then = iota // all of them are closed on both sides: the process has died, and the database is told
	Orphan             // only the target's side is closed: the host has died, and the database is not told
	Resume             // the unit, or its reply, goes its way: only the client of the target has gone
)

// Options say where the proxy stands.
type Options struct {
	Upstream string // the database: host:port, or the path of a Unix socket
	Protocol Protocol
	Listen   string // host:port; empty: a free port of 127.0.0.1. Best outside the range of ephemeral ports

	// Upstream TLS, for PostgreSQL. The proxy is the client then, so that channel binding cannot work: a target whose
	// driver insists on it must be told not to.
	TLSUpstream *tls.Config
	// PlainClients answers a PostgreSQL client's question for TLS with no. Otherwise the proxy has a certificate of its
	// own, which satisfies sslmode prefer and require; for verify-ca and verify-full give the target Proxy.CA.
	PlainClients bool

	Now func() time.Time // for Unit.At; nil: time.Now
}

// The reasons for which an armed point can end without having fired.
var (
	ErrDisarmed = errors.New("it was disarmed")
	ErrTooLarge = errors.New("the reply is too large to be held")
	ErrLost     = errors.New("the connection ended before the reply was complete")
	ErrClosed   = errors.New("the proxy was closed")
)
