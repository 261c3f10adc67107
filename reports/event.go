package reports

import (
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Version is the version of the event stream and of the JSON report.
const Version = 1

// Kind is the kind of an event.
type Kind string

// The kinds of event. Readers skip kinds that they do not know. A stream without run-ended is an incomplete run.
const (
	KindRunStarted    Kind = "run-started"
	KindCasePlanned   Kind = "case-planned"
	KindKnown         Kind = "known"
	KindPreflight     Kind = "preflight"
	KindCaseStarted   Kind = "case-started"
	KindStep          Kind = "step"
	KindExchange      Kind = "exchange"
	KindReading       Kind = "reading"
	KindFault         Kind = "fault"
	KindProgress      Kind = "progress"
	KindCrashPoint    Kind = "crash-point"
	KindPayloadChange Kind = "payload-change"
	KindClaim         Kind = "claim"
	KindFinding       Kind = "finding"
	KindNote          Kind = "note"
	KindCaseEnded     Kind = "case-ended"
	KindRecount       Kind = "recount"
	KindRecordCreated Kind = "record-created"
	KindRecordRemoved Kind = "record-removed"
	KindRecordLeft    Kind = "record-left"
	KindRunEnded      Kind = "run-ended"
)

// Event is one line of the event stream. Besides the common fields just the one that its kind names is set.
type Event struct {
	V     int       `json:"v"`
	Run   string    `json:"run"`
	Shard string    `json:"shard,omitempty"`
	Seq   int       `json:"seq"` // from 1, without gaps
	At    time.Time `json:"at"`
	Case  string    `json:"case,omitempty"` // the case's address
	Kind  Kind      `json:"kind"`

	RunStarted    *RunStarted      `json:"run_started,omitempty"`
	CasePlanned   *CasePlanned     `json:"case_planned,omitempty"`
	Known         *KnownEntry      `json:"known,omitempty"`
	Preflight     *Preflight       `json:"preflight,omitempty"`
	Step          *Step            `json:"step,omitempty"`
	Exchange      *Exchange        `json:"exchange,omitempty"`
	Reading       *targets.Reading `json:"reading,omitempty"`
	Fault         *Fault           `json:"fault,omitempty"`
	Progress      *Progress        `json:"progress,omitempty"`
	CrashPoint    *CrashPoint      `json:"crash_point,omitempty"`
	PayloadChange *PayloadChange   `json:"payload_change,omitempty"`
	Claim         *ClaimRead       `json:"claim,omitempty"`
	Finding       *Finding         `json:"finding,omitempty"`
	Note          *Note            `json:"note,omitempty"`
	CaseEnded     *CaseEnded       `json:"case_ended,omitempty"`
	Recount       *CaseEnded       `json:"recount,omitempty"` // a late count changed the verdict: the case as it is now
	Record        *Record          `json:"record,omitempty"`
	RunEnded      *RunEnded        `json:"run_ended,omitempty"`
}

// RunStarted describes the run: tool, target, and what it will do at most.
type RunStarted struct {
	Tool        string   `json:"tool"` // "idemcheck 0.1.0"
	Target      string   `json:"target"`
	TargetFile  string   `json:"target_file,omitempty"`
	URL         string   `json:"url"`
	About       string   `json:"about"` // "embedded reference target (SQLite, child process 4711)"
	Embedded    bool     `json:"embedded"`
	Profile     string   `json:"profile"`
	Seed        int64    `json:"seed"`
	Observers   []string `json:"observers,omitempty"`
	Inferred    bool     `json:"inferred"` // there is no observer but the answers
	MaxRecords  int      `json:"max_records"`
	MaxRequests int      `json:"max_requests"`
	Strict      bool     `json:"strict,omitempty"`
	Command     string   `json:"command,omitempty"` // how to run it again
	Shard       string   `json:"shard,omitempty"`   // "2/4", of a run that is split
	Shards      []string `json:"shards,omitempty"`  // of a report that was merged: "1/4 a1b2c3", the shard and its run
	Group       string   `json:"group,omitempty"`   // the whole that a shard is part of, as the caller names it
	// Claims is what the profile says, value by value. In a report they stand with what was seen of them.
	Claims []ProfileClaim `json:"claims,omitempty"`
}

// CasePlanned is one case before anything was sent.
type CasePlanned struct {
	ID          string        `json:"id"`
	Title       string        `json:"title"`
	Feature     string        `json:"feature"`
	URI         string        `json:"uri"` // file:line
	Level       targets.Level `json:"level"`
	Source      []string      `json:"source,omitempty"`
	Needs       []string      `json:"needs,omitempty"`
	After       string        `json:"after,omitempty"`   // the case it stands on
	Missing     string        `json:"missing,omitempty"` // why it is not applicable: one sentence that says what to add
	MaxRequests int           `json:"max_requests"`
	MaxRecords  int           `json:"max_records"`
	Shard       string        `json:"shard,omitempty"`     // "3/4": the shard that reports it; others run it only for what stands on it
	Elsewhere   bool          `json:"elsewhere,omitempty"` // not run in this shard
}

// Preflight is the proof of the observers: an unused marker counts 0, then 1, then 2.
type Preflight struct {
	Trusted bool     `json:"trusted"`
	Counts  []int    `json:"counts,omitempty"`  // what the first observer counted at each stage
	IDs     []string `json:"ids,omitempty"`     // ids in the two answers
	Reason  string   `json:"reason,omitempty"`  // why the counts are not trusted, or why the target could not be tried
	Finding *Finding `json:"finding,omitempty"` // a target that collapses everything
	Stop    bool     `json:"stop,omitempty"`    // no case can say anything: unreachable, unauthorized
}

// Step is one Gherkin step as it was carried out.
type Step struct {
	Text string `json:"text"`
	Err  string `json:"error,omitempty"`
}

// Fault is something done to the target itself: killed, restarted, its clock moved. What is done to an attempt stands in
// its exchange.
type Fault struct {
	Text string `json:"text"`            // "killed at before COMMIT", "restarted", "clock moved by 24h"
	Err  string `json:"error,omitempty"` // why it could not be done
}

// Progress says how far a long step is. The last one of a case stands.
type Progress struct {
	What string `json:"what"` // "crash points"
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

// CrashPoint is what came of one point of a sweep: the fault there, the retry under the same key, and the count. Its
// address is that of the case, a slash and Part.
type CrashPoint struct {
	Part       string      `json:"part"`                  // "INSERT INTO orders#1:after"; "at 1.2ms" where only moments are to be had
	Label      string      `json:"label,omitempty"`       // of the step
	Occurrence int         `json:"occurrence,omitempty"`  // of the step within the request, from 1
	Side       string      `json:"side,omitempty"`        // before, after
	Fault      string      `json:"fault"`                 // kill, disconnect, host-crash, database-cut, hang-up
	Fired      bool        `json:"fired"`                 // the fault was seen to strike where it was meant to
	Saw        string      `json:"saw"`                   // what the client saw of the first attempt: "no answer (closed)", "201"
	Retry      Disposition `json:"retry,omitempty"`       // what the last retry came to
	Status     int         `json:"status,omitempty"`      // its status; 0: no answer
	Retries    int         `json:"retries"`               // how often the operation was sent again
	Records    *int        `json:"records,omitempty"`     // counted after the last retry; none: the count could not be taken
	Expected   string      `json:"expected"`              // "1"
	RecoveryMS *float64    `json:"recovery_ms,omitempty"` // from the fault, or the restart, until a retry settled; none: never
	Verdict    Verdict     `json:"verdict"`
	Finding    FindingKind `json:"finding,omitempty"` // the first reason for a fail
	Reason     string      `json:"reason,omitempty"`  // in one line
	Known      string      `json:"known,omitempty"`   // the reason, where the target file lists all its findings as known
}

// PayloadChange is what came of one change in what is sent under a used key. Its address is that of the case, a slash and
// Part.
type PayloadChange struct {
	Part        string      `json:"part"`               // "note", "spacing", "member added"
	Change      string      `json:"change"`             // in words: "note changed"
	Expected    string      `json:"expected,omitempty"` // what the change amounts to: "a mismatch", "a replay"; none: it is only observed
	Disposition Disposition `json:"disposition"`
	Status      int         `json:"status,omitempty"` // 0: no answer
	Verdict     Verdict     `json:"verdict"`          // not-applicable where the change is only observed
}

// What an exchange is for.
const (
	PurposeAttempt  = "attempt"
	PurposeSetup    = "setup"
	PurposeReadBack = "read back"
	PurposeCleanUp  = "clean-up"
	PurposeJob      = "job" // asking what became of a write that was only accepted
)

// Exchange is the redacted, length-limited copy of one exchange. Times are milliseconds since the run began; 0 with a
// missing part means that the part did not happen.
type Exchange struct {
	Name        string              `json:"name"`
	Seq         int                 `json:"seq"`
	Conn        int                 `json:"conn"`
	Operation   string              `json:"operation,omitempty"`
	Namespace   string              `json:"namespace,omitempty"`
	Caller      string              `json:"caller,omitempty"`
	Key         string              `json:"key,omitempty"`
	Purpose     string              `json:"purpose"` // "attempt", "setup", "read back", "clean-up", "job"
	Method      string              `json:"method"`
	URL         string              `json:"url"`
	Header      map[string][]string `json:"header,omitempty"`
	Body        Text                `json:"body"`
	Fault       string              `json:"fault,omitempty"`
	Proto       string              `json:"proto,omitempty"`
	Began       float64             `json:"began_ms"`
	Wrote       *float64            `json:"wrote_ms,omitempty"`
	FirstByte   *float64            `json:"first_byte_ms,omitempty"`
	Ended       float64             `json:"ended_ms"`
	Status      int                 `json:"status"` // 0: no answer
	Answer      map[string][]string `json:"answer,omitempty"`
	Content     Text                `json:"content"`
	Failure     string              `json:"failure,omitempty"`
	Err         string              `json:"error,omitempty"`
	ID          string              `json:"id,omitempty"` // record id found in the answer
	Disposition Disposition         `json:"disposition,omitempty"`
	Curl        string              `json:"curl,omitempty"` // reproduction, secrets as shell variables
}

// Text is a body as shown: cut, with the length and digest of the whole.
type Text struct {
	Text   string `json:"text,omitempty"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // of the whole body, hex; left out when empty
	Cut    bool   `json:"cut,omitempty"`
	Base64 bool   `json:"base64,omitempty"` // text is base64: the body is not UTF-8
}

// CaseEnded is the outcome of one case.
type CaseEnded struct {
	Verdict  Verdict       `json:"verdict"`
	Broken   targets.Level `json:"broken,omitempty"` // the strictest level among the findings; empty without one
	Reason   string        `json:"reason,omitempty"`
	Inferred bool          `json:"inferred,omitempty"` // passed on the answers alone
	Overlap  *Overlap      `json:"overlap,omitempty"`
	Records  []Tally       `json:"records,omitempty"`
	Artifact *Artifact     `json:"artifact,omitempty"`
}

// Overlap is what the sender measured of sends that were meant to run at the same moment, over all rounds. Times are
// microseconds.
type Overlap struct {
	Sends       int     `json:"sends"`             // in each round
	Rounds      int     `json:"rounds"`            // that were sent
	Planned     int     `json:"planned_rounds"`    // overlapping rounds that are needed to pass
	Overlapped  int     `json:"overlapped_rounds"` // rounds in which two sends were wholly written before either was answered
	Raced       int     `json:"raced_rounds"`      // rounds that left more records than are right
	Overlapping bool    `json:"overlapping"`       // as many rounds have overlapped as were planned
	Technique   string  `json:"technique"`
	Reason      string  `json:"reason,omitempty"`     // why this technique
	SpreadUS    float64 `json:"send_spread_us"`       // from the first to the last final write, the median of the rounds; the arrivals may be further apart
	Bytes       int     `json:"release_bytes"`        // of the last release
	Segments    int     `json:"release_segments"`     // TCP segments of it; -1: not known on this system
	Connections int     `json:"connections"`          // that the sends of a round came over
	RTTMinUS    float64 `json:"rtt_min_us,omitempty"` // round trips of the warm-up
	RTTMaxUS    float64 `json:"rtt_max_us,omitempty"`
	ResolvedUS  float64 `json:"resolved_us"` // the smallest window that these rounds would have found with 99.9 %; see the README
	InProgress  int     `json:"in_progress"` // in-progress answers, the target's own evidence
}

// RunEnded closes the stream.
type RunEnded struct {
	Interrupted string `json:"interrupted,omitempty"` // "interrupted by the user", "the target is unreachable: …"
	Exit        int    `json:"exit"`
	Removed     int    `json:"records_removed"`
	Left        int    `json:"records_left"`
}
