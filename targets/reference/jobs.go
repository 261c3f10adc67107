package reference

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// This file holds what a stand-in does for an owner whose writes are jobs: a write is answered with the address of its job,
// and the job tells how it went.
//
// The work is done as ever, under its claim and in its one transaction, before the write is answered; that it was accepted
// is only how its outcome is told. So nothing that was accepted can be lost: a process that dies before the commit has
// answered nobody, and the next attempt under the key takes the job over, at the same address. Since a job is found by the
// row of its key, whoever repeats a write that still runs is told the same address as whoever repeats it later.

// jobTakes is how long a job takes at least, so that whoever asks for it at once finds it running.
const jobTakes = 50 * time.Millisecond

// asks reports whether a request asks for a job: it does by the headers that go with a key, be there a key or not.
func (m *manners) asks(r *request) bool {
	return m != nil && m.Async != nil && !m.alone(r)
}

// askForJob notes whether an attempt asks for a job. One that brings no key is given one that nobody else has: its job
// must be found as well.
func (s *Server) askForJob(a *attempt) {
	if a.asks = s.manners.asks(a.request); a.asks && !a.keyed {
		a.key = s.options.NewID()
	}
}

// jobAddress is where the job of an entry is found. It is known as soon as the claim is made.
func jobAddress(e entry) string {
	return "/v1/jobs/" + e.operation + "/" + base64.RawURLEncoding.EncodeToString([]byte(e.key))
}

// about is what an answer to a repeat names: the record, or the job that knows it.
func (m *manners) about(e entry) string {
	if m.Async == nil {
		return e.reply.Reference
	}
	return jobAddress(e)
}

// accept answers a write that asked for a job with its address, however the work went. What left no job, such as a refusal
// that is not kept, is answered as it is, and so is a failure after the work was done.
func (s *Server) accept(ctx context.Context, a *attempt, reply answer, err error) (answer, error) {
	if !a.asks || a.again || errors.Is(err, errDrop) {
		return reply, err
	}
	e, found, look := s.ledger.find(ctx, s.store.reads, s.identity(a))
	if look != nil {
		return answer{}, errors.Join(err, look)
	}
	if !found || e.state != completed || err != nil && e.reply.Status < http.StatusBadRequest {
		return reply, err
	}
	return s.manners.accepted(e)
}

// accepted is the answer to a write whose job is e.
func (m *manners) accepted(e entry) (answer, error) {
	reply, err := jsonAnswer(m.Async.Status[0], map[string]string{"operation": e.operation})
	if err != nil {
		return answer{}, err
	}
	reply.Reference = e.reply.Reference
	return plant(reply, m.Async.Job, jobAddress(e)), nil
}

// jobRoutes are those by which jobs are found; there are none where writes are done when they are answered.
func (s *Server) jobRoutes() map[string]handler {
	if s.manners == nil || s.manners.Async == nil {
		return nil
	}
	return map[string]handler{
		"GET /v1/jobs/{operation}/{job}":        s.readJob,
		"GET /v1/jobs/{operation}/{job}/result": s.readResult,
	}
}

// readJob says whether a job has ended, and where its result is.
func (s *Server) readJob(ctx context.Context, r *request) (answer, error) {
	e, ended, err := s.findJob(ctx, r)
	if err != nil {
		return answer{}, err
	}
	reply, err := jsonAnswer(http.StatusOK, map[string]string{"operation": e.operation})
	if err != nil {
		return answer{}, err
	}
	return s.manners.jobAnswer(reply, e, ended), nil
}

// readResult gives what the write of an ended job would have been answered without a job: a refusal or a failure, too.
func (s *Server) readResult(ctx context.Context, r *request) (answer, error) {
	e, ended, err := s.findJob(ctx, r)
	if err != nil {
		return answer{}, err
	}
	if !ended {
		return answer{}, notFound("result")
	}
	return e.reply, nil
}

// findJob finds the row of a job. It is looked for in the name space of the caller: nobody is shown the job of another
// tenant, nor that there is one.
func (s *Server) findJob(ctx context.Context, r *request) (e entry, ended bool, err error) {
	key, err := base64.RawURLEncoding.DecodeString(r.PathValue("job"))
	if err != nil {
		return entry{}, false, notFound("job")
	}
	id := s.identity(&attempt{request: r, op: operation{name: r.PathValue("operation")}})
	id.key = string(key)
	e, found, err := s.ledger.find(ctx, s.store.reads, id)
	if err != nil {
		return entry{}, false, err
	}
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return entry{}, false, err
	}
	switch free := s.ledger.free(e, now); {
	case !found || free && e.state == completed:
		return entry{}, false, notFound("job")
	case free:
		return entry{}, false, abandoned()
	}
	return e, e.state == completed && !now.Before(e.createdAt.Add(jobTakes)), nil
}

// abandoned says that the owner of a job has died. It is taken over when its write is repeated, and to wait would not help.
func abandoned() problem {
	return problem{Status: http.StatusServiceUnavailable, Code: "job_abandoned",
		Detail: "Nobody works on this job any more. Send its request again under the same key."}
}

// resultAt is where a job names its result, if the profile leaves that to the target file.
const resultAt = "$.result"

// jobAnswer says of a job what the profile documents: that it has ended, that it came to nothing, and where its result is.
func (m *manners) jobAnswer(reply answer, e entry, ended bool) answer {
	a := m.Async
	switch done := a.Done; {
	case done == nil && !ended:
		reply.Status = a.Status[0]
	case done != nil:
		reply = plantSwitch(reply, *done, ended)
	}
	if !ended {
		return reply
	}
	if a.Failed != nil && e.reply.Status >= http.StatusBadRequest {
		reply = plantSwitch(reply, *a.Failed, true)
	}
	at := a.Result
	if at == "" {
		at = resultAt
	}
	return plant(reply, at, jobAddress(e)+"/result")
}

// plantSwitch puts a code where it belongs, if it is on. One that is named "true" is a truth value, and false while it is off.
func plantSwitch(reply answer, c targets.Code, on bool) answer {
	switch text := codeOf(&c, "true"); {
	case text == "true":
		return plantValue(reply, c.At, on)
	case on:
		return plant(reply, c.At, text)
	}
	return reply
}
