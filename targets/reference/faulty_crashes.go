package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// This file holds the wrong ways to divide the work into transactions, which
// show when the process dies or the client hangs up in between. Only the
// defects lead here.

// wrongTransact is the way of a defect that does the work of a claim in wrong
// transactions; nil is the right way.
func (s *Server) wrongTransact() func(context.Context, *attempt, claim) (answer, error) {
	switch {
	case s.broken(recordBeforeKey):
		return s.transactTwice
	case s.broken(undeliveredGivesKeyBack):
		return s.transactDelivered
	case s.broken(workLostOnHangUp):
		return s.transactInVain
	case s.broken(answerInSecondTransaction):
		return s.transactLate
	case s.broken(answersBeforeCommit):
		return s.transactAnswered
	case s.broken(commitsOnHangUp):
		return s.transactForClient
	case s.broken(batchRowByRow):
		return s.transactRows
	case s.broken(mailBeforeCommit):
		return s.transactMailed
	}
	return nil
}

// hangsUp waits, up to the window, for the client to hang up, and reports
// whether it has. net/http notices that once the body is read.
func hangsUp(client context.Context, window time.Duration) bool {
	_ = pause(client, window) // either way, the context tells
	return client.Err() != nil
}

// transactInVain is like transact, but undoes the work of a client that has
// hung up, and keeps its success under the key (work-lost-on-hang-up).
func (s *Server) transactInVain(ctx context.Context, a *attempt, held claim) (answer, error) {
	if hangsUp(a.Context(), s.faults.window[workLostOnHangUp]) {
		work := a.work
		a.work = func(ctx context.Context, tx *sql.Tx, now time.Time) (answer, error) {
			reply, err := work(ctx, tx, now)
			if err != nil {
				return answer{}, err
			}
			return reply, s.undo(ctx, tx, reply)
		}
	}
	return s.transact(ctx, a, held)
}

// transactTwice commits the record first and completes the claim in a second
// transaction, unless the client hangs up in between (record-before-key).
func (s *Server) transactTwice(ctx context.Context, a *attempt, held claim) (answer, error) {
	reply, err := s.transactWith(ctx, a, held, completeNothing)
	if err != nil {
		return answer{}, err
	}
	if hangsUp(a.Context(), s.faults.window[recordBeforeKey]) {
		return answer{}, fmt.Errorf("store the key: %w", context.Cause(a.Context()))
	}
	return reply, s.completeLate(ctx, a, held, reply)
}

// transactDelivered commits the record first and completes the claim when its
// answer is delivered: it sends one half, and does not if the client has hung
// up by then (undelivered-gives-key-back).
func (s *Server) transactDelivered(ctx context.Context, a *attempt, held claim) (answer, error) {
	reply, err := s.transactWith(ctx, a, held, completeNothing)
	if err != nil {
		return answer{}, err
	}
	a.answered = true
	half, rest := reply, reply.Body[len(reply.Body)/2:]
	half.Body = reply.Body[:len(reply.Body)/2]
	a.w.Header().Set("Content-Length", strconv.Itoa(len(reply.Body)))
	_ = errors.Join(put(a.w, half), http.NewResponseController(a.w).Flush()) // the context tells
	if hangsUp(a.Context(), s.faults.window[undeliveredGivesKeyBack]) {
		return answer{}, fmt.Errorf("deliver the answer: %w", context.Cause(a.Context()))
	}
	if err := s.completeLate(ctx, a, held, reply); err != nil {
		return answer{}, err
	}
	if _, err := a.w.Write(rest); err != nil {
		s.options.Logger.Debug("answer not delivered", "path", a.URL.Path, "error", err)
	}
	return reply, nil
}

// transactLate commits the record first and completes the claim in a second
// transaction (answer-in-second-transaction).
func (s *Server) transactLate(ctx context.Context, a *attempt, held claim) (answer, error) {
	reply, err := s.transactWith(ctx, a, held, completeNothing)
	if err != nil {
		return answer{}, err
	}
	return reply, s.completeLate(ctx, a, held, reply)
}

// completeNothing leaves the claim as it is.
func completeNothing(context.Context, *sql.Tx, *attempt, claim, answer, time.Time) error { return nil }

// completeLate completes a claim in a transaction of its own.
func (s *Server) completeLate(ctx context.Context, a *attempt, held claim, reply answer) error {
	return s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		return s.complete(ctx, tx, a, held, reply, now)
	})
}

// transactAnswered answers before it commits (answers-before-commit). Nobody
// but a crash can tell: whoever comes after the answer waits for the commit.
func (s *Server) transactAnswered(ctx context.Context, a *attempt, held claim) (answer, error) {
	reply, err := s.transactWith(ctx, a, held,
		func(ctx context.Context, tx *sql.Tx, a *attempt, held claim, reply answer, now time.Time) error {
			if err := s.complete(ctx, tx, a, held, reply, now); err != nil {
				return err
			}
			s.races.answered.Lock()
			return s.answerNow(ctx, a.request, reply)
		})
	if a.answered {
		s.races.answered.Unlock()
	}
	return reply, err
}

