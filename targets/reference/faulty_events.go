package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// This file holds the wrong ways to receive an event. Only the defects lead
// here.

// errEventTwice is the unique constraint that nobody expected to be broken.
var errEventTwice = errors.New("insert the event: UNIQUE constraint failed")

// eventMark is what is written down about an event that is done.
type eventMark struct {
	tenant, id string
	fact       string // empty for none
}

// markOf is the mark of an event. Who takes too many events for new does not
// know better of facts.
func (s *Server) markOf(r *request, e event) eventMark {
	m := eventMark{r.caller.tenant, e.identity(), e.Fact}
	switch {
	case s.broken(webhookTenantNotInID):
		m.tenant = "*"
	case s.broken(webhookSourceNotInID):
		m.id = e.ID
	case s.broken(webhookDedupeByPayload):
		m.id = e.Type + " " + e.Data.Account + " " + e.Data.Note
	case s.broken(webhookFactIgnored), s.broken(webhookBoundedStore), s.broken(webhookForgetsEarly), s.broken(webhookForgetsRepeated):
		m.fact = ""
	case s.broken(webhookBodyInID):
		m.id, m.fact = m.id+" "+strconv.Quote(string(r.body)), ""
	case s.broken(webhookPerProcess):
		m.id, m.fact = m.id+" "+s.instance, ""
	}
	return m
}

// wrongReceipt is the way of a defect that receives an event wrongly; nil is
// the right way.
func (s *Server) wrongReceipt() func(context.Context, *request, event) (answer, error) {
	switch {
	case s.broken(webhookLooksFirst), s.broken(webhookLostRace500):
		return s.receiveAfterLook
	case s.broken(webhookMarkedTooEarly):
		return s.receiveMarked
	case s.broken(webhookMarkedIfHeard):
		return s.receiveHeard
	case s.broken(webhookAcksFirst):
		return s.receiveLater
	}
	return nil
}

// receiveAfterLook looks whether an event is marked. If not, the work is done
// whatever the mark says by then (webhook-looks-first), or it is an error that
// the event is marked by then (webhook-lost-race-500).
func (s *Server) receiveAfterLook(ctx context.Context, r *request, e event) (answer, error) {
	if known, err := s.marked(ctx, r, e); err != nil || known {
		return s.acknowledgedOr(err)
	}
	if s.broken(webhookLostRace500) {
		if err := hesitate(ctx, s.faults.window[webhookLostRace500]); err != nil {
			return answer{}, err
		}
		return s.receiveOnce(ctx, r, e)
	}
	if err := (&attempt{request: r}).begin(ctx); err != nil {
		return answer{}, err
	}
	if err := hesitate(ctx, s.faults.window[webhookLooksFirst]); err != nil {
		return answer{}, err
	}
	return s.workOn(ctx, r, e, true)
}

