// Package reference is a small CRM service that honours idempotency keys: a
// real server over HTTP with durable storage, meant to be read, and to be
// tested against. Every fault that the conformance cases look for can be
// switched on by name; see Defects. Without defects it is correct.
//
// # Where to begin
//
// ledger.go holds the ledger of keys and the three rules that make it safe.
// once.go shows the way of one request through it, transact.go the one
// transaction in which the work is done, recall.go the answers to a key that
// is known. key.go and fingerprint.go say what a key and a repeat are. The
// files that begin with faulty hold what only defects do.
//
// # Callers
//
// Each request but GET /healthz, GET /docs and /admin/* needs a bearer token:
//
//	reference-t1            tenant T1, all operations
//	reference-t1-colleague  tenant T1, another user, all operations
//	reference-t1-tasks      tenant T1, without update-review-note
//	reference-t1-notes      tenant T1, without create-internal-review-task
//	reference-t1-leaver     tenant T1, a user (eve) who can be revoked
//	reference-t2            tenant T2, all operations
//
// The header Crm-Environment is production (the default) or test. Tenant and
// environment together own all records; nobody sees those of another. So do
// the region and the ledger of an account: Crm-Region and Crm-Ledger are first
// (the default) or second.
//
// # Resources
//
//	POST   /v1/tasks              create-internal-review-task; needs a key
//	POST   /v1/tasks/batch        create-internal-review-tasks; all or none, under one key
//	GET    /v1/tasks              ?q= &account= &limit= and &cursor= or &page=
//	GET    /v1/tasks/{id}
//	DELETE /v1/tasks/{id}         delete-internal-review-task; a key is optional
//	POST   /v1/review-notes       update-review-note; needs a key and its own permission. As text/plain
//	                              the body is the note, and ?event= &account= &revision= the rest
//	GET    /v1/review-notes       like the list of tasks
//	GET    /v1/review-notes/{id}
//	DELETE /v1/review-notes/{id}  delete-review-note; the permission of update-review-note
//	GET    /v1/outbox             ?q= &kind=task-created or note-updated: the mails
//	POST   /v1/approvals          {event, account}: allows tasks for that pair
//	PUT    /v1/accounts/{id}      {open_task_limit}: a number, or null for none
//	GET    /v1/accounts/{id}
//	POST   /v1/webhooks/crm       {source, id, type, fact, data}; source and id are the key
//	GET    /healthz
//	GET    /docs                  the idempotency policy, for clients
//
// As a stand-in for an owner whose writes are jobs (Options.Profile with async)
// it has two more, whose addresses it gives in answer to a write:
//
//	GET    /v1/jobs/{operation}/{job}         whether it has ended
//	GET    /v1/jobs/{operation}/{job}/result  what the write came to
//
// A list answers {"tasks": [...], "next": "/v1/tasks?..."}, with null where it
// ends, and a Link header with rel="next". Errors are problem documents as of
// RFC 9457, with a stable member code; GET /docs lists the codes.
//
// A task needs an approval of its event for its account. Without one it is
// held: 403 approval_required, nothing is written, and the key stays unused.
// Each task and each note comes with exactly one mail. A webhook of the type
// review.requested creates one task, needs no approval, and is answered 202
// the first time and 200 with the status duplicate after that. The header
// Webhook-Id outranks the id of the body. Another event of the type that tells
// of the same fact is a duplicate, too. A delivery may be signed as the
// Standard Webhooks are; if it is, the signature has to be right.
//
// # Test switches
//
// With Options.TestSwitches a request to /v1 may carry:
//
//	Test-Slow-Before: 300ms   waits before the ledger is asked
//	Test-Slow: 300ms          waits after the claim and before the work
//	Test-Fail: 500|503|504|drop  fails; drop closes the connection without an answer
//	Test-Fail-At: POINT       before-work (after the claim), in-work (the default: in the
//	                          transaction, before its commit) or after-commit
//	Test-Refuse: 429          refuses with this 4xx before the ledger is asked
//	Test-Now: TIME            is handled as if it were this time (RFC 3339)
//
// Test-Slow and Test-Fail count for operations with a key and for webhooks.
// GET /admin/clock answers {"now": TIME}, and POST /admin/clock with
// {"advance": "24h"} moves the clock of all servers on the same file.
// Retention and leases follow that clock. PUT /admin/callers/{user} with
// {"revoked": true} makes a user's token count no more, and false again. Without Options.TestSwitches the
// headers are ignored and /admin/* is not found.
//
// # Crash points
//
// With Options.TestSwitches a write can also be made to stand still, so that
// the process can be killed or the client can hang up just there:
//
//	GET    /admin/crash-points  ?wait=2s: {"passed": [LABEL, ...], "armed": POINT or null, "reached": BOOL}
//	PUT    /admin/crash-points  POINT: arms it, in the place of the one before
//	DELETE /admin/crash-points  nothing is armed, whoever stands still goes on, and no step was passed
//
// A POINT is {"label": "create task", "occurrence": 1, "side": "before" or
// "after"}: one side of the nth step with this label from now on. The next
// write that gets there stands still, in its transaction if it is in one,
// until it is released, another point is armed, or the server ends. That its
// client hangs up does not release it. With wait the answer comes as soon as
// the point is reached, after ten seconds at most. The points belong to one
// process, and asking for them never waits for the store.
//
// The steps are where the store changes: a task takes claim, create task,
// queue mail, store answer and commit, a batch create task and queue mail once
// for each row. The others are create note, delete record, mark event (of a
// webhook), and release claim (after a refusal or a failure).
package reference

import _ "embed"

// policy is what GET /docs answers.
//
//go:embed policy.md
var policy string