// answerNow sends an answer whole, and waits before what comes after it. The
// rest goes its way also if the client is gone.
func (s *Server) answerNow(ctx context.Context, r *request, reply answer) error {
	r.answered = true
	if len(reply.Body) > 0 { // so that the client need not wait for the end of the handler
		r.w.Header().Set("Content-Length", strconv.Itoa(len(reply.Body)))
	}
	if err := errors.Join(put(r.w, reply), http.NewResponseController(r.w).Flush()); err != nil {
		s.options.Logger.Debug("answer not delivered", "path", r.URL.Path, "error", err)
	}
	return pause(ctx, s.faults.window[answersBeforeCommit])
}

// awaitCommit waits for the commit of what was answered already.
func (r *races) awaitCommit() {
	r.answered.Lock()
	defer r.answered.Unlock()
}

// transactForClient commits the record of a client that has hung up, but does
// not complete its claim, which is then given back (commits-on-hang-up). All
// is in one transaction, so that a crash does no harm.
func (s *Server) transactForClient(ctx context.Context, a *attempt, held claim) (answer, error) {
	var gone error
	reply, err := s.transactWith(ctx, a, held,
		func(ctx context.Context, tx *sql.Tx, a *attempt, held claim, reply answer, now time.Time) error {
			if gone = context.Cause(a.Context()); gone != nil {
				return nil
			}
			return s.complete(ctx, tx, a, held, reply, now)
		})
	if err == nil && gone != nil {
		err = fmt.Errorf("store the answer: %w", gone)
	}
	return reply, err
}

// transactRows commits each row of a batch by itself, and then the answer
// (batch-row-by-row). The rows of a batch that is refused are removed again,
// so that only a crash leaves some behind.
func (s *Server) transactRows(ctx context.Context, a *attempt, held claim) (answer, error) {
	var done batchAnswer
	for _, row := range a.rows {
		t, err := s.commitRow(ctx, a, held, row)
		if err != nil { // the right way says what is wrong with the row
			if undone := s.undoRows(ctx, done); undone != nil {
				return answer{}, errors.Join(err, undone)
			}
			done.Results = nil
			break
		}
		done.Results = append(done.Results, t)
	}
	if len(done.Results) > 0 {
		a.work = func(context.Context, *sql.Tx, time.Time) (answer, error) { return jsonAnswer(http.StatusCreated, done) }
	}
	reply, err := s.transact(ctx, a, held)
	if err != nil {
		_ = s.undoRows(ctx, done) // the failure is told already
	}
	return reply, err
}

// commitRow creates one row of a batch in a transaction of its own.
func (s *Server) commitRow(ctx context.Context, a *attempt, held claim, row json.RawMessage) (t task, err error) {
	err = s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.ledger.hold(ctx, tx, held, now); err != nil {
			return err
		}
		t, err = s.createRow(ctx, tx, a.request, row, now)
		return err
	})
	return t, err
}

// undoRows removes rows that were committed.
func (s *Server) undoRows(ctx context.Context, rows batchAnswer) error {
	reply, err := jsonAnswer(http.StatusCreated, rows)
	if err != nil || len(rows.Results) == 0 {
		return err
	}
	return s.transaction(ctx, func(tx *sql.Tx) error { return s.undo(ctx, tx, reply) })
}

// transactMailed commits the mail of a new task before the task
// (mail-before-commit).
func (s *Server) transactMailed(ctx context.Context, a *attempt, held claim) (answer, error) {
	if a.op.name != createTaskOperation {
		return s.transact(ctx, a, held)
	}
	err := s.transaction(ctx, func(tx *sql.Tx) error {
		now, err := s.now(ctx, tx)
		if err != nil {
			return err
		}
		if a.gate(ctx, tx) != nil { // the transaction of the task says why
			return nil
		}
		return s.mailAhead(ctx, tx, a, now)
	})
	if err != nil {
		return answer{}, err
	}
	return s.transact(ctx, a, held)
}

// mailAhead writes the mail of a task that does not exist yet. Its body has
// the note, as that of every mail has.
func (s *Server) mailAhead(ctx context.Context, tx *sql.Tx, a *attempt, now time.Time) error {
	var in taskInput
	if err := decode(a.body, &in); err != nil {
		return err
	}
	ahead := mail{Kind: "task-created", To: "review desk", Body: "A task: " + in.Note}
	if err := s.send(ctx, tx, a.request, ahead, now); err != nil {
		return err
	}
	return tx.QueryRowContext(ctx, `SELECT last_insert_rowid()`).Scan(&a.mailed)
}

// addressMail says what a mail that was written ahead is about.
func (s *Server) addressMail(ctx context.Context, tx *sql.Tx, seq int64, m mail) error {
	_, err := tx.ExecContext(ctx, `UPDATE mails SET recipient = ?, about = ?, body = ? WHERE seq = ?`, m.To, m.about, m.Body, seq)
	if err != nil {
		return fmt.Errorf("address the mail: %w", err)
	}
	return nil
}
