package burst_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// racy is the target of the benchmark: it checks whether a round was executed, spins for an exact window, and executes.
// It notes when it had read each body.
type racy struct {
	mu     sync.Mutex
	rounds map[string]*racyRound
}

// racyRound is what came of one round.
type racyRound struct {
	Arrivals []time.Duration // when each body was read, since the start of the target
	Executed int
	seen     bool
	meeting  chan struct{}
}

// roleVariable makes the test binary a process of its own beside the benchmark, so that the collector and the scheduler
// of the sender are not those of the target.
const roleVariable = "IDEMCHECK_BURST_ROLE"

// addresses is what a process of the benchmark says when it is ready.
type addresses struct {
	URLs map[string]string // by the name of a way
	Cert []byte            // DER, of those with TLS
}

// runTarget serves until standard input ends.
func runTarget() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1 << 30)
	t := &racy{rounds: map[string]*racyRound{}}
	says := addresses{URLs: map[string]string{}}
	for _, way := range ways {
		server := httptest.NewUnstartedServer(t.routes())
		way.start(server)
		says.URLs[way.name] = server.URL
		if way.tls {
			says.Cert = server.Certificate().Raw
		}
	}
	json.NewEncoder(os.Stdout).Encode(says)
	io.Copy(io.Discard, os.Stdin)
}

func (t *racy) routes() http.Handler {
	began := time.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /meet/{round}/{n}", t.meet)
	mux.HandleFunc("GET /result/{round}", t.result)
	mux.HandleFunc("POST /body/{round}/{window}", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		at := time.Since(began)
		round := t.round(r)
		fresh := t.check(round)
		spin(r.PathValue("window"))
		t.execute(round, fresh, at)
	})
	mux.HandleFunc("POST /wait/{round}/{window}", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		at := time.Since(began)
		round := t.round(r)
		fresh := t.check(round)
		time.Sleep(arrivalWait)
		t.execute(round, fresh, at)
	})
	mux.HandleFunc("POST /header/{round}/{window}", func(w http.ResponseWriter, r *http.Request) {
		round := t.round(r)
		fresh := t.check(round)
		io.Copy(io.Discard, r.Body)
		at := time.Since(began)
		spin(r.PathValue("window"))
		t.execute(round, fresh, at)
	})
	return mux
}

func (t *racy) round(r *http.Request) *racyRound {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := r.PathValue("round")
	if t.rounds[name] == nil {
		t.rounds[name] = &racyRound{meeting: make(chan struct{})}
	}
	return t.rounds[name]
}

func (t *racy) check(round *racyRound) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !round.seen
}

// arrivalWait is how long the target waits after it has read a body, as for a database, where the arrival is measured:
// on the same processors its own answers would keep it from reading.
const arrivalWait = 2 * time.Millisecond

// spin waits for so many nanoseconds without giving up the processor: a sleep of less than a millisecond takes one.
func spin(window string) {
	n, _ := strconv.ParseInt(window, 10, 64)
	for began := time.Now(); time.Since(began) < time.Duration(n); {
	}
}

func (t *racy) execute(round *racyRound, fresh bool, at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	round.seen = true
	if fresh {
		round.Executed++
	}
	round.Arrivals = append(round.Arrivals, at)
}

// meet answers when n requests are there: a client then has n connections.
func (t *racy) meet(w http.ResponseWriter, r *http.Request) {
	round := t.round(r)
	t.mu.Lock()
	round.Executed++
	if strconv.Itoa(round.Executed) == r.PathValue("n") {
		close(round.meeting)
	}
	t.mu.Unlock()
	<-round.meeting
}

func (t *racy) result(w http.ResponseWriter, r *http.Request) {
	round := t.round(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	json.NewEncoder(w).Encode(round)
	delete(t.rounds, r.PathValue("round"))
}
