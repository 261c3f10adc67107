package targets

import "time"

// Profile is what the owner of a target documents about its idempotency keys. One YAML file each, in
// targets/profiles; a target file may override any clause, and what it says counts as documented.
type Profile struct {
	Name     string `yaml:"name"`
	Title    string `yaml:"title"`
	Source   string `yaml:"source"`    // the page that documents it
	Key      Key    `yaml:"key"`       // how the key travels
	Replay   Clause `yaml:"replay"`    // same key, same request, after the first has completed
	Mismatch Clause `yaml:"mismatch"`  // same key, another request
	InFlight Clause `yaml:"in_flight"` // same key, while the first request still runs
	// Same key, another request, while the first still runs; where nothing is said, a mismatch and an in-flight answer
	// are both right.
	MismatchInFlight Clause    `yaml:"mismatch_in_flight"`
	Missing          Clause    `yaml:"missing"`   // no key (or an empty one) sent
	Failures         Failures  `yaml:"failures"`  // same key, after the first request has failed
	Retention        Retention `yaml:"retention"` // how long a key is kept
	Expired          Clause    `yaml:"expired"`   // a key sent again after its retention
	Scope            Scope     `yaml:"scope"`     // what a key is unique within
}

// Claim is the standing of one profile value: how binding it is and how it is known.
type Claim struct {
	Level      Level      `yaml:"level"`
	Provenance Provenance `yaml:"provenance"`
	Source     string     `yaml:"source"` // link or section; empty: the profile's own source
	Date       string     `yaml:"date"`   // for observed values, YYYY-MM-DD
	Note       string     `yaml:"note"`
}

// Judged reports whether a broken value is a finding: it is documented and has a level.
func (c Claim) Judged() bool { return c.Provenance == Documented && c.Level != "" }

// Clause is one documented behaviour. The target may show any of the modes, with any of the statuses; an empty list
// means that nothing is said about it.
type Clause struct {
	Mode      Strings `yaml:"mode"`
	Status    Ints    `yaml:"status"`
	Code      *Code   `yaml:"code"`       // the error code inside the answer, where a status alone is ambiguous
	Marker    *Marker `yaml:"marker"`     // a header that marks the answer (Idempotent-Replayed)
	RetryHint *Marker `yaml:"retry_hint"` // a header that says when to try again (Retry-After)
	Ignore    Strings `yaml:"ignore"`     // replay: JSON pointers whose values may differ
	Claim     `yaml:",inline"`
}

// FromLastUse says that each use of a key prolongs its retention.
const FromLastUse = "last_use"

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

	ModeIsolated = "isolated" // scope: separate name spaces
	ModeShared   = "shared"   // scope: one name space

	ModeUndocumented = "undocumented"
)

// Has reports whether mode is among the clause's modes.
func (c Clause) Has(mode string) bool {
	for _, m := range c.Mode {
		if m == mode {
			return true
		}
	}
	return false
}

// HasStatus reports whether status is among the clause's statuses. A clause without statuses has none.
func (c Clause) HasStatus(status int) bool {
	for _, s := range c.Status {
		if s == status {
			return true
		}
	}
	return false
}

// Code is where an error code stands in an answer and the values it may have.
type Code struct {
	At string  `yaml:"at"` // RFC 9535 JSONPath into the answer
	In Strings `yaml:"in"`
}

// Marker is a response header with its allowed values; no values means that any will do.
type Marker struct {
	Name  string  `yaml:"name"`
	Value Strings `yaml:"value"`
	Claim `yaml:",inline"`
}

// KeyIn is the part of a request that carries the key.
type KeyIn string

// Where a key can travel.
const (
	InHeader KeyIn = "header"
	InBody   KeyIn = "body" // Name is an RFC 6901 JSON pointer
	InQuery  KeyIn = "query"
	InForm   KeyIn = "form"
	InNone   KeyIn = "none" // no key at all: a unique field does the work
)

// Quoting is how a key is written in a header.
type Quoting string

// The two written forms: bare, or a structured-field String in double quotes (RFC 9651 section 3.3.3).
const (
	QuotingBare     Quoting = "bare"
	QuotingSFString Quoting = "sf_string"
)

// Key is how the idempotency key travels.
type Key struct {
	In         KeyIn             `yaml:"in"`
	Name       string            `yaml:"name"`
	Quoting    Quoting           `yaml:"quoting"`
	Template   string            `yaml:"template"`   // a key derived from the bundle; empty: an opaque UUID per bundle
	MaxLength  int               `yaml:"max_length"` // characters; 0: not documented
	Methods    Strings           `yaml:"methods"`    // methods on which the key counts
	Companions map[string]string `yaml:"companions"` // further headers sent with each key
	Claim      `yaml:",inline"`
}

// Failures is what happens to a retry after a failed first request, by class of failure.
type Failures struct {
	Validation   Clause `yaml:"validation"`   // 4xx found before execution
	Refusal      Clause `yaml:"refusal"`      // a 4xx that is the true outcome (business refusal)
	Unauthorized Clause `yaml:"unauthorized"` // 401, 403
	RateLimited  Clause `yaml:"rate_limited"` // 429
	ServerError  Clause `yaml:"server_error"` // 5xx
}

// Retention is how long a key is kept. Min is a floor and Max a ceiling; equal values are exact, zero means unsaid.
type Retention struct {
	Min   Duration `yaml:"min"`
	Max   Duration `yaml:"max"`
	From  string   `yaml:"from"` // what it is counted from: first_use (the default), or last_use where each use prolongs it
	Claim `yaml:",inline"`
}

// Scope says, for each dimension, whether the same key on both sides is one key (shared), two (isolated), or an error
// (reject).
type Scope struct {
	Credential  Clause `yaml:"credential"`
	Tenant      Clause `yaml:"tenant"`
	Environment Clause `yaml:"environment"`
	Operation   Clause `yaml:"operation"`
}

// Strings is a YAML list of strings that may also be written as one string.
type Strings []string

// Ints is a YAML list of whole numbers that may also be written as one number.
type Ints []int

// Duration is a YAML duration as time.ParseDuration reads it, with d for days in addition ("30s", "24h", "7d").
type Duration time.Duration

// Std gives the duration as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String gives the duration as time.Duration prints it.
func (d Duration) String() string { return time.Duration(d).String() }