// marked looks whether an event is marked.
func (s *Server) marked(ctx context.Context, r *request, e event) (known bool, err error) {
	m := s.markOf(r, e)
	err = s.store.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE tenant = ? AND environment = ? AND id = ?)`,
		m.tenant, r.environment, m.id).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for the event: %w", err)
	}
	return known, nil
}

// workOn does the work of an event without asking whether it is done, and
// marks it or not.
func (s *Server) workOn(ctx context.Context, r *request, e event, mark bool) (reply answer, err error) {
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if mark {
			if _, err := s.mark(ctx, tx, r, e, now); err != nil {
				return err
			}
		}
		reply, err = s.act(ctx, tx, r, e, now)
		return err
	})
	return reply, err
}

// markAlone marks an event in a transaction of its own.
func (s *Server) markAlone(ctx context.Context, r *request, e event) (fresh bool, err error) {
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		fresh, err = s.mark(ctx, tx, r, e, now)
		return err
	})
	return fresh, err
}

// markForged marks an event whose signature does not fit
// (webhook-marked-unchecked).
func (s *Server) markForged(ctx context.Context, r *request) error {
	if !s.broken(webhookMarkedUnchecked) {
		return nil
	}
	e, err := s.readEvent(r)
	if err != nil {
		return err
	}
	_, err = s.markAlone(ctx, r, e)
	return err
}

// receiveMarked marks an event before its work, which may still fail
// (webhook-marked-too-early).
func (s *Server) receiveMarked(ctx context.Context, r *request, e event) (answer, error) {
	if fresh, err := s.markAlone(ctx, r, e); err != nil || !fresh {
		return s.acknowledgedOr(err)
	}
	if err := (&attempt{request: r}).begin(ctx); err != nil {
		return answer{}, err
	}
	return s.workOn(ctx, r, e, false)
}

// receiveHeard does the work of an event, and marks it unless its sender hangs
// up within the window (webhook-marked-if-heard).
func (s *Server) receiveHeard(ctx context.Context, r *request, e event) (answer, error) {
	if known, err := s.marked(ctx, r, e); err != nil || known {
		return s.acknowledgedOr(err)
	}
	reply, err := s.workOn(ctx, r, e, false)
	if err != nil {
		return answer{}, err
	}
	if err := pause(r.Context(), s.faults.window[webhookMarkedIfHeard]); err != nil {
		return answer{}, fmt.Errorf("mark the event: %w", err)
	}
	_, err = s.markAlone(ctx, r, e)
	return reply, err
}

// receiveLater marks an event, acknowledges it, and leaves its work to
// somebody who has it in memory only (webhook-acks-first).
func (s *Server) receiveLater(ctx context.Context, r *request, e event) (answer, error) {
	if fresh, err := s.markAlone(ctx, r, e); err != nil || !fresh {
		return s.acknowledgedOr(err)
	}
	go func() {
		err := pause(ctx, s.faults.window[webhookAcksFirst])
		if err == nil {
			_, err = s.workOn(ctx, r, e, false)
		}
		if err != nil {
			s.options.Logger.Error("event not worked on", "error", err)
		}
	}()
	return jsonAnswer(http.StatusAccepted, eventAnswer{Status: "accepted"})
}

// acknowledgedOr acknowledges a repeat, unless something went wrong.
func (s *Server) acknowledgedOr(err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return s.duplicateEvent()
}

// mailEventAgain sends the mail of an event's task again (webhook-mail-per-delivery).
func (s *Server) mailEventAgain(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) error {
	var seq int64
	err := tx.QueryRowContext(ctx, `SELECT seq FROM tasks WHERE tenant = ? AND environment = ? AND event = ? AND account = ?`,
		r.caller.tenant, r.environment, e.Data.Event, e.Data.Account).Scan(&seq)
	if err != nil {
		return fmt.Errorf("find the task of the event: %w", err)
	}
	id := "D" + strconv.FormatInt(seq, 10)
	return s.send(ctx, tx, r, mail{Kind: "task-created", To: "review desk", about: id, Body: "Task " + id + ": " + e.Data.Note}, now)
}

// forgetOtherEvents keeps only the mark of one event (webhook-bounded-store).
func (s *Server) forgetOtherEvents(ctx context.Context, tx *sql.Tx, r *request, e event) error {
	m := s.markOf(r, e)
	_, err := tx.ExecContext(ctx, `DELETE FROM events WHERE tenant = ? AND environment = ? AND id <> ?`, m.tenant, r.environment, m.id)
	if err != nil {
		return fmt.Errorf("forget other events: %w", err)
	}
	return nil
}

// forgetOldEvents drops the marks that are older than a stand-in keeps them,
// or than a day (webhook-forgets-early).
func (s *Server) forgetOldEvents(ctx context.Context, tx *sql.Tx, now time.Time) error {
	kept := s.sender.remembered()
	if s.broken(webhookForgetsEarly) {
		kept = 24 * time.Hour
	}
	if kept == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM events WHERE received_at < ?`, now.Add(-kept).UnixNano())
	if err != nil {
		return fmt.Errorf("forget old events: %w", err)
	}
	return nil
}

// forgetRepeated notes that an event came again, and drops its mark when it has come four times
// (webhook-forgets-repeated).
func (s *Server) forgetRepeated(ctx context.Context, tx *sql.Tx, r *request, e event, now time.Time) error {
	const most = 3 // repeats
	m := s.markOf(r, e)
	var repeats int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM events WHERE tenant = ? AND environment = ? AND substr(id, 1, ?) = ?`,
		m.tenant, r.environment, len(m.id)+1, m.id+"#").Scan(&repeats)
	if err == nil && repeats+1 < most {
		_, err = tx.ExecContext(ctx, `INSERT INTO events (tenant, environment, id, received_at) VALUES (?, ?, ?, ?)`,
			m.tenant, r.environment, fmt.Sprint(m.id, "#", repeats), now.UnixNano())
	} else if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM events WHERE tenant = ? AND environment = ? AND substr(id, 1, ?) = ?`,
			m.tenant, r.environment, len(m.id), m.id)
	}
	if err != nil {
		return fmt.Errorf("count how often an event came: %w", err)
	}
	return nil
}

// badRowAnswer is the refusal of a batch whose first rows are there to stay
// (batch-partial-commit).
func badRowAnswer(err error) answer { return problemOf(err).answer() }
