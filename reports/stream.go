package reports

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Sink takes the events of a run, one at a time and in their order.
type Sink interface {
	Event(Event) error
}

// Stream numbers the events of one run and hands them to its sinks. It is safe for concurrent use. What an event points
// at belongs to the stream from then on and must not be changed.
type Stream struct {
	run, shard string
	now        func() time.Time
	began      time.Time

	mu    sync.Mutex
	seq   int
	sinks []Sink
	errs  []error

	redact func(string) string
}

// Redact makes every text of the events to come go through f before any sink sees it, except the words of our own:
// kinds, verdicts, and what the plan says of the cases. Call it before the first Emit.
func (s *Stream) Redact(f func(string) string) { s.redact = f }

// clean takes secrets out of an event.
func (s *Stream) clean(e Event) Event {
	if s.redact == nil || e.CasePlanned != nil {
		return e
	}
	out := mapTexts(e, s.redact)
	out.Run, out.Shard, out.Case, out.Kind = e.Run, e.Shard, e.Case, e.Kind
	if e.Finding != nil {
		out.Finding.Kind, out.Finding.Question, out.Finding.Level = e.Finding.Kind, e.Finding.Question, e.Finding.Level
	}
	if e.Known != nil {
		out.Known.Case, out.Known.Finding, out.Known.Cases = e.Known.Case, e.Known.Finding, e.Known.Cases
	}
	if e.Finding != nil {
		out.Finding.Part = e.Finding.Part
	}
	if e.Claim != nil {
		out.Claim.Claim, out.Claim.State, out.Claim.Part = e.Claim.Claim, e.Claim.State, e.Claim.Part
	}
	if e.CrashPoint != nil {
		out.CrashPoint.Fault, out.CrashPoint.Side = e.CrashPoint.Fault, e.CrashPoint.Side
		out.CrashPoint.Retry, out.CrashPoint.Finding = e.CrashPoint.Retry, e.CrashPoint.Finding
	}
	if e.Exchange != nil {
		out.Exchange.Disposition = e.Exchange.Disposition
	}
	return out
}

// NewStream begins the stream of one run, now. A nil now means the system's clock.
func NewStream(run, shard string, now func() time.Time, sinks ...Sink) *Stream {
	if now == nil {
		now = time.Now
	}
	return &Stream{run: run, shard: shard, now: now, began: now(), sinks: append([]Sink(nil), sinks...)}
}

// Began is the zero of every time that events give in milliseconds, and the time of run-started.
func (s *Stream) Began() time.Time { return s.began }

// Emit fills in V, Run, Shard, Seq and At, and hands the event to every sink before it returns. A sink must not emit.
//
// A sink that fails is left out from then on: what it would write after a lost event could be taken for the whole.
func (s *Stream) Emit(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	e = s.clean(e)
	e.V, e.Run, e.Shard, e.Seq, e.At = Version, s.run, s.shard, s.seq, s.at(e.Kind)
	kept := s.sinks[:0]
	for _, sink := range s.sinks {
		if err := sink.Event(e); err != nil {
			s.errs = append(s.errs, fmt.Errorf("write event %d (%s): %w", e.Seq, e.Kind, err))
			continue
		}
		kept = append(kept, sink)
	}
	s.sinks = kept
}

// at gives the time of an event. It is measured from the beginning, so that a step of the wall clock during the run
// does not turn the order of times around.
func (s *Stream) at(kind Kind) time.Time {
	if kind == KindRunStarted {
		return s.began.UTC().Round(0)
	}
	return s.began.Add(s.now().Sub(s.began)).UTC().Round(0)
}

// Err gives the first failure of each sink that failed, and nil where none did.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// NDJSON is the sink that writes one line of JSON per event. Each line is one write, so a run that is cut off keeps what
// it wrote; w must not hold lines back.
func NDJSON(w io.Writer) Sink { return ndjson{w} }

type ndjson struct{ w io.Writer }

func (n ndjson) Event(e Event) error {
	line, err := encode(e, "")
	if err != nil {
		return fmt.Errorf("encode the event: %w", err)
	}
	_, err = n.w.Write(line)
	return err
}
