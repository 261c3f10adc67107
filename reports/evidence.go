package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// EvidenceFile is where the evidence of a run can lie: a file.
type EvidenceFile interface {
	io.ReaderAt
	io.WriterAt
}

// store keeps the bulk of what a run has seen (steps, exchanges, readings and faults) outside the memory, as the lines of
// an event stream.
type store struct {
	file    io.ReaderAt
	writer  io.WriterAt // nil: the file is an event stream that somebody else wrote
	written int64
}

// span is where an event stands in a file: its offset and its length in bytes.
type span struct {
	at   int64
	size int
}

// put writes an event; false: the file takes no more, and the event must be kept in memory.
func (s *store) put(e Event) (span, bool) {
	if s == nil || s.writer == nil {
		return span{}, false
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = s.writer.WriteAt(line, s.written)
	}
	if err != nil {
		s.writer = nil
		return span{}, false
	}
	at := span{s.written, len(line)}
	s.written += int64(len(line))
	return at, true
}

// get reads an event back.
func (s *store) get(at span) (e Event, err error) {
	line := make([]byte, at.size)
	if _, err = s.file.ReadAt(line, at.at); err == nil {
		err = json.Unmarshal(line, &e)
	}
	return e, err
}

// NewFolderIn gives a Folder that writes the evidence of the cases (steps, exchanges, readings and faults) into a file as it
// comes, and keeps of it in memory but where it lies. Reports of it are written as long as the file is open. What the file
// does not take stays in memory.
func NewFolderIn(file EvidenceFile) *Folder {
	f := NewFolder()
	f.store = &store{file: file, writer: file}
	return f
}

// within takes an event of a case.
func (f *Folder) within(c *openCase, e Event) {
	if isEvidence(e) {
		if at, ok := f.store.put(e); ok {
			c.keep(f.store, at, e, f.head.Started)
			return
		}
	}
	c.fold(e, f.head.Started)
}

// stored is the evidence of one case that lies in a store.
type stored struct {
	in        *store
	spans     []span
	start     time.Time // of the run
	exchanges int
	broken    int // steps that broke, which the case holds as well: a report asks for them without the rest
}

// keep notes where an event of the case lies.
func (c *Case) keep(in *store, at span, e Event, start time.Time) {
	if c.stored == nil {
		c.stored = &stored{in: in, start: start}
	}
	c.stored.spans = append(c.stored.spans, at)
	switch {
	case e.Exchange != nil:
		c.stored.exchanges++
	case e.Step != nil && e.Step.Err != "":
		c.Steps = slices.Insert(c.Steps, c.stored.broken, *e.Step)
		c.stored.broken++
	}
}

// take adds an event to the evidence of the case; false: it is no evidence.
func (c *Case) take(e Event, start time.Time) bool {
	switch {
	case e.Step != nil:
		c.Steps = append(c.Steps, *e.Step)
	case e.Exchange != nil:
		c.Exchanges = append(c.Exchanges, *e.Exchange)
	case e.Reading != nil:
		c.Readings = append(c.Readings, caseReading(*e.Reading, e.At, start))
	case e.Fault != nil:
		c.Faults = append(c.Faults, CaseFault{*e.Fault, milliseconds(e.At.Sub(start))})
	default:
		return false
	}
	return true
}

// isEvidence reports whether an event is what take adds.
func isEvidence(e Event) bool {
	return e.Step != nil || e.Exchange != nil || e.Reading != nil || e.Fault != nil
}

// exchangesOf counts the exchanges of a case, wherever they lie.
func exchangesOf(c Case) int {
	if c.stored == nil {
		return len(c.Exchanges)
	}
	return c.stored.exchanges + len(c.Exchanges)
}

// whole gives the case with all of its evidence in memory. The error says that it could not be read back.
func (c Case) whole() (Case, error) {
	if c.stored == nil {
		return c, nil
	}
	here, rest := c, c.stored
	c.Steps, c.Exchanges, c.Readings, c.Faults, c.stored = nil, nil, nil, nil, nil
	for _, at := range rest.spans {
		e, err := rest.in.get(at)
		if err != nil {
			return here, fmt.Errorf("read the evidence of %s back: %w", c.ID, err)
		}
		c.take(e, rest.start)
	}
	c.Steps = append(c.Steps, here.Steps[rest.broken:]...)
	c.Exchanges = append(c.Exchanges, here.Exchanges...)
	c.Readings = append(c.Readings, here.Readings...)
	c.Faults = append(c.Faults, here.Faults...)
	return c, nil
}
