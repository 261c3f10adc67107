package steps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// sendArgs are the arguments of the verb send.
type sendArgs struct {
	As        string `arg:"as" doc:"a name for this attempt within the case"`
	Key       string `arg:"key" of:"key" doc:"which key goes with it; default: its own"`
	KeyOf     string `arg:"key_of" doc:"an attempt whose key is sent again"`
	Operation string `arg:"operation" of:"operation" open:"true" default:"main" doc:"main, other (the second one), text (one with a text body), or the name of any operation of the target"`
	Bundle    string `arg:"bundle" doc:"a named bundle, in place of the case's own"`
	Event     string `arg:"event" doc:"a symbol for the source event, in place of the bundle's"`
	Record    string `arg:"target_record" doc:"a symbol for the target record, in place of the bundle's"`
	Revision  string `arg:"payload_revision" doc:"the payload revision, in place of the bundle's"`
	Namespace string `arg:"namespace" of:"namespace" doc:"where it is sent, in place of the target's own namespace"`
	Caller    string `arg:"caller" of:"caller" doc:"who sends it, in place of the target's own credential"`
	Body      string `arg:"body" of:"body" doc:"a variation of the body: reordered, invalid, large, text, changed:<member>, same-content, other-content"`
	Fault     string `arg:"fault" of:"fault" doc:"what is done to the attempt on its way"`
	To        string `arg:"to" of:"to" doc:"which instance of the service: replica for another one"`
	Duration  string `arg:"duration" doc:"how slow, for the switch slow: a Go duration"`
	Status    string `arg:"status" doc:"the status that the switches refuse and fail ask for; default 429, and 500"`
	Switch    string `arg:"switch" of:"switch" doc:"a test switch of the target: slow, fail, refuse"`
	Values    values `arg:"values" doc:"what {{names}} in the operation's template stand for, in place of the case's own"`
}

// slowness is how long a target is told to take where a case needs a slow one.
const slowness = 300 * time.Millisecond

func (w *world) send(ctx context.Context, a sendArgs) error {
	s, err := w.sendOne(ctx, a)
	if err != nil {
		return err
	}
	return w.inTime(s)
}

// sendOne builds, sends and classifies one attempt, and appends it to the history.
func (w *world) sendOne(ctx context.Context, a sendArgs) (*sent, error) {
	s, err := w.prepare(a)
	if err != nil {
		return nil, err
	}
	return s, w.sendCounted(ctx, s)
}

// sendCounted sends an attempt that is ready and takes its record from the run's budget.
func (w *world) sendCounted(ctx context.Context, s *sent) error {
	if err := w.spend(s); err != nil {
		return err
	}
	return w.sendBuilt(ctx, s)
}

// deliver sends an attempt. A 429 is obeyed and is no verdict: the attempt is sent again when the target says so, at
// most rateTries times.
func (w *world) deliver(ctx context.Context, s *sent) error {
	attempt, namespace := s.Attempt, s.namespace
	for try := 1; ; try++ {
		x := w.Endpoint.Sender.Send(ctx, attempt)
		if x.Status != http.StatusTooManyRequests || s.situation == judge.Refused {
			w.enter(s, x)
			return nil
		}
		w.showExchange(x, "rate limited", namespace, "", reports.Rejected)
		if try == rateTries {
			return unclear("%q was refused %d times for its rate (429)", attempt.Name, try)
		}
		if err := w.Wait(ctx, retryAfter(x, time.Second, 30*time.Second)); err != nil {
			return unclear("waiting out a rate limit: %v", err)
		}
	}
}

const rateTries = 4

// enter puts an exchange into the history.
func (w *world) enter(s *sent, x targets.Exchange) {
	s.Exchange = x
	s.Seq = len(w.history) + 1
	s.arrival = arrival{w.Now(), w.passage.moved}
	w.history = append(w.history, s)
	w.touch(s.scope())
}

// touch notes a scope that this case counts in.
func (w *world) touch(sc scope) {
	for _, known := range w.scopes {
		if known == sc {
			return
		}
	}
	w.scopes = append(w.scopes, sc)
}

// settleDisposition derives what the target did with an attempt, and remembers the record id of a success.
func (w *world) settleDisposition(s *sent) {
	if s.event {
		w.settleEvent(s)
	} else {
		w.settleOperation(s)
	}
	if !s.Succeeded() || s.id == "" {
		return
	}
	if !w.seen[s.id] {
		w.remember(s)
	}
	w.seen[s.id] = true
	w.answers.Note(s.namespace, s.Operation, w.marker, s.id)
}

