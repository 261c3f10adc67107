package reference

import "time"

// defect is the place of a Defect in defectTable.
type defect int

// The order of these constants is the order of Defects.
const (
	checkThenInsert defect = iota
	storedAfterWork
	actsAfterBody
	claimReadBack
	twoPayloadsBothRun
	lostRace500
	unrelatedKeysRefused
	unrelatedKeysSerialised
	replay500
	neverReleased
	halfRequestClaimsKey
	payloadNotCompared
	overwriteOnMismatch
	conflictAsInProgress
	conflictWhileRunningAsInProgress
	conflictLeaksOriginal
	newRecordOnMismatch
	operationNotInScope
	rawBodyFingerprint
	ownerNotCompared
	queryNotCompared
	textNotCompared
	tenantNotInScope
	environmentNotInScope
	tenantsShareLock
	callerInScope
	authorizationAfterLookup
	revokedReplayed
	replayStatus200
	replayHeadersLost
	replayBodyTruncated
	replayRecomputed
	replayRefused
	mailPerAttempt
	keyIgnored
	notesNotCovered
	largeAnswerNotStored
	deleteReplay404
	dedupeByPayload
	collapseEverything
	mergesDistinctBursts
	failureStored
	keyBurnedByFailure
	refusalsStored
	refusalNeverSettles
	refusalNotKept
	checkBeforeLookup
	missingKeyAccepted
	emptyKeyAccepted
	longKey500
	keyCaseFolded
	keyTrimmed
	keyLettersDropped
	twoKeysTakenForNone
	bareKey500
	approvalNotChecked
	authorizationNotChecked
	noteOverwritesTask
	workLostOnHangUp
	recordBeforeKey
	lockShorterThanHandler
	lockDeletedByFormerOwner
	claimOutlivesOwner
	perProcessStore
	boundedStore
	deleteForgetsKey
	answerInSecondTransaction
	answersBeforeCommit
	commitsOnHangUp
	batchRowByRow
	mailBeforeCommit
)

