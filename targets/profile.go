package targets

import "time"

// Profile is what the owner of a target documents about its idempotency keys. One YAML file each, in
// targets/profiles; a target file may override any clause, and what it says counts as documented.
type Profile struct {
	Name     string `yaml:"name"`
	Title    string `yaml:"title"`
	Source   string `yaml:"source"`    // the page that documents it
	Role     Role   `yaml:"role"`      // server (the default), or receiver of webhooks
	Key      Key    `yaml:"key"`       // how the key travels
	Replay   Clause `yaml:"replay"`    // same key, same request, after the first has completed
	Mismatch Clause `yaml:"mismatch"`  // same key, another request
	InFlight Clause `yaml:"in_flight"` // same key, while the first request still runs
	// Same key, another request, while the first still runs; where nothing is said, a mismatch and an in-flight answer
	// are both right.
	MismatchInFlight Clause    `yaml:"mismatch_in_flight"`
	Missing          Clause    `yaml:"missing"`    // no key (or an empty one) sent
	Failures         Failures  `yaml:"failures"`   // same key, after the first request has failed
	Retention        Retention `yaml:"retention"`  // how long a key is kept
	Expired          Clause    `yaml:"expired"`    // a key sent again after its retention
	Scope            Scope     `yaml:"scope"`      // what a key is unique within
	StoreDown        Clause    `yaml:"store_down"` // a key sent while the store of keys cannot be reached
	// Refused is where an answer with a success status says that it is an error, as in GraphQL and some XML interfaces.
	Refused  *Refused  `yaml:"refused"`
	Async    *Async    `yaml:"async"`    // nil: a write is done when it is answered
	Delivery *Delivery `yaml:"delivery"` // of a receiver: what identifies an event, and what its sender does
	Counting Counting  `yaml:"counting"` // what helps to count records
	// ContentFilter is a second guard beside the key, which refuses equal content even under another key.
	ContentFilter ContentFilter `yaml:"content_filter"`
}

// Role is which side of a call the profile speaks of.
type Role string

// The roles. A receiver is sent webhooks: the sender makes the key, and the receiver must not act twice.
const (
	RoleServer   Role = "server"
	RoleReceiver Role = "receiver"
)

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
	Headers   Strings `yaml:"headers"`    // replay: further headers that are the first answer's; "*": all of them
	// ID is where an error names the first record or job: a JSONPath, or header:Location (replay, mismatch, in_flight).
	ID       string   `yaml:"id"`
	Flag     *Code    `yaml:"flag"`     // replay by upsert: where the answer says that nothing is new
	Compares Strings  `yaml:"compares"` // mismatch: the parts that are compared: see ComparedParts, or JSON pointers
	MinWait  Duration `yaml:"min_wait"` // in_flight: how long to wait before the next try
	MaxWait  Duration `yaml:"max_wait"` // in_flight: how long a second request is held at most, before it runs
	Claim    `yaml:",inline"`
}

// FromLastUse says that each use of a key prolongs its retention.
const FromLastUse = "last_use"

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

// Refused is where an answer with a success status says that it is an error.
type Refused struct {
	Code  `yaml:",inline"`
	Claim `yaml:",inline"`
}

// ComparedParts lists the parts of a request that a target may compare to tell a mismatch. "body" is the whole of it,
// and "nothing" says that a key is all that counts.
func ComparedParts() []string {
	return []string{"method", "path", "query", "headers", "body", "nothing"}
}

// Code is where an error code stands in an answer and the values it may have.
type Code struct {
	// At is an RFC 9535 JSONPath into the answer; or header:NAME; or xml:NAME, the text of the elements of that name, and
	// xml:NAME@ATTRIBUTE, an attribute of theirs.
	At string  `yaml:"at"`
	In Strings `yaml:"in"`
}

// Marker is a response header with its allowed values; no values means that any will do, and "{{key}}" is the key.
type Marker struct {
	Name  string  `yaml:"name"`
	Value Strings `yaml:"value"`
	First Strings `yaml:"first"` // its values on the first answer, or absent, or any; empty: nothing is said of that
	Claim `yaml:",inline"`
}

// Failures is what happens to a retry after a failed first request, by class of failure.
type Failures struct {
	Validation   Clause `yaml:"validation"`   // 4xx found before execution
	Refusal      Clause `yaml:"refusal"`      // a 4xx that is the true outcome (business refusal)
	Unauthorized Clause `yaml:"unauthorized"` // 401, 403
	RateLimited  Clause `yaml:"rate_limited"` // 429
	ServerError  Clause `yaml:"server_error"` // 5xx
	Timeout      Clause `yaml:"timeout"`      // the target gave up after it had begun (504)
}

// Retention is how long a key is kept. Min is a floor and Max a ceiling; equal values are exact, zero means unsaid.
type Retention struct {
	Min          Duration `yaml:"min"`
	Max          Duration `yaml:"max"`
	From         string   `yaml:"from"`         // what it is counted from: first_use (the default), or last_use where each use prolongs it
	Configurable bool     `yaml:"configurable"` // the customer chooses it, within min and max where they are given
	Age          Strings  `yaml:"age"`          // how a key can be made to expire: see AgeWays
	Claim        `yaml:",inline"`
}

// AgeWays lists how a key can be made to expire: wait (it is short enough), first_sent (a header pins the date of the
// first attempt), delete_key (the owner offers a call that forgets a key).
func AgeWays() []string { return []string{"wait", "first_sent", "delete_key"} }

// Scope says, for each dimension, whether the same key on both sides is one key (shared), two (isolated), or an error
// (reject). Environment is sandbox against live, a partition a part of one account: a ledger, a location, a grant.
type Scope struct {
	User        Clause `yaml:"user"`
	Credential  Clause `yaml:"credential"`
	Tenant      Clause `yaml:"tenant"`
	Environment Clause `yaml:"environment"`
	Operation   Clause `yaml:"operation"`
	Method      Clause `yaml:"method"`
	Region      Clause `yaml:"region"`
	Partition   Clause `yaml:"partition"`
}

// Counting is what an owner offers that helps to count the records of a key.
type Counting struct {
	Lookup   string   `yaml:"lookup"`   // a request line that finds the records of a {{key}}
	Eventual bool     `yaml:"eventual"` // list calls lag behind writes: an observer must settle
	Settle   Duration `yaml:"settle"`   // and how long that lasts, where it is said
	Claim    `yaml:",inline"`
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