// settleOperation is settleDisposition for an attempt of an operation.
func (w *world) settleOperation(s *sent) {
	s.id = w.recordNamed(*w.target.Operations.Named(s.Operation), s)
	c := w.context(s)
	s.repeats, s.disposition = c.KeyUsed && c.SameAs, judge.Disposition(s.Exchange, c)
}

// context gathers what the history says about the key of an attempt.
func (w *world) context(s *sent) judge.Context {
	c := judge.Context{Profile: w.target.Profile, Held: w.target.Held, ID: s.id, Seen: w.seen, Resolved: true, Expired: w.passage.over[s.Key], Job: s.job, Result: s.result}
	for _, old := range w.history {
		if old == s || old.Key != s.Key || s.Key == "" {
			continue
		}
		c.KeyUsed = true
		if old.Operation == s.Operation && old.payload == s.payload {
			c.SameAs = true
		}
		if !old.Answered() || old.Ended.After(s.Began) {
			c.Resolved = false
		}
	}
	return c
}

// prepare builds an attempt from the arguments.
func (w *world) prepare(a sendArgs) (*sent, error) {
	if a.Operation == event {
		return w.prepareEvent(a)
	}
	op, err := w.operation(a.Operation)
	if err != nil {
		return nil, err
	}
	s := &sent{namespace: a.Namespace}
	if s.bundle, s.revision, err = w.bundleNamed(a.Bundle); err != nil {
		return nil, err
	}
	s.bundle.Operation, s.revision = op.Name, pick(a.Revision, s.revision)
	s.bundle.Event, s.bundle.Record = pick(a.Event, s.bundle.Event), pick(a.Record, s.bundle.Record)
	switch a.Namespace {
	case "other_tenant":
		s.bundle.Tenant = "T2"
	case "test_environment":
		s.bundle.Environment = "test"
	}
	if a.Switch == "refuse" || a.Switch == "fail" {
		s.situation = judge.Refused
	}
	if s.values, err = w.expand(op, s, a.Values); err != nil {
		return nil, err
	}
	key, words, err := w.chooseKey(s, a)
	if err != nil {
		return nil, err
	}
	if err := w.render(s, op, a, key); err != nil {
		return nil, err
	}
	return s, w.placeChosen(s, a, key, words)
}

// render builds the request of an attempt, with the content that goes with its key.
func (w *world) render(s *sent, op targets.Operation, a sendArgs, key string) error {
	op, variation, err := w.withContent(op, key, a.Body)
	if err != nil {
		return err
	}
	base, headers := w.address(a)
	attempt, err := w.build(op, base, headers, w.vars(s).With(switchVars(a.Switch, a.Duration, a.Status)), variation)
	if err != nil {
		return err
	}
	attempt.Name, attempt.Operation, attempt.Fault = a.As, op.Name, targets.FaultKind(a.Fault)
	attempt.Timeout = w.target.Timeout.Std()
	s.payload, s.Attempt = meaning(attempt), attempt
	if members := w.target.Profile.ContentFilter.Members; len(members) > 0 && op.Name == mainOperation(w.target).Name {
		s.content = targets.ContentOf(attempt.Body, members)
	}
	return nil
}

func pick(given, otherwise string) string {
	if given != "" {
		return given
	}
	return otherwise
}

// spend takes the record that an attempt may create from the run's budget.
func (w *world) spend(*sent) error { return w.spendRecords(1) }

// spendRecords takes records from the run's budget.
func (w *world) spendRecords(n int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.budget < n {
		return unclear("limit: of the %d records that this run may create %d are left, and %d are needed (limits.records)",
			w.target.Limits.Records, w.budget, n)
	}
	w.budget -= n
	return nil
}

// short reports whether the run may not create n further records.
func (w *world) short(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.budget < n
}

// giveBack returns records to the budget that were not created after all.
func (w *world) giveBack(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.budget += max(n, 0)
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// retryAfter reads how long an answer asks to wait: whole seconds or a date, at most limit.
func retryAfter(x targets.Exchange, otherwise, limit time.Duration) time.Duration {
	if d, said := x.RetryAfter(x.Ended); said {
		return min(d, limit)
	}
	return min(otherwise, limit)
}

// meaning gives a text that is equal for equal requests: method, address and the body's JSON value, whatever the order
// of its members. The key is not part of it yet.
func meaning(a targets.Attempt) string {
	body := a.Body
	var value any
	if json.Unmarshal(a.Body, &value) == nil {
		if plain, err := json.Marshal(value); err == nil {
			body = plain
		}
	}
	address := a.URL
	if u, err := url.Parse(a.URL); err == nil {
		address = u.RequestURI() // another instance of the service is asked for the same
	}
	return a.Method + " " + address + " " + string(body)
}
