package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody is the greatest length of a request body in bytes.
const maxBody = 4 << 20

// request is what every handler gets: an authenticated request whose body was read.
type request struct {
	*http.Request
	caller      caller
	environment string
	switches    switches
	body        []byte

	w        http.ResponseWriter
	answered bool      // by answers-before-commit
	glance   *sighting // what acts-after-body saw before the body was read
	mailed   int64     // the mail that mail-before-commit has written for it
}

// answer is a whole response. Its exported fields are what the ledger keeps.
type answer struct {
	Status    int
	Header    map[string]string
	Body      []byte
	Reference string // the id of the record the answer is about

	replayed bool
}

// handler answers a request. An error becomes a problem document.
type handler func(ctx context.Context, r *request) (answer, error)

// routes is the table of everything the server answers.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"POST /v1/tasks":               s.keyed(operation{name: createTaskOperation, permission: createTaskOperation, keyRequired: true, prepare: s.prepareTask}),
		"POST /v1/tasks/batch":         s.keyed(operation{name: createBatchOperation, permission: createTaskOperation, keyRequired: true, prepare: s.prepareBatch}),
		"POST /v1/review-notes":        s.keyed(operation{name: updateNoteOperation, permission: updateNoteOperation, keyRequired: true, prepare: s.prepareNote}),
		"DELETE /v1/tasks/{id}":        s.keyed(operation{name: deleteTaskOperation, permission: createTaskOperation, prepare: s.deletion("task", deleteTask, "D")}),
		"DELETE /v1/review-notes/{id}": s.keyed(operation{name: deleteNoteOperation, permission: updateNoteOperation, prepare: s.deletion("note", deleteNote, "N")}),
		"GET /v1/tasks":                s.listTasks,
		"GET /v1/tasks/{id}":           s.readTask,
		"GET /v1/review-notes":         s.listNotes,
		"GET /v1/review-notes/{id}":    s.readNote,
		"GET /v1/outbox":               s.listMails,
		"POST /v1/approvals":           s.approve,
		"GET /v1/accounts/{id}":        s.readAccount,
		"PUT /v1/accounts/{id}":        s.putAccount,
		"POST /v1/webhooks/crm":        s.receiveEvent,
	} {
		mux.HandleFunc(pattern, s.authenticated(h))
	}
	for pattern, h := range s.jobRoutes() {
		mux.HandleFunc(pattern, s.authenticated(h))
	}
	mux.HandleFunc("GET /healthz", s.open(s.health))
	mux.HandleFunc("GET /docs", s.open(s.docs))
	if s.options.TestSwitches {
		mux.HandleFunc("GET /admin/clock", s.open(s.readClock))
		mux.HandleFunc("POST /admin/clock", s.open(s.moveClock))
		mux.HandleFunc("PUT /admin/callers/{user}", s.open(s.putCaller))
		mux.HandleFunc("GET /admin/crash-points", s.open(s.showPoints))
		mux.HandleFunc("PUT /admin/crash-points", s.open(s.armPoint))
		mux.HandleFunc("DELETE /admin/crash-points", s.open(s.releasePoints))
	}
	mux.HandleFunc("/", s.open(func(_ context.Context, r *request) (answer, error) {
		return unrouted(mux, r.Request)
	}))
	return mux
}

// unrouted answers what has no route: 405 where another method has one.
func unrouted(mux *http.ServeMux, r *http.Request) (answer, error) {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost, http.MethodPut} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return answer{}, notFound("resource")
	}
	reply := problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Detail: "The resource has no such method."}.answer()
	reply.Header["Allow"] = strings.Join(allowed, ", ")
	return reply, nil
}

// open wraps a handler that needs no credential.
func (s *Server) open(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in := &request{Request: r}
		reply, err := s.withBody(w, in, h)
		s.write(w, in, reply, err)
	}
}

// authenticated wraps a handler that needs a caller and an environment.
func (s *Server) authenticated(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in := &request{Request: r, w: w}
		if s.broken(answersBeforeCommit) {
			s.races.awaitCommit()
		}
		err := s.admit(in)
		var reply answer
		if err == nil {
			reply, err = s.withBody(w, in, h)
		}
		s.write(w, in, reply, err)
	}
}

// admit finds out who asks, for which environment, and with which switches.
func (s *Server) admit(r *request) (err error) {
	if r.caller, err = s.authenticate(r.Context(), r.Header); err != nil {
		return err
	}
	if r.environment, err = environmentOf(r.Header); err != nil {
		return err
	}
	if !s.options.TestSwitches {
		return nil
	}
	if r.switches, err = readSwitches(r.Header); err != nil {
		return err
	}
	if s.broken(refusalsStored) && r.Header.Get(keyHeader) != "" || s.manners.defers(r) {
		return nil // it comes when the key is known
	}
	return r.switches.refuse()
}

// withBody reads the body and calls the handler.
func (s *Server) withBody(w http.ResponseWriter, r *request, h handler) (answer, error) {
	if err := s.pinTime(r); err != nil {
		return answer{}, err
	}
	if s.broken(actsAfterBody) {
		r.glance = s.glance(r)
	}
	if s.broken(halfRequestClaimsKey) {
		if err := s.claimEarly(r); err != nil {
			return answer{}, err
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return answer{}, problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Detail: "The body is longer than 4 MiB."}
	}
	if err != nil {
		return answer{}, problem{Status: http.StatusBadRequest, Code: "malformed", Detail: "The body did not arrive in full."}
	}
	r.body = body
	return h(r.Context(), r)
}

// write puts an answer on the wire.
func (s *Server) write(w http.ResponseWriter, r *request, reply answer, err error) {
	if errors.Is(err, errDrop) {
		panic(http.ErrAbortHandler) // net/http closes the connection in silence
	}
	if err != nil {
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError {
			s.options.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		}
		reply = p.answer()
	}
	if r.answered {
		return
	}
	if err := put(w, reply); err != nil {
		s.options.Logger.Debug("answer not delivered", "path", r.URL.Path, "error", err)
	}
}

// put writes an answer to a client.
func put(w http.ResponseWriter, reply answer) error {
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	if reply.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(reply.Status)
	_, err := w.Write(reply.Body)
	return err
}

// jsonAnswer makes an answer with a JSON body.
func jsonAnswer(status int, value any) (answer, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return answer{}, fmt.Errorf("encode the answer: %w", err)
	}
	return answer{Status: status, Body: body, Header: map[string]string{"Content-Type": "application/json"}}, nil
}

// health says that the store can be read.
func (s *Server) health(ctx context.Context, _ *request) (answer, error) {
	if _, err := s.ahead(ctx, s.store.reads); err != nil {
		return answer{}, err
	}
	return jsonAnswer(http.StatusOK, map[string]string{"status": "ok"})
}

// docs answers GET /docs, to which every problem document points.
func (s *Server) docs(context.Context, *request) (answer, error) {
	text := strings.ReplaceAll(policy, "{{retention}}", s.options.Retention.String())
	return answer{Status: http.StatusOK, Body: []byte(text), Header: map[string]string{"Content-Type": "text/markdown; charset=utf-8"}}, nil
}

// timestamp writes a time of the store as RFC 3339 in UTC.
func timestamp(nanoseconds int64) string {
	return time.Unix(0, nanoseconds).UTC().Format(time.RFC3339Nano)
}
