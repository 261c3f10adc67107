package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Observer counts the records (or side effects) that carry a marker. It is safe for concurrent use.
type Observer interface {
	// Name is the observer's name in the target file, or its kind where the file gives none.
	Name() string
	// Count takes one reading, polling until it is stable where the observer has a settle time. It never fails:
	// Reading.Err says why nothing could be counted, without secrets.
	Count(ctx context.Context, q Query) targets.Reading
	// Close releases connections and listeners. It may be called twice.
	Close() error
}

// Listener is an observer that listens. The observer of a sink is one.
type Listener interface {
	Observer
	// Addr is the host:port the sink listens on, with the real port where the target file says 0.
	Addr() string
}

// Query says what to count and where.
type Query struct {
	Vars      targets.Vars      // what templates may name: marker, tenant, environment, …
	Namespace string            // "": the target's own; or one of those of the target file: "other_tenant"
	Base      string            // base URL of that namespace
	Headers   map[string]string // credentials of that namespace
	Label     string            // when it is taken: "before", "after first"

	// Send takes the place of Deps.Send where another instance of the target is asked; nil: it does not.
	Send func(context.Context, targets.Attempt) targets.Exchange
}

// Deps is what observers need from outside. Nil members have defaults, except Send and Answers.
type Deps struct {
	Send    func(context.Context, targets.Attempt) targets.Exchange // needed by list calls
	Answers *Answers                                                // needed by answers observers
	Now     func() time.Time                                        // default: time.Now
	Wait    func(context.Context, time.Duration) error              // default: a timer; ends early with the context's error
	Redact  func(string) string                                     // takes secrets out of a text; default: none
	Environ []string                                                // of commands, NAME=value; nil: that of this process
}

// Open makes the observer that spec describes. It connects to nothing except that a sink begins to listen: a database
// or an API that is down shows in the first reading. Errors are mistakes in the target file, or an address that is in
// use.
func Open(ctx context.Context, spec targets.Observer, d Deps) (Observer, error) {
	k, err := kindOf(spec)
	if err != nil {
		return nil, fmt.Errorf("open observer %q: %w", spec.Name, err)
	}
	if spec.Name == "" {
		spec.Name = k.name
	}
	d = d.withDefaults()
	c, err := k.open(ctx, spec, d)
	if err != nil {
		return nil, fmt.Errorf("open observer %q: %w", spec.Name, err)
	}
	o := &observer{spec: spec, counter: c, deps: d}
	if l, ok := c.(interface{ Addr() string }); ok {
		return &listening{observer: o, addr: l.Addr}, nil
	}
	return o, nil
}

// counter takes one reading of one kind.
type counter interface {
	count(ctx context.Context, q Query) (tally, error)
	close() error
}

// tally is what one reading found. Where ids and refs are not nil, they have one entry per thing counted, in the same
// order.
type tally struct {
	count    int
	ids      []string
	refs     []string // "" where something names no record
	inferred bool
}

// observer is what all kinds have in common: the frame of the reading, settling, redaction.
type observer struct {
	spec    targets.Observer
	counter counter
	deps    Deps
}

// listening adds the address to an observer that has one.
type listening struct {
	*observer
	addr func() string
}

var (
	_ Observer = (*observer)(nil)
	_ Listener = (*listening)(nil)
)

func (o *observer) Name() string  { return o.spec.Name }
func (o *observer) Close() error  { return o.counter.close() }
func (l *listening) Addr() string { return l.addr() }
func (q Query) marker() string    { return q.Vars["marker"] }

func (o *observer) Count(ctx context.Context, q Query) targets.Reading {
	t, polls, err := o.settled(ctx, q)
	r := targets.Reading{
		Observer:  o.spec.Name,
		Namespace: q.Namespace,
		Operation: o.spec.Operation,
		Marker:    q.marker(),
		Label:     q.Label,
		At:        o.deps.Now(),
		Polls:     polls,
		Inferred:  t.inferred,
	}
	if err != nil {
		r.Err = o.deps.Redact(err.Error())
		return r
	}
	r.Count, r.IDs, r.Refs = t.count, t.ids, t.refs
	return r
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Wait == nil {
		d.Wait = wait
	}
	if d.Redact == nil {
		d.Redact = func(s string) string { return s }
	}
	return d
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
