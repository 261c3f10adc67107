package reference

import "time"

// defect is the place of a Defect in defectTable.
type defect int

// The order of these constants is the order of Defects.
const (
	checkThenInsert defect = iota
	lostRace500
	replay500
	neverReleased
	payloadNotCompared
	overwriteOnMismatch
	conflictAsInProgress
	conflictLeaksOriginal
	newRecordOnMismatch
	operationNotInScope
	queryNotInFingerprint
	rawBodyFingerprint
	tenantNotInScope
	environmentNotInScope
	replayStatus200
	replayHeadersLost
	replayBodyTruncated
	replayRecomputed
	replayRefused
	mailPerAttempt
	keyIgnored
	dedupeByPayload
	collapseEverything
	failureStored
	keyBurnedByFailure
	final4xxNotKept
	checkBeforeLookup
	missingKeyAccepted
	emptyKeyAccepted
	longKey500
	keyCaseFolded
	approvalNotChecked
	authorizationNotChecked
	successWithoutRecord
	recordBeforeKey
	lockShorterThanHandler
	perProcessStore
	boundedStore
	deleteReplay404
	batchPartialCommit
	batchKeyIgnored
	webhookNotDeduplicated
	webhookMarkedTooEarly
)

// defectTable is the only place where a defect is named.
var defectTable = [...]Defect{
	checkThenInsert: {Name: "check-then-insert", Class: "check-then-act-race", Report: "B01", window: 25 * time.Millisecond,
		Summary: "Looks the key up, waits the window given as value (default 25ms), runs the work and stores the answer, without a unique claim.",
		Breaks:  []Break{{"K1-two-workers", "duplicate"}, {"double-send", "duplicate"}}},
	lostRace500: {Name: "lost-race-500", Class: "lost-race-5xx", Report: "B06",
		Summary: "Answers 500 to the attempt that loses the race for the claim.",
		Breaks:  []Break{{"K1-two-workers", "server-error"}, {"double-send", "server-error"}}},
	replay500: {Name: "replay-500", Class: "replay-5xx", Report: "B10",
		Summary: "Answers 500 to every repeat of a completed key.",
		Breaks:  []Break{{"K1", "server-error"}, {"replay-once", "server-error"}, {"replay-twice", "server-error"}}},
	neverReleased: {Name: "never-released", Class: "stuck-in-progress", Report: "B14",
		Summary: "Keeps the claim of a failed attempt for ever, so that all later ones are told 409."},
	payloadNotCompared: {Name: "payload-not-compared", Class: "payload-not-compared", Report: "B35",
		Summary: "Replays the first answer whatever the payload of the repeat.",
		Breaks:  []Break{{"K4", "wrong-status"}, {"conflict-material", "wrong-status"}}},
	overwriteOnMismatch: {Name: "overwrite-on-mismatch", Class: "payload-not-compared", Report: "B35",
		Summary: "Writes another payload under a completed key over the first task and answers 200 with its id.",
		Breaks:  []Break{{"K4", "overwritten"}, {"conflict-material", "overwritten"}}},
	conflictAsInProgress: {Name: "conflict-as-in-progress", Class: "wrong-conflict-answer", Report: "B38",
		Summary: "Answers another payload under a key with the 409 that means still running.",
		Breaks:  []Break{{"K4", "wrong-status"}, {"conflict-material", "wrong-status"}}},
	conflictLeaksOriginal: {Name: "conflict-leaks-original", Class: "wrong-conflict-answer", Report: "B38",
		Summary: "Shows the earlier record in the body of the 422.",
		Breaks:  []Break{{"K4", "leaked"}, {"conflict-material", "leaked"}}},
	newRecordOnMismatch: {Name: "new-record-on-mismatch", Class: "fingerprint-too-strict", Report: "B45",
		Summary: "Makes the payload a part of the key, so that another payload under the key creates another record.",
		Breaks:  []Break{{"K4", "duplicate"}, {"conflict-material", "duplicate"}}},
	operationNotInScope: {Name: "operation-not-in-scope", Class: "endpoint-not-in-scope", Report: "B39",
		Summary: "Answers a key that another operation has completed with the answer of that operation.",
		Breaks:  []Break{{"K3", "lost"}}},
	queryNotInFingerprint: {Name: "query-not-in-fingerprint", Class: "query-not-in-fingerprint", Report: "B41",
		Summary: "Leaves the query out of the fingerprint, so that a repeat with another query is replayed."},
	rawBodyFingerprint: {Name: "raw-body-fingerprint", Class: "fingerprint-too-strict", Report: "B45",
		Summary: "Takes the fingerprint of the raw body, so that key order and spacing make a mismatch.",
		Breaks:  []Break{{"replay-key-order", "wrong-status"}}},
	tenantNotInScope: {Name: "tenant-not-in-scope", Class: "cross-caller-replay", Report: "B47",
		Summary: "Leaves the tenant out of the scope: another tenant with the same key gets the answer of the first.",
		Breaks:  []Break{{"K6", "leaked"}}},
	environmentNotInScope: {Name: "environment-not-in-scope", Class: "wrong-namespace", Report: "B49",
		Summary: "Leaves the environment out of the scope: a key used in production answers in test.",
		Breaks:  []Break{{"K6", "leaked"}}},
	replayStatus200: {Name: "replay-status-200", Class: "replay-status-changed", Report: "B53",
		Summary: "Replays with status 200 whatever the first status was.",
		Breaks:  []Break{{"replay-answer", "replay-differs"}}},
	replayHeadersLost: {Name: "replay-headers-lost", Class: "replay-headers-wrong", Report: "B55",
		Summary: "Replays without the Location and the media type of the first answer.",
		Breaks:  []Break{{"replay-answer", "replay-differs"}}},
	replayBodyTruncated: {Name: "replay-body-truncated", Class: "replay-body-corrupted", Report: "B56",
		Summary: "Replays only the first half of the body.",
		Breaks:  []Break{{"replay-answer", "replay-differs"}}},
	replayRecomputed: {Name: "replay-recomputed", Class: "replay-recomputed", Report: "B59",
		Summary: "Builds the replay anew, with another id and created_at.",
		Breaks:  []Break{{"replay-answer", "replay-differs"}, {"replay-once", "replay-differs"}}},
	replayRefused: {Name: "replay-refused", Class: "replay-refused", Report: "B61",
		Summary: "Answers the repeat of a completed key with a 409 that does not name the record.",
		Breaks:  []Break{{"replay-once", "wrong-status"}, {"replay-answer", "replay-differs"}}},
	mailPerAttempt: {Name: "mail-per-attempt", Class: "side-effect-duplicated", Report: "B74",
		Summary: "Creates the record once and sends its mail again with every replay.",
		Breaks:  []Break{{"K1", "side-effect-repeated"}, {"replay-once", "side-effect-repeated"}}},
	keyIgnored: {Name: "key-ignored", Class: "path-not-covered", Report: "B80",
		Summary: "Demands the key and then ignores it.",
		Breaks:  []Break{{"K1", "duplicate"}, {"replay-once", "duplicate"}}},
	dedupeByPayload: {Name: "dedupe-by-payload", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Answers a new task with the earlier one of the same account and note, whatever the key and the event.",
		Breaks:  []Break{{"different-key", "lost"}, {"K5", "lost"}}},
	collapseEverything: {Name: "collapse-everything", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Answers every new task with the first one of the tenant.",
		Breaks:  []Break{{"different-key", "lost"}, {"K2", "lost"}, {"K5", "lost"}}},
	failureStored: {Name: "failure-stored", Class: "stored-5xx-replayed", Report: "B26",
		Summary: "Stores a 5xx under the key and replays it."},
	keyBurnedByFailure: {Name: "key-burned-by-failure", Class: "key-burned-by-failure", Report: "B28",
		Summary: "Uses the key up when the payload is refused as invalid: equal and corrected repeats are refused, and nothing exists."},
	final4xxNotKept: {Name: "final-4xx-not-kept", Class: "final-4xx-not-kept", Report: "B30",
		Summary: "Forgets a business refusal, so that a late repeat runs and succeeds."},
	checkBeforeLookup: {Name: "check-before-lookup", Class: "check-before-lookup", Report: "B32",
		Summary: "Checks approval and account limit before the key, so that a success is no longer replayed once they have changed."},
	missingKeyAccepted: {Name: "missing-key-accepted", Class: "missing-key", Report: "B82",
		Summary: "Runs a create that has no key.",
		Breaks:  []Break{{"missing-key", "wrong-status"}}},
	emptyKeyAccepted: {Name: "empty-key-accepted", Class: "key-format", Report: "B65",
		Summary: "Takes the empty string for a key like any other.",
		Breaks:  []Break{{"empty-key", "wrong-status"}}},
	longKey500: {Name: "long-key-500", Class: "key-format", Report: "B64",
		Summary: "Answers 500 to a key of more than 255 characters."},
	keyCaseFolded: {Name: "key-case-folded", Class: "key-format", Report: "B65",
		Summary: "Takes keys that differ only in case for the same."},
	approvalNotChecked: {Name: "approval-not-checked",
		Summary: "Creates tasks for events that nobody approved for the account.",
		Breaks:  []Break{{"K2", "phantom"}}},
	authorizationNotChecked: {Name: "authorization-not-checked",
		Summary: "Lets every caller use every operation.",
		Breaks:  []Break{{"K3", "phantom"}}},
	successWithoutRecord: {Name: "success-without-record", Class: "key-claimed-work-lost", Report: "B23",
		Summary: "Answers 201 with an id and keeps that answer, but undoes the work.",
		Breaks:  []Break{{"K1", "lost"}, {"replay-once", "lost"}}},
	recordBeforeKey: {Name: "record-before-key", Class: "record-after-commit-gap", Report: "B20", window: 25 * time.Millisecond,
		Summary: "Commits the record, waits the window given as value (default 25ms) and stores the answer in a second transaction, which a client that hangs up cancels.",
		Breaks:  []Break{{"K1", "duplicate"}}},
	lockShorterThanHandler: {Name: "lock-shorter-than-handler", Class: "lock-shorter-than-handler", Report: "B17", window: 100 * time.Millisecond,
		Summary: "Lets the claim lapse after the time given as value (default 100ms), while the handler still runs."},
	perProcessStore: {Name: "per-process-store", Class: "per-process-store", Report: "B70",
		Summary: "Knows only the keys that came to this process since it started."},
	boundedStore: {Name: "bounded-store", Class: "bounded-store-eviction", Report: "B72",
		Summary: "Keeps only the last key of each tenant and operation."},
	deleteReplay404: {Name: "delete-replay-404", Class: "delete-replay-404", Report: "B85",
		Summary: "Ignores the key of a delete, so that its repeat is told 404."},
	batchPartialCommit: {Name: "batch-partial-commit", Class: "batch", Report: "B76",
		Summary: "Commits a batch row by row, so that the rows before a bad one stay."},
	batchKeyIgnored: {Name: "batch-key-ignored", Class: "path-not-covered", Report: "B78",
		Summary: "Ignores the key of a batch."},
	webhookNotDeduplicated: {Name: "webhook-not-deduplicated", Class: "webhook-not-deduplicated", Report: "B86",
		Summary: "Does the work of a webhook at each delivery."},
	webhookMarkedTooEarly: {Name: "webhook-marked-too-early", Class: "webhook-marked-too-early", Report: "B90",
		Summary: "Marks a webhook as done before its work, so that a redelivery after a failure is skipped."},
}
