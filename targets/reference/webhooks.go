package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// event is one delivery of the CRM. Members it does not know are ignored,
// since a sender adds some without asking.
type event struct {
	ID   string    `json:"id"`
	Type string    `json:"type"`
	Data taskInput `json:"data"`
}

// eventAnswer is the body of the answer to a delivery.
type eventAnswer struct {
	Status string `json:"status"` // accepted, ignored or duplicate
	Task   string `json:"task,omitempty"`
}

// receiveEvent answers POST /v1/webhooks/crm. The id of the event is its key;
// the ledger is not needed, because the work is all in one local transaction
// and the mark that the event is done is a part of it. A second delivery
// waits for the write lock and then finds the mark.
func (s *Server) receiveEvent(ctx context.Context, r *request) (reply answer, err error) {
	e, err := readEvent(r)
	if err != nil {
		return answer{}, err
	}
	ctx = context.WithoutCancel(ctx)
	a := &attempt{request: r}
	if err := pause(ctx, r.switches.slowBefore); err != nil {
		return answer{}, err
	}
	if err := a.begin(ctx); err != nil {
		return answer{}, err
	}
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		reply, err = s.deliver(ctx, tx, r, e)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return reply, r.switches.strike(afterCommit)
}

// readEvent reads a delivery. The webhook-id header outranks the id of the body.
func readEvent(r *request) (event, error) {
	var e event
	if err := json.Unmarshal(r.body, &e); err != nil {
		return e, problem{Status: http.StatusBadRequest, Code: "malformed", Detail: "The body must be an event as a JSON object."}
	}
	if id := r.Header.Get("webhook-id"); id != "" {
		e.ID = id
	}
	var errs []fieldError
	if strings.TrimSpace(e.ID) == "" {
		errs = append(errs, fieldError{"id", "must not be empty"})
	}
	if e.Type == reviewRequested {
		for _, f := range e.Data.check() {
			errs = append(errs, fieldError{"data." + f.Field, f.Message})
		}
	}
	if len(errs) > 0 {
		return e, invalid(errs...)
	}
	return e, nil
}

// reviewRequested is the type of event that creates a task.
const reviewRequested = "review.requested"

// mark notes, in the transaction of the work, that an event is done; false
// means that it already was.
func (s *Server) mark(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) (bool, error) {
	var fresh bool
	err := s.step(stepEvent, func() (err error) {
		fresh, err = changed(tx.ExecContext(ctx, `
			INSERT INTO events (tenant, environment, id, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			r.caller.tenant, r.environment, e.ID, now.UnixNano()))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("mark the event: %w", err)
	}
	return fresh, nil
}

// deliver marks an event and does its work.
func (s *Server) deliver(ctx context.Context, tx *sql.Tx, r *request, e event) (answer, error) {
	now, err := s.now(ctx, tx)
	if err != nil {
		return answer{}, err
	}
	fresh, err := s.mark(ctx, tx, r, e, now)
	if err != nil {
		return answer{}, err
	}
	if !fresh {
		return jsonAnswer(http.StatusOK, eventAnswer{Status: "duplicate"})
	}
	out := eventAnswer{Status: "ignored"}
	if e.Type == reviewRequested {
		t, err := s.insertTask(ctx, tx, r, e.Data, now)
		if err != nil {
			return answer{}, err
		}
		out = eventAnswer{Status: "accepted", Task: t.ID}
	}
	if err := r.switches.strike(inWork); err != nil {
		return answer{}, err
	}
	return jsonAnswer(http.StatusAccepted, out)
}