// defectTable is the only place where a defect is named.
var defectTable = [...]Defect{
	checkThenInsert: {Name: "check-then-insert", Class: "check-then-act-race", Report: "B01", window: 25 * time.Millisecond,
		Summary: "Looks the key up in memory, waits the window given as value (default 25ms; busy below 2ms) and notes it there, without another look, before it works.",
		Breaks:  []Break{{"double-send[10]", "duplicate"}, {"double-send[2]", "duplicate"}, {"double-send[50]", "duplicate"}}},
	storedAfterWork: {Name: "stored-after-work", Class: "check-then-act-race", Report: "B02",
		Summary: "Looks the key up, works and stores the answer, without any claim: the key is new for as long as its first request runs.",
		Breaks:  []Break{{"K1-two-workers", "duplicate"}, {"double-send[10]", "duplicate"}, {"second-while-running", "duplicate"}}},
	actsAfterBody: {Name: "acts-after-body", Class: "check-then-act-race", Report: "B02",
		Summary: "Looks the key of a new task up when the headers are there, and believes that when the body has come: the window is the time that the body takes.",
		Breaks:  []Break{{"double-send[10]", "duplicate"}, {"double-send[2]", "duplicate"}}},
	claimReadBack: {Name: "claim-read-back", Class: "check-then-act-race", Report: "B01", window: 10 * time.Millisecond,
		Summary: "Looks for a claim, waits the window given as value (default 10ms), inserts its own without a unique constraint, and reads back only that there is one: two at once both go on.",
		Breaks:  []Break{{"double-send[10]", "duplicate"}, {"double-send[2]", "duplicate"}, {"double-send[50]", "duplicate"}}},
	twoPayloadsBothRun: {Name: "two-payloads-both-run", Class: "check-then-act-race", Report: "B01", window: 10 * time.Millisecond,
		Summary: "Looks the key up, waits the window given as value (default 10ms), and makes a claim that is unique for key and payload: two payloads under one key both run when they come at once.",
		Breaks:  []Break{{"double-send-two-payloads", "duplicate"}}},
	lostRace500: {Name: "lost-race-500", Class: "lost-race-5xx", Report: "B06",
		Summary: "Answers 500 to the attempt that loses the race for the claim.",
		Breaks:  []Break{{"double-send[10]", "server-error"}}},
	unrelatedKeysRefused: {Name: "unrelated-keys-refused", Class: "lost-race-5xx", Report: "B07",
		Summary: "Answers 503 to every other key while a request with a key runs.",
		Breaks:  []Break{{"distinct-keys-together", "server-error"}}},
	unrelatedKeysSerialised: {Name: "unrelated-keys-serialised", Class: "lost-race-5xx", Report: "B07", window: 50 * time.Millisecond,
		Summary: "Runs all new keys under one lock, which each holds for the time given as value (default 50ms), and answers 503 to those who have waited as long.",
		Breaks:  []Break{{"distinct-keys-together", "server-error"}}},
	replay500: {Name: "replay-500", Class: "replay-5xx", Report: "B10",
		Summary: "Answers 500 to every repeat of a completed key.",
		Breaks:  []Break{{"replay-once", "server-error"}}},
	neverReleased: {Name: "never-released", Class: "stuck-in-progress", Report: "B14",
		Summary: "Keeps the claim of a failed attempt for ever, so that all later ones are told 409.",
		Breaks:  []Break{{"error-then-retry", "stuck"}}},
	halfRequestClaimsKey: {Name: "half-request-claims-key", Class: "stuck-in-progress", Report: "B13",
		Summary: "Claims the key as soon as the headers are there, and never lets go when the body does not arrive whole.",
		Breaks:  []Break{{"lost-answer[never-arrived]", "stuck"}}},
	payloadNotCompared: {Name: "payload-not-compared", Class: "payload-not-compared", Report: "B35",
		Summary: "Replays the first answer whatever the payload of the repeat.",
		Breaks:  []Break{{"K2[baseline-key]", "leaked"}, {"K4", "wrong-status"}, {"conflict-material", "wrong-status"}}},
	overwriteOnMismatch: {Name: "overwrite-on-mismatch", Class: "payload-not-compared", Report: "B35",
		Summary: "Writes another payload under a completed key over the first task and answers 200 with its id.",
		Breaks:  []Break{{"K4", "overwritten"}, {"conflict-material", "overwritten"}}},
	conflictAsInProgress: {Name: "conflict-as-in-progress", Class: "wrong-conflict-answer", Report: "B38",
		Summary: "Answers another payload under a key with the 409 that means still running.",
		Breaks:  []Break{{"K4", "wrong-status"}, {"conflict-material", "wrong-status"}}},
	conflictWhileRunningAsInProgress: {Name: "conflict-while-running-as-in-progress", Class: "wrong-conflict-answer", Report: "B38",
		Summary: "Answers another payload under a key with the 409 that means still running, for as long as the first request runs.",
		Breaks:  []Break{{"conflict-while-running", "wrong-status"}}},
	conflictLeaksOriginal: {Name: "conflict-leaks-original", Class: "wrong-conflict-answer", Report: "B38",
		Summary: "Shows the earlier record in the body of the 422.",
		Breaks:  []Break{{"K4", "leaked"}, {"K2[baseline-key]", "leaked"}}},
	newRecordOnMismatch: {Name: "new-record-on-mismatch", Class: "fingerprint-too-strict", Report: "B45",
		Summary: "Makes the payload a part of the key, so that another payload under the key creates another record.",
		Breaks:  []Break{{"K4", "duplicate"}, {"conflict-material", "duplicate"}, {"conflict-then-replay", "duplicate"}}},
	operationNotInScope: {Name: "operation-not-in-scope", Class: "endpoint-not-in-scope", Report: "B39",
		Summary: "Answers a key that another operation has completed with the answer of that operation.",
		Breaks:  []Break{{"K3[baseline-key]", "leaked"}, {"double-send-two-operations", "leaked"}}},
	rawBodyFingerprint: {Name: "raw-body-fingerprint", Class: "fingerprint-too-strict", Report: "B45",
		Summary: "Takes the fingerprint of the raw body, so that key order and spacing make a mismatch.",
		Breaks:  []Break{{"replay-key-order", "replay-differs"}, {"payload-compared", "replay-differs"}}},
	ownerNotCompared: {Name: "owner-not-compared", Class: "payload-not-compared", Report: "B35",
		Summary: "Leaves the member owner out of what is compared: another owner under a used key is answered with the first task.",
		Breaks:  []Break{{"payload-compared", "wrong-status"}, {"conflict-material", "wrong-status"}}},
	queryNotCompared: {Name: "query-not-compared", Class: "query-not-in-fingerprint", Report: "B41",
		Summary: "Leaves the query out of what is compared.",
		Breaks:  []Break{{"payload-compared", "wrong-status"}}},
	textNotCompared: {Name: "text-not-compared", Class: "body-invisible-to-fingerprint", Report: "B43",
		Summary: "Compares only bodies that are JSON: another plain text under a used key is answered with the first note.",
		Breaks:  []Break{{"text-body-compared", "wrong-status"}}},
	tenantNotInScope: {Name: "tenant-not-in-scope", Class: "cross-caller-replay", Report: "B47",
		Summary: "Leaves the tenant out of the scope: another tenant with the same key gets the answer of the first.",
		Breaks:  []Break{{"K6[other-tenant]", "leaked"}, {"K6[other-tenant]", "lost"}}},
	environmentNotInScope: {Name: "environment-not-in-scope", Class: "wrong-namespace", Report: "B49",
		Summary: "Leaves the environment out of the scope: a key used in production answers in test.",
		Breaks:  []Break{{"K6[test-environment]", "leaked"}}},
	tenantsShareLock: {Name: "tenants-share-lock", Class: "wrong-namespace", Report: "B50",
		Summary: "Leaves the tenant out of the name of the lock, though not of what it stores: while a request runs, another tenant with its key is told 409.",
		Breaks:  []Break{{"double-send-two-tenants", "stuck"}}},
	callerInScope: {Name: "caller-in-scope", Class: "wrong-namespace", Report: "B49",
		Summary: "Makes the user a part of the scope, though a key is said to belong to the tenant: a retry by a colleague runs again.",
		Breaks:  []Break{{"another-caller", "wrong-status"}, {"another-caller", "duplicate"}}},
	authorizationAfterLookup: {Name: "authorization-after-lookup", Class: "cross-caller-replay", Report: "B47",
		Summary: "Looks the key up before it asks whether the caller may use the operation.",
		Breaks:  []Break{{"unauthorized-replay", "leaked"}}},
	revokedReplayed: {Name: "revoked-replayed", Class: "cross-caller-replay", Report: "B47",
		Summary: "Looks the key up before it asks whether the credential was revoked.",
		Breaks:  []Break{{"revoked-caller", "leaked"}}},
	replayStatus200: {Name: "replay-status-200", Class: "replay-status-changed", Report: "B53",
		Summary: "Replays with status 200 whatever the first status was.",
		Breaks:  []Break{{"replay-once", "replay-differs"}}},
	replayHeadersLost: {Name: "replay-headers-lost", Class: "replay-headers-wrong", Report: "B55",
		Summary: "Replays without the Location and the media type of the first answer.",
		Breaks:  []Break{{"replay-once", "replay-differs"}}},
	replayBodyTruncated: {Name: "replay-body-truncated", Class: "replay-body-corrupted", Report: "B56",
		Summary: "Replays only the first half of the body.",
		Breaks:  []Break{{"replay-once", "replay-differs"}}},
	replayRecomputed: {Name: "replay-recomputed", Class: "replay-recomputed", Report: "B59",
		Summary: "Builds the replay anew, with another id and created_at.",
		Breaks:  []Break{{"replay-once", "replay-differs"}}},
	replayRefused: {Name: "replay-refused", Class: "replay-refused", Report: "B61",
		Summary: "Answers the repeat of a completed key with a 409 that does not name the record.",
		Breaks:  []Break{{"replay-once", "replay-differs"}}},
	mailPerAttempt: {Name: "mail-per-attempt", Class: "side-effect-duplicated", Report: "B74",
		Summary: "Creates the record once and sends its mail again with every replay.",
		Breaks:  []Break{{"replay-once", "side-effect-repeated"}}},
	keyIgnored: {Name: "key-ignored", Class: "path-not-covered", Report: "B80",
		Summary: "Demands the key and then ignores it.",
		Breaks:  []Break{{"replay-once", "duplicate"}, {"replay-once", "key-ignored"}}},
	notesNotCovered: {Name: "notes-not-covered", Class: "path-not-covered", Report: "B80",
		Summary: "Demands the key of a note and then ignores it, while tasks honour theirs.",
		Breaks:  []Break{{"replay-other-operation", "duplicate"}, {"replay-other-operation", "key-ignored"}}},
	largeAnswerNotStored: {Name: "large-answer-not-stored", Class: "oversize-response-skipped", Report: "B62",
		Summary: "Stores no answer of more than 64 KiB, so that its repeat runs again.",
		Breaks:  []Break{{"replay-large", "duplicate"}, {"replay-large", "key-ignored"}}},
	deleteReplay404: {Name: "delete-replay-404", Class: "delete-replay-404", Report: "B85",
		Summary: "Ignores the key of a delete: the repeat of one that succeeded is answered 404.",
		Breaks:  []Break{{"replay-delete", "replay-differs"}}},
	dedupeByPayload: {Name: "dedupe-by-payload", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Answers a new task with the earlier one of the same account and note, whatever the key and the event.",
		Breaks:  []Break{{"K5", "lost"}, {"different-key", "lost"}}},
	collapseEverything: {Name: "collapse-everything", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Answers every new task with the first one of the tenant.",
		Breaks:  []Break{{"K5", "lost"}, {"first-request", "lost"}}},
	mergesDistinctBursts: {Name: "merges-distinct-bursts", Class: "dedupe-too-broad", Report: "B91", window: 5 * time.Millisecond,
		Summary: "Gathers what comes within the time given as value (default 5ms) for one operation of a tenant, runs the first and answers all with its record, whatever their keys.",
		Breaks:  []Break{{"distinct-keys-together", "lost"}}},
	failureStored: {Name: "failure-stored", Class: "stored-5xx-replayed", Report: "B26",
		Summary: "Stores a 5xx under the key and replays it.",
		Breaks:  []Break{{"error-then-retry", "server-error"}}},
	keyBurnedByFailure: {Name: "key-burned-by-failure", Class: "key-burned-by-failure", Report: "B28",
		Summary: "Uses the key up when the payload is refused as invalid: equal and corrected repeats are refused, and nothing exists.",
		Breaks:  []Break{{"invalid-then-corrected", "stuck"}}},
	refusalsStored: {Name: "refusals-stored", Class: "key-burned-by-failure", Report: "B28",
		Summary: "Stores a 401, 403 or 429 under the key and replays it once the caller is let in again.",
		Breaks:  []Break{{"turned-away[429]", "stuck"}, {"turned-away[401]", "stuck"}, {"turned-away[403]", "stuck"}}},
	refusalNeverSettles: {Name: "refusal-never-settles", Class: "refused-op-never-settles", Report: "B24",
		Summary: "Answers 500 to every repeat of a request that was refused for good.",
		Breaks:  []Break{{"refusal-repeated", "server-error"}}},
	refusalNotKept: {Name: "refusal-not-kept", Class: "final-4xx-not-kept", Report: "B30",
		Summary: "Forgets a refusal that was the outcome, so that a late duplicate runs once there is room.",
		Breaks:  []Break{{"refusal-outlived", "wrong-status"}}},
	checkBeforeLookup: {Name: "check-before-lookup", Class: "check-before-lookup", Report: "B32",
		Summary: "Checks approval and account limit before the key, so that a success is no longer replayed once they have changed.",
		Breaks:  []Break{{"replay-at-the-limit", "replay-differs"}}},
	missingKeyAccepted: {Name: "missing-key-accepted", Class: "missing-key", Report: "B82",
		Summary: "Runs a create that has no key.",
		Breaks:  []Break{{"missing-key", "wrong-status"}}},
	emptyKeyAccepted: {Name: "empty-key-accepted", Class: "key-format", Report: "B65",
		Summary: "Takes the empty string for a key like any other.",
		Breaks:  []Break{{"empty-key", "wrong-status"}}},
	longKey500: {Name: "long-key-500", Class: "key-format", Report: "B64",
		Summary: "Answers 500 to every key of more than 255 characters.",
		Breaks:  []Break{{"key-length[256]", "server-error"}, {"key-length[5000]", "server-error"}}},
	keyCaseFolded: {Name: "key-case-folded", Class: "key-format", Report: "B65",
		Summary: "Takes keys that differ only in case for the same.",
		Breaks:  []Break{{"key-letter-case", "key-ignored"}}},
	keyTrimmed: {Name: "key-trimmed", Class: "key-format", Report: "B65",
		Summary: "Drops blanks inside the quotes of a key, so that two keys are one.",
		Breaks:  []Break{{"key-trailing-space", "key-ignored"}}},
	keyLettersDropped: {Name: "key-letters-dropped", Class: "key-format", Report: "B65",
		Summary: "Drops letters beyond ASCII from a key instead of refusing it, so that two keys are one.",
		Breaks:  []Break{{"key-beyond-ascii", "key-ignored"}}},
	twoKeysTakenForNone: {Name: "two-keys-taken-for-none", Class: "key-format", Report: "B65",
		Summary: "Runs a create with two key headers as if it had none.",
		Breaks:  []Break{{"key-two-lines", "duplicate"}}},
	bareKey500: {Name: "bare-key-500", Class: "key-format", Report: "B64",
		Summary: "Answers 500 to a key that is not in quotes.",
		Breaks:  []Break{{"key-quoting", "server-error"}}},
	approvalNotChecked: {Name: "approval-not-checked",
		Summary: "Creates tasks for events that nobody approved for the account, which K2 of the six collisions forbids.",
		Breaks:  []Break{{"K2[own-key]", "duplicate"}}},
	authorizationNotChecked: {Name: "authorization-not-checked",
		Summary: "Lets every caller use every operation, which K3 of the six collisions forbids.",
		Breaks:  []Break{{"K3[without-authorization]", "wrong-status"}}},
	noteOverwritesTask: {Name: "note-overwrites-task",
		Summary: "Rewrites the note of the task for the same event and account with every update-review-note, which K3 of the six collisions forbids.",
		Breaks:  []Break{{"K3[own-key]", "overwritten"}}},
	workLostOnHangUp: {Name: "work-lost-on-hang-up", Class: "key-claimed-work-lost", Report: "B23", window: 40 * time.Millisecond,
		Summary: "Waits the window given as value (default 40ms) for the client to hang up before it commits, and then keeps its success under the key although the work is lost.",
		Breaks:  []Break{{"lost-answer[hung-up]", "lost"}}},
	recordBeforeKey: {Name: "record-before-key", Class: "record-after-commit-gap", Report: "B20", window: 40 * time.Millisecond,
		Summary: "Commits the record, waits the window given as value (default 40ms) for the client to hang up, and gives the key back if it does; otherwise it stores the answer in a second transaction.",
		Breaks:  []Break{{"lost-answer[hung-up]", "duplicate"}, {"crash-swept", "duplicate"}}},
	lockShorterThanHandler: {Name: "lock-shorter-than-handler", Class: "lock-shorter-than-handler", Report: "B17", window: 100 * time.Millisecond,
		Summary: "Lets the claim lapse after the time given as value (default 100ms), while the handler still runs.",
		Breaks:  []Break{{"second-while-running", "duplicate"}, {"slow-outlives-lock", "duplicate"}}},
	lockDeletedByFormerOwner: {Name: "lock-deleted-by-former-owner", Class: "lock-shorter-than-handler", Report: "B17", window: 100 * time.Millisecond,
		Summary: "Lets the claim lapse after the time given as value (default 100ms), and when a handler ends that has lost its claim, deletes that of the new owner, so that a third request runs too.",
		Breaks:  []Break{{"slow-outlives-lock", "duplicate"}}},
	claimOutlivesOwner: {Name: "claim-outlives-owner", Class: "stuck-in-progress", Report: "B13",
		Summary: "Keeps the claim of an owner that has died, so that all later attempts are told 409.",
		Breaks:  []Break{{"crash-while-working", "stuck"}, {"crash", "stuck"}}},
	perProcessStore: {Name: "per-process-store", Class: "per-process-store", Report: "B70",
		Summary: "Knows only the keys that came to this process since it started.",
		Breaks:  []Break{{"double-send-across-instances", "duplicate"}, {"replay-on-another-instance", "duplicate"}, {"crash-after-answer", "duplicate"}}},
	boundedStore: {Name: "bounded-store", Class: "bounded-store-eviction", Report: "B72",
		Summary: "Keeps only the last key of each tenant and operation.",
		Breaks:  []Break{{"two-keys-in-turn", "duplicate"}}},
	deleteForgetsKey: {Name: "delete-forgets-key",
		Summary: "Forgets, when a record is deleted, the key that made it, so that a late retry makes it again.",
		Breaks:  []Break{{"replay-after-delete", "key-ignored"}}},
	answerInSecondTransaction: {Name: "answer-in-second-transaction", Class: "record-after-commit-gap", Report: "B19",
		Summary: "Commits the record first and stores its answer in a second transaction: who is asked again after a crash in between does the work again.",
		Breaks:  []Break{{"crash", "duplicate"}}},
	answersBeforeCommit: {Name: "answers-before-commit", window: 100 * time.Millisecond,
		Summary: "Answers, waits the time given as value (default 100ms), and commits only then, so that a crash takes back what was answered.",
		Breaks:  []Break{{"crash-first-byte", "lost"}}},
	commitsOnHangUp: {Name: "commits-on-hang-up", Class: "record-after-commit-gap", Report: "B20",
		Summary: "Commits the record of a client that has hung up without its answer, and gives the key back.",
		Breaks:  []Break{{"crash-disconnect", "duplicate"}}},
	batchRowByRow: {Name: "batch-row-by-row", Class: "batch", Report: "B76",
		Summary: "Commits each row of a batch by itself, without noting which are done: after a crash a resent batch begins again at the first row.",
		Breaks:  []Break{{"batch-killed", "duplicate"}}},
	mailBeforeCommit: {Name: "mail-before-commit", Class: "side-effect-duplicated", Report: "B74",
		Summary: "Sends the mail of a new task, in a transaction of its own, before it commits the task: after a crash in between it is sent again.",
		Breaks:  []Break{{"crash", "side-effect-repeated"}}},
}
