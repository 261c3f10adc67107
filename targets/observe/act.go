package observe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Value asks a database one question, read-only, and gives the first column of the only row as text. Errors never
// contain the DSN.
func Value(ctx context.Context, q targets.SQLQuery, vars targets.Vars) (text string, err error) {
	args, err := expandAll(q.Args, vars)
	if err != nil {
		return "", err
	}
	if !reads(q.Query) {
		return "", errors.New("the query must begin with select, with, values or table")
	}
	src, err := openSource(q.DSN)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, src.db.close()) }()
	found, err := src.db.query(ctx, q.Query, args)
	if err != nil {
		return "", (&query{source: src}).failed(err)
	}
	if len(found.rows) != 1 || len(found.columns) == 0 || found.rows[0][0] == nil {
		return "", fmt.Errorf("query %s: %d rows where one value is needed", src.name, len(found.rows))
	}
	return plainCell(found.rows[0][0]), nil
}

// plainCell is cellText without the exponent that large numbers would be written with.
func plainCell(cell any) string {
	if f, ok := cell.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return cellText(cell)
}

// Execute carries out statements of the user's own in one transaction, and gives how many rows they changed. It is how a
// target's time is moved by SQL; observers only read. Errors never contain the DSN.
func Execute(ctx context.Context, dsn string, statements []targets.Statement, vars targets.Vars) (changed int64, err error) {
	expanded := make([]targets.Statement, len(statements))
	for i, s := range statements {
		args, err := expandAll(s.Args, vars)
		if err != nil {
			return 0, err
		}
		if expanded[i] = (targets.Statement{Query: s.Query, Args: args}); !oneStatement(s.Query) {
			return 0, errors.New("one query holds several statements: write them one by one (statements)")
		}
	}
	src, err := openSource(dsn)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, src.db.close()) }()
	if changed, err = src.execute(ctx, dsn, expanded); err != nil {
		return 0, fmt.Errorf("change %s: %s", src.name, src.hide(err.Error()))
	}
	return changed, nil
}

func (s source) execute(ctx context.Context, dsn string, statements []targets.Statement) (int64, error) {
	if p, ok := s.db.(*postgres); ok {
		return p.execute(ctx, statements)
	}
	if s.name != "sqlite" {
		return executeIn(ctx, s.db.(*pool).db, statements)
	}
	uri, err := sqliteURI(dsn)
	if err != nil {
		return 0, err
	}
	uri = strings.NewReplacer("?mode=ro&", "?mode=rw&", "&_query_only=1", "").Replace(uri)
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	return executeIn(ctx, db, statements)
}

func executeIn(ctx context.Context, db *sql.DB, statements []targets.Statement) (changed int64, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // a no-op after the commit
	for _, s := range statements {
		values := make([]any, len(s.Args))
		for i, a := range s.Args {
			values[i] = a
		}
		done, err := tx.ExecContext(ctx, s.Query, values...)
		if err != nil {
			return 0, err
		}
		if n, err := done.RowsAffected(); err == nil {
			changed += n
		}
	}
	return changed, tx.Commit()
}

func (p *postgres) execute(ctx context.Context, statements []targets.Statement) (changed int64, err error) {
	conn, err := pgconn.ConnectConfig(ctx, p.config)
	if err != nil {
		return 0, err
	}
	defer goodbye(conn) // rolls back what was not committed
	if err := conn.Exec(ctx, "begin").Close(); err != nil {
		return 0, err
	}
	for _, s := range statements {
		values := make([][]byte, len(s.Args))
		for i, a := range s.Args {
			values[i] = []byte(a)
		}
		done, err := conn.ExecParams(ctx, s.Query, values, nil, nil, nil).Close()
		if err != nil {
			return 0, err
		}
		changed += done.RowsAffected()
	}
	return changed, conn.Exec(ctx, "commit").Close()
}

// Run carries out a command of the user's, without a shell and in a process group of its own. What it prints is dropped;
// when it fails, the end of its standard error is in the error.
func Run(ctx context.Context, spec targets.CommandCall, vars targets.Vars, d Deps) error {
	c := &command{spec: spec, deps: d.withDefaults()}
	cmd, err := c.prepare(ctx, vars)
	if err != nil {
		return err
	}
	errs := &tail{limit: maxErrors}
	cmd.Stdout, cmd.Stderr = &head{}, errs
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		killGroup(cmd)
		err = errors.New("it left a process behind that holds its output")
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("it was stopped: %w", ctx.Err())
	}
	if err != nil {
		return c.failed(err, errs.data)
	}
	return nil
}

func expandAll(args []string, vars targets.Vars) ([]string, error) {
	out := make([]string, len(args))
	for i, a := range args {
		text, err := targets.Expand(a, vars)
		if err != nil {
			return nil, fmt.Errorf("expand argument %d: %w", i+1, err)
		}
		out[i] = text
	}
	return out, nil
}
