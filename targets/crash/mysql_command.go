package crash

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// The commands that need to be told apart (MySQL documentation, "Command Phase").
const (
	comQuit        = 0x01
	comInitDB      = 0x02
	comQuery       = 0x03
	comFieldList   = 0x04
	comProcessInfo = 0x0a
	comPing        = 0x0e
	comChangeUser  = 0x11
	comBinlogDump  = 0x12
	comPrepare     = 0x16
	comExecute     = 0x17
	comLongData    = 0x18
	comCloseStmt   = 0x19
	comFetch       = 0x1c
	comReset       = 0x1f
	comBulkExecute = 0xfa // MariaDB

	lastPrepared = 0xffffffff // MariaDB: the number of a statement whose answer has not been waited for
)

// myNames are the prepared statements of a connection. Both directions use them.
type myNames struct {
	mu     sync.Mutex
	labels map[uint32]string
	last   string            // label of the statement prepared last
	named  map[string]string // PREPARE in SQL; used by the target's direction only
}

// command gives the label of a command, and how its reply ends.
func (n *myNames) command(body []byte) (string, replyKind) {
	switch body[0] {
	case comQuit, comBinlogDump, comLongData:
		return "", replyNone
	case comCloseStmt:
		n.forget(body)
		return "", replyNone
	case comQuery:
		return n.query(string(body[1:])), replyResults
	case comPrepare:
		return n.prepare(string(body[1:])), replyPrepare
	case comExecute, comBulkExecute:
		return n.label(body), replyResults
	case comFetch:
		return "fetch", replyRows
	}
	return n.minor(body[0])
}

// minor gives the labels of what changes no data.
func (n *myNames) minor(command byte) (string, replyKind) {
	switch command {
	case comFieldList:
		return "describe", replyRows
	case comProcessInfo:
		return "SHOW PROCESSLIST", replyResults
	case comChangeUser:
		return "change user", replyAuth
	case comPing:
		return "ping", replyOne
	case comInitDB:
		return "USE", replyOne
	case comReset:
		return "reset connection", replyOne
	default:
		return "command", replyOne
	}
}

// query gives the label of SQL, and follows PREPARE and EXECUTE in it.
func (n *myNames) query(sql string) string {
	if n.named == nil {
		n.named = map[string]string{}
	}
	u := pgUnit{statements: n.named}
	return u.apply(statements(sql, mysqlSQL))
}

// prepare gives the label of a statement that is only prepared.
func (n *myNames) prepare(sql string) string {
	label := join(labelsOf(statements(sql, mysqlSQL)))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = label
	return targets.Preparing + label
}

// prepared notes the number that the database has given to a statement.
func (n *myNames) prepared(id uint32, label string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.labels == nil {
		n.labels = map[uint32]string{}
	}
	if _, there := n.labels[id]; id != 0 && (there || len(n.labels) < maxNames) {
		n.labels[id] = label[len(targets.Preparing):]
	}
}

// label gives the label of a statement that is executed.
func (n *myNames) label(body []byte) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(body) < 5 {
		return unknownLabel
	}
	id := binary.LittleEndian.Uint32(body[1:])
	if id == lastPrepared && n.last != "" {
		return n.last
	}
	if label, ok := n.labels[id]; ok {
		return label
	}
	return unknownLabel
}

func (n *myNames) forget(body []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(body) >= 5 {
		delete(n.labels, binary.LittleEndian.Uint32(body[1:]))
	}
}

// What a greeting may offer that the proxy cannot do or read. The flags are in two halves, and MariaDB has more of them
// where MySQL has zeroes.
const (
	offerCompression = 1 << 5
	offerTLS         = 1 << 11

	offerNoEOF        = 1 << 8  // of the upper half: replies that end without EOF
	offerNoMetadata   = 1 << 9  // replies that may leave the columns out
	offerZstd         = 1 << 10 // another compression
	offerAttributes   = 1 << 11 // attributes before the SQL
	offerProgress     = 1 << 0  // of MariaDB's: errors that are none
	offerCachedFields = 1 << 4  // replies without columns
)

// plainGreeting takes offers out of a greeting, so that the target's driver goes without (MySQL documentation,
// "Protocol::HandshakeV10").
func plainGreeting(body []byte) {
	const version = 10
	end := bytes.IndexByte(body, 0) // of the server's version
	if len(body) == 0 || body[0] != version || end < 0 {
		return
	}
	rest := body[end+1:]
	clearBits(rest, 13, offerCompression|offerTLS) // after the connection's number, half of the scramble, a zero
	clearBits(rest, 18, offerNoEOF|offerNoMetadata|offerZstd|offerAttributes)
	clearBits(rest, 27, offerProgress|offerCachedFields)
}

// clearBits clears flags of two bytes, if they are there.
func clearBits(b []byte, at int, flags uint16) {
	if len(b) < at+2 {
		return
	}
	binary.LittleEndian.PutUint16(b[at:], binary.LittleEndian.Uint16(b[at:])&^flags)
}
