package observe

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	keptFor  = 250 * time.Millisecond // how long a connection is idle
	partsFor = time.Second            // how long it takes to close in good order
)

// idle is a connection that waits for the next query.
type idle struct {
	conn  *pgconn.PgConn
	timer *time.Timer // closes it
}

// take gives a connection that was kept; nil: there is none.
func (p *postgres) take() *pgconn.PgConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		last := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if last.timer.Stop() {
			return last.conn
		}
	}
	return nil
}

// keep keeps a connection for a moment.
func (p *postgres) keep(conn *pgconn.PgConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := &idle{conn: conn}
	kept.timer = time.AfterFunc(keptFor, func() {
		p.mu.Lock()
		p.idle = slices.DeleteFunc(p.idle, func(i *idle) bool { return i == kept })
		p.mu.Unlock()
		goodbye(conn)
	})
	p.idle = append(p.idle, kept)
}

// close closes what is kept.
func (p *postgres) close() error {
	for conn := p.take(); conn != nil; conn = p.take() {
		goodbye(conn)
	}
	return nil
}

// goodbye closes a connection. It ends the transaction too; there is nothing to keep.
func goodbye(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), partsFor)
	defer cancel()
	_ = conn.Close(ctx)
}
