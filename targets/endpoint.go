package targets

import (
	"context"
	"errors"
)

// Need is something a case asks of the endpoint. The word after @needs: in a feature file.
type Need string

// The needs. Cases that touch the whole target are run one by one.
const (
	NeedCrash           Need = "crash"
	NeedCrashPoints     Need = "crash-points"   // steps of a request at which it can be stopped
	NeedKillPoints      Need = "kill-points"    // and killed
	NeedDatabaseProxy   Need = "database-proxy" // a proxy before its database
	NeedDatabase        Need = "database"       // a database that can be restarted
	NeedRestart         Need = "restart"
	NeedClock           Need = "clock"
	NeedRetention       Need = "retention"          // how long a key is kept
	NeedRetentionMin    Need = "retention-min"      // how long a key is certainly kept
	NeedRetentionMax    Need = "retention-max"      // when a key is certainly gone, or that it never is
	NeedExpiredNew      Need = "expired-new-record" // an expired key makes a new record
	NeedHorizon         Need = "horizon"            // how long events are delivered again
	NeedMemory          Need = "memory"             // how long a receiver remembers an event
	NeedTries           Need = "tries"              // how often an event is delivered
	NeedRetry           Need = "retry"              // a retry schedule
	NeedContentFilter   Need = "content-filter"     // a second guard beside the key, and what it compares
	NeedContentWindow   Need = "content-window"     // and for how long
	NeedSecondTenant    Need = "second-tenant"
	NeedTestEnvironment Need = "test-environment"
	NeedOtherRegion     Need = "other-region"    // and a key counts in one only
	NeedOtherPartition  Need = "other-partition" // of the account; and a key counts in one only
	NeedOtherOperation  Need = "other-operation"
	NeedReplicas        Need = "replicas"
	NeedApprovals       Need = "approvals"
	NeedLesserCaller    Need = "lesser-caller"       // a credential that may not use the other operation
	NeedUnauthorized    Need = "unauthorized-caller" // a credential that may not use the main operation
	NeedAnotherCaller   Need = "another-caller"      // another credential of the same tenant
	NeedRevocation      Need = "revocation"          // a credential that can be revoked
	NeedRead            Need = "read"
	NeedDelete          Need = "delete"
	NeedExhaust         Need = "exhaust"        // a way to reach a limit, after which creates are refused
	NeedBatch           Need = "batch"          // a write of many rows in one request
	NeedBatchRows       Need = "batch-invalid"  // and a change that makes a row of it one that is refused
	NeedReceiver        Need = "receiver"       // an endpoint that receives events, and an observer of what they make
	NeedCompoundEvent   Need = "compound-event" // whose events are identified by several parts
	NeedSignedEvent     Need = "signed-event"   // whose events are signed
	NeedEventPayload    Need = "event-payload"  // {{payload}} or {{revision}} in what it receives
	NeedTargetRecord    Need = "target-record"  // {{target_record}} in the main operation
	NeedPayload         Need = "payload"        // {{payload}} or {{revision}} in the main operation
	NeedEvent           Need = "event"          // {{event}} in the main operation
	NeedRelieve         Need = "relieve"        // a way back from the limit
	NeedMaterial        Need = "material"
	NeedInvalid         Need = "invalid"
	NeedLarge           Need = "large" // a create with a large answer
	NeedBody            Need = "body"  // the main operation sends something that can be changed
	NeedJSONBody        Need = "json-body"
	NeedTextBody        Need = "text-body" // an operation whose body is a plain text
	NeedKey             Need = "key"
	NeedOpaqueKey       Need = "opaque-key"   // the key is not derived from the bundle
	NeedHeaderKey       Need = "header-key"   // the key travels in a header
	NeedSpacedKey       Need = "spaced-key"   // the key travels where a space at its end is kept
	NeedKeyedDelete     Need = "keyed-delete" // a delete takes a key
	NeedSlow            Need = "slow"
	NeedLock            Need = "lock" // a declared lifetime of the in-flight lock
	NeedFail            Need = "fail"
	NeedRefuse          Need = "refuse"
	NeedRefuseStatus    Need = "refuse-status" // with a status that can be chosen
	NeedFailStatus      Need = "fail-status"
	NeedKeyForm         Need = "key-form" // what a key may look like is documented
	NeedObserver        Need = "observer" // an observer other than the answers
)

// Endpoint is an open target: where it is, how to send to it, and what can be done to it. A nil function means that it
// cannot be done.
type Endpoint struct {
	Target   *Target
	URL      string // base URL, without a trailing slash
	Replicas []string
	Sender   *Sender
	About    string // one line for the report: "embedded reference target", "https://…"
	Embedded bool
	Loopback bool

	Kill    func(context.Context) error // SIGKILL, waits until reaped
	Restart func(context.Context) error // starts it again on the same data
	Logs    func() string               // what the target has printed, without secrets
	// Hearsay: Kill is a command of somebody else's that says it is done; that the target died must be seen from outside.
	Hearsay bool

	Points       Points                                   // where a request can be stopped
	Another      func(context.Context) (*Endpoint, error) // starts a further instance on the same data, closed with this one at the latest
	RefuseStore  func(bool) int                           // whether the target's database seems to be down; gives the connections that it cost since the last call
	RestartStore func(context.Context) error              // restarts the target's database

	closers []func() error
}

// OnClose adds something to undo when the endpoint is closed; the last added is undone first.
func (e *Endpoint) OnClose(undo func() error) { e.closers = append(e.closers, undo) }

// Close undoes everything that opening did. It is safe on a half-open endpoint and may be called twice.
func (e *Endpoint) Close() error {
	if e == nil {
		return nil
	}
	var errs []error
	for i := len(e.closers) - 1; i >= 0; i-- {
		errs = append(errs, e.closers[i]())
	}
	e.closers = nil
	return errors.Join(errs...)
}
