package crash

import "encoding/binary"

// replyKind is how the end of a reply is recognised (MySQL documentation, "Command Phase").
type replyKind byte

const (
	replyNone    replyKind = iota
	replyOne               // one packet
	replyResults           // OK, an error, or sets of rows
	replyPrepare           // a statement with its parameters and columns
	replyRows              // rows, or descriptions, up to an EOF
	replyAuth              // until OK or an error, with questions in between
)

// The first bytes of packets, and flags of the server's status.
const (
	myOK, myErr, myEOF, myFile = 0x00, 0xff, 0xfe, 0xfb

	statusMore   = 0x0008 // another set of rows follows
	statusCursor = 0x0040 // the rows are fetched later
)

// myReply follows a reply. The form with EOF packets is the only one that can occur: the proxy has not offered the other.
type myReply struct {
	begun     bool
	eofs      int    // that still come
	wantsFile bool   // LOAD DATA LOCAL
	prepared  uint32 // number of the statement
}

// add takes a packet and reports whether it is the last one.
func (r *myReply) add(kind replyKind, body []byte, size int) bool {
	if len(body) == 0 {
		return true
	}
	first := body[0]
	switch {
	case kind == replyOne, first == myErr:
		return true
	case kind == replyAuth:
		return first == myOK
	case kind == replyPrepare:
		return r.prepare(body, size)
	case kind == replyRows:
		return isEOF(body, size)
	case !r.begun:
		return r.begin(body)
	case !isEOF(body, size):
		return false
	}
	return r.rowsEOF(status(body[3:]))
}

// begin takes the first packet of a set of results.
func (r *myReply) begin(body []byte) bool {
	switch body[0] {
	case myOK:
		return status(afterLengths(body[1:]))&statusMore == 0
	case myFile:
		r.wantsFile = true
		return false
	}
	r.begun, r.eofs = true, 2
	return false
}

// rowsEOF takes an EOF: the first ends the columns, the second the rows.
func (r *myReply) rowsEOF(flags uint16) bool {
	if r.eofs--; r.eofs > 0 && flags&statusCursor == 0 {
		return false
	}
	r.begun = false
	return flags&statusMore == 0
}

// prepare takes a packet of the answer to a PREPARE.
func (r *myReply) prepare(body []byte, size int) bool {
	if r.begun {
		if isEOF(body, size) {
			r.eofs--
		}
		return r.eofs == 0
	}
	if len(body) < 9 {
		return true
	}
	r.begun, r.prepared = true, binary.LittleEndian.Uint32(body[1:])
	for _, n := range [][]byte{body[5:7], body[7:9]} { // columns, parameters
		if binary.LittleEndian.Uint16(n) > 0 {
			r.eofs++
		}
	}
	return r.eofs == 0
}

func isEOF(body []byte, size int) bool { return body[0] == myEOF && size < 9 && len(body) >= 5 }

// status reads the server's status.
func status(b []byte) uint16 {
	if len(b) < 2 {
		return 0
	}
	return binary.LittleEndian.Uint16(b)
}

// afterLengths skips the two numbers of an OK packet, each of which says in its first byte how long it is.
func afterLengths(b []byte) []byte {
	for range 2 {
		if len(b) == 0 {
			return nil
		}
		n := map[byte]int{0xfc: 3, 0xfd: 4, 0xfe: 9}[b[0]]
		b = b[min(len(b), max(1, n)):]
	}
	return b
}
