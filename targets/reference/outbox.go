package reference

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// mail is a side effect: what would be sent because a record was created. It
// is written in the transaction of the record, so there is exactly one.
type mail struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	To        string `json:"to"`
	Task      string `json:"task,omitempty"`
	Note      string `json:"note,omitempty"`
	Body      string `json:"body"`
	CreatedAt string `json:"created_at"`

	about string
	seq   int64
}

// position is the place of the mail in a list.
func (m mail) position() int64 { return m.seq }

// send writes a mail into the outbox.
func (s *Server) send(ctx context.Context, tx *sql.Tx, r *request, m mail, now time.Time) error {
	if r.mailed != 0 {
		return s.addressMail(ctx, tx, r.mailed, m)
	}
	err := s.step(stepMail, func() error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO mails (tenant, environment, kind, recipient, about, body, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			r.caller.tenant, r.environment, m.Kind, m.To, m.about, m.Body, now.UnixNano())
		return err
	})
	if err != nil {
		return fmt.Errorf("write the mail: %w", err)
	}
	return nil
}

const selectMail = `SELECT seq, kind, recipient, about, body, created_at FROM mails`

// scanMail reads one mail.
func scanMail(row scanner) (m mail, err error) {
	var createdAt int64
	if err = row.Scan(&m.seq, &m.Kind, &m.To, &m.about, &m.Body, &createdAt); err != nil {
		return mail{}, fmt.Errorf("read a mail: %w", err)
	}
	m.ID, m.CreatedAt = "M"+strconv.FormatInt(m.seq, 10), timestamp(createdAt)
	if strings.HasPrefix(m.about, "D") {
		m.Task = m.about
	} else {
		m.Note = m.about
	}
	return m, nil
}
