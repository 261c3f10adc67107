package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// event is one delivery of the CRM. Members it does not know are ignored,
// since a sender adds some without asking.
type event struct {
	ID     string    `json:"id"`
	Source string    `json:"source"` // ids are unique within it; may be empty
	Type   string    `json:"type"`
	Fact   string    `json:"fact"` // what happened; several events of a type may tell of it
	Data   taskInput `json:"data"`
}

// eventAnswer is the body of the answer to a delivery.
type eventAnswer struct {
	Status string `json:"status"` // accepted, ignored or duplicate
	Task   string `json:"task,omitempty"`
}

// receiveEvent answers POST /v1/webhooks/crm. Source and id of the event are
// its key; the ledger is not needed, because the work is all in one local
// transaction and the mark that the event is done is a part of it. A second
// delivery waits for the write lock and then finds the mark.
func (s *Server) receiveEvent(ctx context.Context, r *request) (answer, error) {
	now, err := s.now(ctx, s.store.reads)
	if err != nil {
		return answer{}, err
	}
	if err := s.checkSignature(r, now); err != nil && !s.broken(webhookSignatureUnchecked) {
		return answer{}, errors.Join(s.markForged(ctx, r), err)
	}
	e, err := s.readEvent(r)
	if err != nil {
		return answer{}, err
	}
	ctx = context.WithoutCancel(ctx)
	if err := pause(ctx, r.switches.slowBefore); err != nil {
		return answer{}, err
	}
	if way := s.wrongReceipt(); way != nil {
		return way(ctx, r, e)
	}
	return s.receiveOnce(ctx, r, e)
}

// receiveOnce does the work of an event whose work is not done yet.
func (s *Server) receiveOnce(ctx context.Context, r *request, e event) (reply answer, err error) {
	a := &attempt{request: r}
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
func (s *Server) readEvent(r *request) (event, error) {
	if s.sender != nil {
		return s.sender.read(r, s.options.NewID)
	}
	var e event
	if err := json.Unmarshal(r.body, &e); err != nil {
		return e, problem{Status: http.StatusBadRequest, Code: "malformed", Detail: "The body must be an event as a JSON object."}
	}
	if id := r.Header.Get("webhook-id"); id != "" {
		e.ID = id
	}
	return e, e.check()
}

// check says what is wrong with an event.
func (e event) check() error {
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
		return invalid(errs...)
	}
	return nil
}

// reviewRequested is the type of event that creates a task.
const reviewRequested = "review.requested"

// identity is what makes two deliveries of one tenant the same event.
func (e event) identity() string { return strconv.Quote(e.Source) + e.ID }

// mark notes, in the transaction of the work, that an event is done, and with
// it the fact that it tells of; false means that either already was.
func (s *Server) mark(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) (fresh bool, err error) {
	m := s.markOf(r, e)
	if err := s.forgetOldEvents(ctx, tx, now); err != nil {
		return false, err
	}
	err = s.step(stepEvent, func() (err error) {
		fresh, err = changed(tx.ExecContext(ctx, `
			INSERT INTO events (tenant, environment, id, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			m.tenant, r.environment, m.id, now.UnixNano()))
		if err != nil || !fresh || m.fact == "" {
			return err
		}
		fresh, err = s.markFact(ctx, tx, r, e, m, now)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("mark the event: %w", err)
	}
	return fresh, nil
}

// markFact notes a fact; false means that it was known. A stand-in forgets it when it forgets the event.
func (s *Server) markFact(ctx context.Context, tx *sql.Tx, r *request, e event, m eventMark, now time.Time) (fresh bool, err error) {
	if s.sender != nil {
		return changed(tx.ExecContext(ctx, `
			INSERT INTO events (tenant, environment, id, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			m.tenant, r.environment, "fact "+m.fact, now.UnixNano()))
	}
	return changed(tx.ExecContext(ctx, `
		INSERT INTO facts (tenant, environment, type, fact) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		m.tenant, r.environment, e.Type, m.fact))
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
	if !fresh && !s.broken(webhookNotDeduplicated) {
		return s.repeated(ctx, tx, r, e, now)
	}
	if s.broken(webhookBoundedStore) {
		if err := s.forgetOtherEvents(ctx, tx, r, e); err != nil {
			return answer{}, err
		}
	}
	return s.act(ctx, tx, r, e, now)
}

// repeated answers the repeat of an event whose work is done.
func (s *Server) repeated(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) (answer, error) {
	switch {
	case s.broken(webhookRepeatRefused):
		return answer{}, problem{Status: http.StatusConflict, Code: "duplicate_event", Detail: "This event was received before."}
	case s.broken(webhookLostRace500):
		return answer{}, errEventTwice
	case s.broken(webhookMailPerDelivery):
		if err := s.mailEventAgain(ctx, tx, r, e, now); err != nil {
			return answer{}, err
		}
	case s.broken(webhookForgetsRepeated):
		if err := s.forgetRepeated(ctx, tx, r, e, now); err != nil {
			return answer{}, err
		}
	}
	return s.duplicateEvent()
}

// duplicateEvent acknowledges a repeat: whoever sends it must learn that
// there is no need to send it again.
func (s *Server) duplicateEvent() (answer, error) {
	reply, err := jsonAnswer(http.StatusOK, eventAnswer{Status: "duplicate"})
	if err != nil {
		return answer{}, err
	}
	return s.sender.answered(reply, true)
}

// act does what an event asks for.
func (s *Server) act(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) (answer, error) {
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
	reply, err := jsonAnswer(http.StatusAccepted, out)
	if err != nil {
		return answer{}, err
	}
	return s.sender.answered(reply, false)
}
