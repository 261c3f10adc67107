package observe

import (
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// readOnly makes sure that a query only reads. SQLite has no read-only transactions, and its driver runs several
// statements in a row: each could undo what the URI forbids (pragma query_only, attach).
func readOnly(conn *sql.Conn, query string) error {
	if !oneStatement(query) {
		return errors.New("the query has several statements")
	}
	return conn.Raw(func(c any) error {
		r, ok := c.(sqlite.AuthorizerRegisterer)
		if !ok {
			return fmt.Errorf("make the connection read-only: %T has no authorizer", c)
		}
		return r.RegisterAuthorizer(mayRead)
	})
}

// mayRead allows what a query needs and the transaction around it.
func mayRead(action sqlite.AuthorizerActionCode, _, _, _, _ string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthFunction, sqlite.AuthRecursive, sqlite.AuthTransaction:
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}
