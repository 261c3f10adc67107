package reference

import "time"

// The defects of webhooks and batches, after those of defect_table.go.
const (
	webhookNotDeduplicated = defect(len(keyDefects)) + iota
	webhookLooksFirst
	webhookLostRace500
	webhookRepeatRefused
	webhookMarkedTooEarly
	webhookMarkedUnchecked
	webhookSignatureUnchecked
	webhookMarkedIfHeard
	webhookAcksFirst
	webhookBoundedStore
	webhookForgetsEarly
	webhookForgetsRepeated
	webhookPerProcess
	webhookBodyInID
	webhookSourceNotInID
	webhookTenantNotInID
	webhookDedupeByPayload
	webhookFactIgnored
	webhookMailPerDelivery
	batchKeyIgnored
	batchPartialCommit
	batchFailureStored
)

// defectTable is the only place where a defect is named: in one of its parts.
var defectTable = joined()

func joined() (all [len(keyDefects) + len(eventDefects)]Defect) {
	copy(all[:], keyDefects[:])
	copy(all[len(keyDefects):], eventDefects[:])
	return all
}

// eventDefects has the order of the constants above.
var eventDefects = [...]Defect{
	{Name: "webhook-not-deduplicated", Class: "webhook-not-deduplicated", Report: "B86",
		Summary: "Does the work of a webhook with every delivery of its event.",
		Breaks:  []Break{{"webhook-twice", "duplicate"}}},
	{Name: "webhook-looks-first", Class: "check-then-act-race", Report: "B74", window: 10 * time.Millisecond,
		Summary: "Looks whether an event is marked, waits the window given as value (default 10ms), and does the work without another look.",
		Breaks:  []Break{{"webhook-together", "duplicate"}, {"webhook-late-ack[still-running]", "duplicate"}}},
	{Name: "webhook-lost-race-500", Class: "lost-race-5xx", Report: "B06", window: 10 * time.Millisecond,
		Summary: "Looks whether an event is marked, waits the window given as value (default 10ms), and answers 500 if somebody else has marked it meanwhile.",
		Breaks:  []Break{{"webhook-together", "server-error"}}},
	{Name: "webhook-repeat-refused", Class: "replay-refused", Report: "B61",
		Summary: "Answers 409 to the repeat of an event, so that its sender comes again and again.",
		Breaks:  []Break{{"webhook-acknowledged", "wrong-status"}, {"webhook-other-body", "wrong-status"}}},
	{Name: "webhook-marked-too-early", Class: "webhook-marked-too-early", Report: "B90",
		Summary: "Marks an event as done before its work, so that it is never done when it fails.",
		Breaks:  []Break{{"webhook-after-failure", "lost"}}},
	{Name: "webhook-marked-unchecked", Class: "webhook-marked-too-early", Report: "B90",
		Summary: "Marks an event as done before it looks at the signature, so that a forgery keeps the event from being done.",
		Breaks:  []Break{{"webhook-forged", "lost"}}},
	{Name: "webhook-signature-unchecked",
		Summary: "Acts upon an event whatever its signature.",
		Breaks:  []Break{{"webhook-forged", "wrong-status"}}},
	{Name: "webhook-marked-if-heard", Class: "record-after-commit-gap", Report: "B20", window: 40 * time.Millisecond,
		Summary: "Does the work of an event, waits the window given as value (default 40ms) for its sender to hang up, and marks it only if that has not happened.",
		Breaks:  []Break{{"webhook-late-ack[hung-up]", "duplicate"}}},
	{Name: "webhook-acks-first", Class: "key-claimed-work-lost", Report: "B23", window: 300 * time.Millisecond,
		Summary: "Acknowledges an event and does its work after the time given as value (default 300ms), of which nobody knows after a crash.",
		Breaks:  []Break{{"webhook-durable", "lost"}, {"webhook-first", "lost"}}},
	{Name: "webhook-bounded-store", Class: "bounded-store-eviction", Report: "B72",
		Summary: "Remembers only the last event of each tenant.",
		Breaks:  []Break{{"webhook-late", "duplicate"}}},
	{Name: "webhook-forgets-early", Class: "expiry", Report: "B68",
		Summary: "Remembers an event for a day, though its sender delivers it again for longer.",
		Breaks:  []Break{{"webhook-redelivered", "duplicate"}, {"webhook-remembered", "duplicate"}}},
	{Name: "webhook-forgets-repeated", Class: "bounded-store-eviction", Report: "B72",
		Summary: "Forgets an event when it has come four times, as if nobody delivered one more often.",
		Breaks:  []Break{{"webhook-every-try", "duplicate"}}},
	{Name: "webhook-per-process", Class: "per-process-store", Report: "B70",
		Summary: "Knows only the events that came to this process since it started.",
		Breaks:  []Break{{"webhook-other-instance", "duplicate"}}},
	{Name: "webhook-body-in-id", Class: "fingerprint-too-strict", Report: "B45",
		Summary: "Makes the body a part of an event's identity, so that an event that was rendered anew is another one.",
		Breaks:  []Break{{"webhook-other-body", "duplicate"}}},
	{Name: "webhook-source-not-in-id", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Takes two events of different sources for one when they have the same id.",
		Breaks:  []Break{{"webhook-compound", "lost"}}},
	{Name: "webhook-tenant-not-in-id", Class: "wrong-namespace", Report: "B50",
		Summary: "Takes two events of different tenants for one when they have the same source and id.",
		Breaks:  []Break{{"webhook-other-tenant", "lost"}}},
	{Name: "webhook-dedupe-by-payload", Class: "dedupe-too-broad", Report: "B91",
		Summary: "Takes two events with the same account and note for one, whatever their ids.",
		Breaks:  []Break{{"webhook-distinct", "lost"}}},
	{Name: "webhook-fact-ignored", Class: "webhook-not-deduplicated", Report: "B87",
		Summary: "Acts upon every event, also on a second one that tells of the same fact.",
		Breaks:  []Break{{"webhook-one-fact", "duplicate"}}},
	{Name: "webhook-mail-per-delivery", Class: "side-effect-duplicated", Report: "B74",
		Summary: "Creates the task of an event once and sends its mail again with every delivery.",
		Breaks:  []Break{{"webhook-twice", "side-effect-repeated"}}},
	{Name: "batch-key-ignored", Class: "path-not-covered", Report: "B78",
		Summary: "Demands the key of a batch and then ignores it.",
		Breaks:  []Break{{"batch-twice", "duplicate"}, {"batch-row-twice", "duplicate"}}},
	{Name: "batch-partial-commit", Class: "batch", Report: "B76",
		Summary: "Refuses a batch with a bad row and keeps the rows before it.",
		Breaks:  []Break{{"batch-bad-row", "phantom"}}},
	{Name: "batch-failure-stored", Class: "batch", Report: "B77",
		Summary: "Stores a 5xx under the key of a batch and replays it, though not under that of a single task.",
		Breaks:  []Break{{"batch-error-then-retry", "server-error"}}},
}
