package targets

// The modes of the clauses of a Profile.
const (
	ModeIdentical    = "identical"     // replay: same status and body
	ModeSameRecord   = "same_record"   // replay: same id, the body may be newer
	ModePointerError = "pointer_error" // replay: an error that points at the first result
	ModeUpsert       = "upsert"        // replay: success, flagged as not new
	ModeAck          = "ack"           // replay: any 2xx, no second effect

	ModeReject      = "reject"       // mismatch, in_flight, missing, expired: refused
	ModeReplayFirst = "replay_first" // mismatch: the first answer is given
	ModeNewRecord   = "new_record"   // mismatch, expired: a second record is right
	ModeOverwrite   = "overwrite"    // mismatch: the record takes the new payload
	ModeWait        = "wait"         // in_flight: held until the first has finished
	ModePointer     = "pointer"      // in_flight: an answer that points at the running job

	ModeExecutes        = "executes"         // missing: runs like any request
	ModeServerGenerates = "server_generates" // missing: the server makes a key up

	ModeStored     = "stored"      // failures: kept and replayed
	ModeReExecuted = "re_executed" // failures: the retry runs again
	ModeResumed    = "resumed"     // failures: the retry goes on where the first stopped

	ModeNever = "never" // expired: keys never expire

	ModeFailOpen   = "fail_open"   // store_down: the request is carried out without protection
	ModeFailClosed = "fail_closed" // store_down: the request is refused

	ModeIsolated = "isolated" // scope: separate name spaces
	ModeShared   = "shared"   // scope: one name space

	ModeUndocumented = "undocumented"
)
