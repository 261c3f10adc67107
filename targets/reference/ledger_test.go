package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// claimAs claims the key k for an owner whose process then vanishes.
func (s *service) claimAs(owner string) claim {
	s.t.Helper()
	id := identity{scope: "T1/production/" + createTaskOperation, key: "k"}
	err := s.server.store.write(context.Background(), s.server.store.claims, func(tx *sql.Tx) error {
		_, made, err := s.server.ledger.claim(context.Background(), tx,
			entry{identity: id, operation: createTaskOperation, owner: owner}, s.server.options.Now())
		if err == nil && !made {
			err = errors.New("the key is taken")
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return claim{id, owner}
}

func TestTakeoverFromDeadOwner(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	s := start(t, Options{Now: clock.Now, Lease: 2 * time.Second})
	s.approve("E204", "A18")
	dead := s.claimAs("dead")
	// The row has no fingerprint, so any payload under it is another one.
	equal(t, "at once", statuses(s.task("k", body("a"))), "422")
	clock.advance(2*time.Second - 1)
	equal(t, "just before", statuses(s.task("k", body("a"))), "422")
	clock.advance(1)
	replies := atOnce(5, func(int) reply { return s.task("k", body("a")) })
	for _, r := range replies {
		if r.status != 201 && r.status != 409 {
			t.Errorf("takeover at once: %d %s", r.status, r.body)
		}
	}
	equal(t, "records", s.total(), "1 tasks 0 notes 1 mails")

	// The dead owner comes back: it can neither hold, complete nor release.
	ctx := context.Background()
	err := s.server.store.write(ctx, s.server.store.work, func(tx *sql.Tx) error {
		for _, err := range []error{
			s.server.ledger.hold(ctx, tx, dead, clock.Now()),
			s.server.ledger.complete(ctx, tx, dead, answer{Status: 200}, clock.Now()),
		} {
			if !errors.Is(err, errClaimLost) {
				t.Errorf("got %v, want errClaimLost", err)
			}
		}
		return s.server.ledger.release(ctx, tx, dead)
	})
	if err != nil {
		t.Error(err)
	}
	equal(t, "replay", statuses(s.task("k", body("a"))), "201")
}

// TestSlowOwnerUndoesItsWork takes a claim away from an attempt that runs.
func TestSlowOwnerUndoesItsWork(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	s := start(t, Options{Now: clock.Now, Lease: time.Hour}) // its heartbeat comes too late
	s.approve("E204", "A18")
	slow := s.whileRunning(func() reply { return s.task("k", body("a"), "Test-Slow: 500ms") }, func() {
		clock.advance(time.Hour)
		equal(t, "takeover", statuses(s.task("k", body("a"))), "201")
	})
	equal(t, "slow owner", text(slow.status, slow.field("code")), "409 idempotency_in_flight")
	equal(t, "records", s.total(), "1 tasks 0 notes 1 mails")
}

// TestTwoServersOnOneFile sends every key to both servers at once.
func TestTwoServersOnOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odd name?#%.db")
	var servers [2]*service
	for i := range servers {
		servers[i] = start(t, Options{Path: path})
	}
	servers[0].approve("E204", "A18")
	const keys = 15
	var all sync.WaitGroup
	for k := range keys {
		all.Go(func() {
			ids := map[string]bool{}
			for _, r := range atOnce(4, func(i int) reply { return servers[i%2].task(fmt.Sprint("k", k), body("a")) }) {
				switch r.status {
				case 201:
					ids[r.field("id")] = true
				case 409:
				default:
					t.Errorf("key %d: %d %s", k, r.status, r.body)
				}
			}
			if len(ids) != 1 {
				t.Errorf("key %d has the ids %v", k, ids)
			}
		})
	}
	all.Wait()
	equal(t, "records", servers[1].total(), fmt.Sprintf("%d tasks 0 notes %[1]d mails", keys))
}

// TestOpenAtOnce opens a new file from many servers at the same time.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	replies := atOnce(6, func(int) reply {
		server, err := New(Options{Path: path})
		if err != nil {
			t.Error(err)
			return reply{}
		}
		return reply{body: fmt.Sprint(server.Close())}
	})
	for _, r := range replies {
		equal(t, "close", r.body, "<nil>")
	}
}

func TestRestartKeepsKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	before := start(t, Options{Path: path})
	before.approve("E204", "A18")
	first := before.task("k", body("a"))
	if err := before.server.Close(); err != nil {
		t.Fatal(err)
	}
	after := start(t, Options{Path: path})
	equal(t, "replay", after.task("k", body("a")).body, first.body)
}

func TestPanicReleasesTheClaim(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	s.approve("E204", "A18")
	func() {
		defer func() { _ = recover() }()
		a := &attempt{request: &request{caller: callers[0], environment: production}, op: operation{name: createTaskOperation}, key: "k", keyed: true}
		a.op.prepare = func(a *attempt) error {
			a.work = func(context.Context, *sql.Tx, time.Time) (answer, error) { panic("boom") }
			return nil
		}
		reply, err := s.server.perform(context.Background(), a)
		t.Errorf("no panic, but %v %v", reply, err)
	}()
	equal(t, "retry", statuses(s.task("k", body("a"))), "201")
}

func TestServerErrorsShowNothing(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	if err := s.server.store.reads.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.send("GET /v1/tasks", "")
	equal(t, "status", text(got.status, got.field("code"), strings.Contains(got.body, "sql")), "500 internal false")
}
