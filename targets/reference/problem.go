package reference

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// problem is an error answer as of RFC 9457, and the error that stands for it.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Code is the stable name of the problem; clients decide by it.
	Code string `json:"code"`
	// Errors says which fields of the body are wrong.
	Errors []fieldError `json:"errors,omitempty"`

	// retryAfter is the Retry-After header in seconds; 0: none.
	retryAfter int
	// final marks a refusal that is the true outcome of the request. It is
	// stored under the key and replayed; all other problems leave no trace.
	final bool
	// as is the answer in the manners of a profile; nil: the problem document.
	as *answer
}

// fieldError is one fault of a request body.
type fieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (p problem) Error() string { return p.Code + ": " + p.Detail }

// errDrop stands for an answer that is never sent: the connection is closed.
var errDrop = errors.New("drop the connection")

// keyProblem refuses a request because of its key.
func keyProblem(code string, reason error) problem {
	return problem{Status: http.StatusBadRequest, Code: code,
		Detail: "This operation needs one " + keyHeader + " header: " + reason.Error() + "."}
}

// invalid refuses a body because of some fields.
func invalid(errs ...fieldError) problem {
	return problem{Status: http.StatusBadRequest, Code: "invalid", Detail: "Some fields of the request are not valid.", Errors: errs}
}

// notFound refuses a request for something the caller cannot see.
func notFound(what string) problem {
	return problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no such " + what + "."}
}

// inFlight tells a client to wait for the attempt that runs.
func inFlight() problem {
	return problem{Status: http.StatusConflict, Code: "idempotency_in_flight", retryAfter: 1,
		Detail: "A request with this key is still running. Repeat it later with the same key."}
}

// reused tells a client that its key stands for another request.
func reused() problem {
	return problem{Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reused",
		Detail: "This key was used for another request. Send the first request unchanged, or take a new key."}
}

// busy tells a client that the service has no time for it now.
func busy() problem {
	return problem{Status: http.StatusServiceUnavailable, Code: "busy", Detail: "The store is busy.", retryAfter: 1}
}

// problemOf turns any error into a problem. What is none yet is a fault of
// the server, and its text stays inside.
func problemOf(err error) problem {
	if p, ok := errors.AsType[problem](err); ok {
		return p
	}
	if isBusy(err) {
		return busy()
	}
	return problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "The server failed."}
}

// refusal reports whether an error is a deliberate answer of the service, and
// not a failure of it.
func refusal(err error) bool {
	p, ok := errors.AsType[problem](err)
	return ok && p.Status < http.StatusInternalServerError
}

// answer writes the problem down.
func (p problem) answer() answer {
	if p.as != nil {
		return *p.as
	}
	p.Type, p.Title = "/docs#"+p.Code, http.StatusText(p.Status)
	body, err := json.Marshal(p)
	if err != nil { // a struct of strings and numbers always encodes
		panic(err)
	}
	reply := answer{Status: p.Status, Body: body, Header: map[string]string{
		"Content-Type": "application/problem+json",
		"Link":         `</docs>; rel="describedby"`,
	}}
	if p.retryAfter > 0 {
		reply.Header["Retry-After"] = strconv.Itoa(p.retryAfter)
	}
	if p.Status == http.StatusUnauthorized {
		reply.Header["WWW-Authenticate"] = `Bearer realm="reference"`
	}
	return reply
}
