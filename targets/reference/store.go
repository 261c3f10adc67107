package reference

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// schema creates what is missing; it is safe to run by every process.
//
//go:embed schema.sql
var schema string

// store is one SQLite file, shared by any number of processes.
//
// The file is in WAL mode, so readers never wait for the writer. Every write
// transaction begins with BEGIN IMMEDIATE: it takes the write lock at once
// and cannot fail later for having read before it wrote. Inside one process a
// mutex puts the writers in a row, and wakes the next one at once. Between
// processes SQLite can only ask again and again; see begin.
//
// Work is committed with synchronous=FULL: an answer that left the house is
// on the disk, even if the power fails. Claims use NORMAL, which survives the
// death of the process but not that of the machine: a claim that is lost
// with the power had no work done under it, since the commit of the work
// would have brought the claim to the disk as well. It saves half of the
// disk flushes.
type store struct {
	reads, claims, work *sql.DB
	writing             sync.Mutex
}

// querier is what reading needs: a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// openStore opens the file, and creates it and its tables when missing.
func openStore(path string) (*store, error) {
	st := &store{}
	var err error
	if st.work, err = openPool(path, "FULL", 1); err != nil {
		return nil, err
	}
	if err := prepare(st.work, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("create the tables in %s: %w", path, err), st.close())
	}
	if st.claims, err = openPool(path, "NORMAL", 1); err != nil {
		return nil, errors.Join(err, st.close())
	}
	if st.reads, err = openPool(path, "NORMAL", 8); err != nil {
		return nil, errors.Join(err, st.close())
	}
	for _, pool := range []*sql.DB{st.work, st.claims} { // see begin; each has one connection
		if err := prepare(pool, `PRAGMA busy_timeout = 2`); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), st.close())
		}
	}
	return st, nil
}

// prepare runs statements that may be run twice. SQLite does not wait for the
// lock where two that wait could wait for each other, as when one goes from
// reading to writing or turns WAL on; it says at once that the file is busy,
// and is asked again.
func prepare(pool *sql.DB, statements string) error {
	for begun := time.Now(); ; {
		_, err := pool.ExecContext(context.Background(), statements)
		if !isBusy(err) || time.Since(begun) > patience {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// openPool opens connections to the file with one level of durability.
func openPool(path, synchronous string, size int) (*sql.DB, error) {
	settings := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")", "foreign_keys(1)"},
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + settings.Encode()
	pool, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool, nil
}

// write runs do in one write transaction of the pool and commits it, unless
// do returns an error.
func (st *store) write(ctx context.Context, pool *sql.DB, do func(*sql.Tx) error) error {
	return st.writeWith(ctx, pool, do, (*sql.Tx).Commit)
}

// writeWith is write with another way to commit.
func (st *store) writeWith(ctx context.Context, pool *sql.DB, do, commit func(*sql.Tx) error) error {
	st.writing.Lock()
	defer st.writing.Unlock()
	tx, err := begin(ctx, pool)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after the commit
	if err := do(tx); err != nil {
		return err
	}
	if err := commit(tx); err != nil {
		return fmt.Errorf("commit a transaction: %w", err)
	}
	return nil
}

// patience is how long a writer waits for those of other processes.
const patience = 5 * time.Second

// begin begins a write transaction. SQLite waits longer before each new look
// at the lock, up to 100 ms, and so a process that writes all the time starves
// the others. The pools for writing therefore look twice, a millisecond apart,
// and are asked again here.
func begin(ctx context.Context, pool *sql.DB) (*sql.Tx, error) {
	for begun := time.Now(); ; {
		tx, err := pool.BeginTx(ctx, nil)
		if !isBusy(err) || time.Since(begun) > patience {
			return tx, err
		}
	}
}

// isBusy reports whether another process holds the lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// close closes what is open.
func (st *store) close() error {
	var errs []error
	for _, pool := range []*sql.DB{st.reads, st.claims, st.work} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}
