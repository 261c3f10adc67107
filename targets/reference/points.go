package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The steps of an attempt. On either side of each it can be made to stand
// still, so that a test can kill the process there. The steps are where the
// store changes, and nothing that only reads is one: between two steps the
// store is always the same.
const (
	stepClaim   = "claim"         // the key is claimed, in a transaction of its own
	stepEvent   = "mark event"    // a webhook's
	stepTask    = "create task"   // once for each row of a batch
	stepNote    = "create note"   //
	stepDelete  = "delete record" //
	stepMail    = "queue mail"    // after each task and each note
	stepAnswer  = "store answer"  //
	stepCommit  = "commit"        // of the transaction of the work
	stepRelease = "release claim" // after a refusal or a failure
)

// steps lists them all, in the order in which they can be taken.
var steps = []string{stepClaim, stepEvent, stepTask, stepNote, stepDelete, stepMail, stepAnswer, stepCommit, stepRelease}

// The sides of a step.
const (
	before = "before"
	after  = "after"
)

// mostPassed bounds the list of the steps taken. The greatest batch takes
// about a fifth of it.
const mostPassed = 10_000

// longestWait bounds how long GET /admin/crash-points waits.
const longestWait = 10 * time.Second

// points are the crash points of one process: the steps that its attempts have
// taken, and at most one point at which the next of them stands still. None of
// it touches the store, because whoever stands still may hold its write lock.
// A nil *points has no points, and costs a comparison.
type points struct {
	mu     sync.Mutex
	passed []string
	armed  *point
	closed bool
}

// point is one side of the nth step with a label since the point was armed.
type point struct {
	Label      string `json:"label"`
	Occurrence int    `json:"occurrence"`
	Side       string `json:"side"`

	left     int           // how often it is still to be passed
	reached  chan struct{} // closed when somebody stands there
	released chan struct{} // closed when nobody has to stand there any more
}

// step takes one step of an attempt. If the attempt is made to stand still on
// either side and the server is closed meanwhile, it goes no further, as if
// the process had been killed. That the client hangs up changes nothing.
func (s *Server) step(label string, take func() error) error {
	if err := s.points.pass(label, before); err != nil {
		return err
	}
	if err := take(); err != nil {
		return err
	}
	return s.points.pass(label, after)
}

// pass goes past one side of a step, or stands still there.
func (p *points) pass(label, side string) error {
	if p == nil {
		return nil
	}
	at, err := p.note(label, side)
	if at == nil || err != nil {
		return err
	}
	<-at.released
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.whetherClosed()
}

// note writes a step down and returns the point at which to stand still, or nil.
func (p *points) note(label, side string) (*point, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.whetherClosed(); err != nil {
		return nil, err
	}
	if side == after && len(p.passed) < mostPassed {
		p.passed = append(p.passed, label)
	}
	at := p.armed
	if at == nil || at.Label != label || at.Side != side {
		return nil, nil
	}
	if at.left--; at.left != 0 { // also where somebody stands there already
		return nil, nil
	}
	close(at.reached)
	return at, nil
}

// whetherClosed is the end of an attempt whose server is closed. A process
// that is killed says nothing, and so the connection is dropped.
func (p *points) whetherClosed() error {
	if p.closed {
		return fmt.Errorf("the server was closed at a step: %w", errDrop)
	}
	return nil
}

// arm puts a point, or nil for none, in the place of the one before. Whoever
// stands there goes on.
func (p *points) arm(at *point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replace(at)
}

// release lets everybody go on, and forgets the steps.
func (p *points) release() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replace(nil)
	p.passed = nil
}

// close ends all attempts at the step that they are at.
func (p *points) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.replace(nil)
}

func (p *points) replace(at *point) {
	if p.armed != nil {
		close(p.armed.released)
	}
	p.armed = at
}

// await waits until the armed point is reached or given up, but not for longer
// than d.
func (p *points) await(ctx context.Context, d time.Duration) {
	p.mu.Lock()
	at := p.armed
	p.mu.Unlock()
	if at == nil || d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-at.reached:
	case <-at.released:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// pointsAnswer is the body of GET /admin/crash-points.
type pointsAnswer struct {
	Passed  []string `json:"passed"`
	Armed   *point   `json:"armed"`
	Reached bool     `json:"reached"`
}

// state says which steps were taken, what is armed and whether somebody stands there.
func (p *points) state() pointsAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := pointsAnswer{Passed: append([]string{}, p.passed...)}
	if p.armed == nil {
		return out
	}
	shown := *p.armed // the attempts change left
	out.Armed, out.Reached = &shown, shown.left <= 0
	return out
}

// showPoints answers GET /admin/crash-points, with ?wait= as soon as the armed
// point is reached.
func (s *Server) showPoints(ctx context.Context, r *request) (answer, error) {
	var wait time.Duration
	if text := r.URL.Query().Get("wait"); text != "" {
		var err error
		if wait, err = time.ParseDuration(text); err != nil || wait < 0 {
			return answer{}, invalid(fieldError{"wait", "must be a duration such as 2s"})
		}
	}
	s.points.await(ctx, min(wait, longestWait))
	return jsonAnswer(http.StatusOK, s.points.state())
}

// armPoint answers PUT /admin/crash-points.
func (s *Server) armPoint(_ context.Context, r *request) (answer, error) {
	var in struct {
		Label      string          `json:"label"`
		Occurrence json.RawMessage `json:"occurrence"` // a number, also as a text: templates write texts
		Side       string          `json:"side"`
	}
	if err := decode(r.body, &in); err != nil {
		return answer{}, err
	}
	var errs []fieldError
	if !slices.Contains(steps, in.Label) {
		errs = append(errs, fieldError{"label", "must be one of: " + strings.Join(steps, ", ")})
	}
	n, err := strconv.Atoi(strings.Trim(string(in.Occurrence), `"`))
	if err != nil || n < 1 {
		errs = append(errs, fieldError{"occurrence", "must be a count from 1"})
	}
	if in.Side != before && in.Side != after {
		errs = append(errs, fieldError{"side", "must be before or after"})
	}
	if len(errs) > 0 {
		return answer{}, invalid(errs...)
	}
	s.points.arm(&point{Label: in.Label, Occurrence: n, Side: in.Side, left: n,
		reached: make(chan struct{}), released: make(chan struct{})})
	return jsonAnswer(http.StatusOK, s.points.state())
}

// releasePoints answers DELETE /admin/crash-points.
func (s *Server) releasePoints(context.Context, *request) (answer, error) {
	s.points.release()
	return jsonAnswer(http.StatusOK, s.points.state())
}
