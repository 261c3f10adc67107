package reference

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
	replayTimeRecomputed
	replayRefused
	replayOnlyOnce
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
	longestKey500
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
