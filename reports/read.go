package reports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line of an event stream, so that a file that is none cannot fill the memory.
const maxLine = 16 << 20

// ReadEvents reads a whole event stream, as ReadInto does.
func ReadEvents(r io.Reader) ([]Event, error) {
	var events []Event
	err := ReadInto(r, func(e Event) error {
		events = append(events, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// ReadInto reads an event stream and hands each event to take. It skips kinds that it does not know and blank lines, and
// leaves out a last line that was cut off while it was written: such a stream has no run-ended and tells of an incomplete
// run. Anything else that is no event is an error that names the line; so is an error of take.
func ReadInto(r io.Reader, take func(Event) error) error {
	return readStream(r, func(e Event, _ span) error { return take(e) })
}

// FoldFile gives the report of an event stream that lies in a file, and reports whether there is any event in it. The
// evidence of the cases (steps, exchanges, readings and faults) stays in the file, which must be open for as long as
// reports are written. Errors are those of ReadInto.
func FoldFile(file interface {
	io.Reader
	io.ReaderAt
}) (r Report, any bool, err error) {
	f := NewFolder()
	f.store = &store{file: file}
	err = readStream(file, func(e Event, at span) error {
		any = true
		if e.Case != "" && isEvidence(e) {
			f.heed(e)
			f.find(e.Case).keep(f.store, at, e, f.head.Started)
			return nil
		}
		return f.Event(e)
	})
	return f.Report(), any, err
}

// readStream is ReadInto for those who want to know where an event stands as well.
func readStream(r io.Reader, take func(Event, span) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var at span
	for n := 1; ; n++ {
		line, err := readLine(in)
		at = span{at.at + int64(at.size), len(line)}
		line = bytes.TrimSpace(line)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read events: line %d: %w", n, err)
		}
		last := err != nil
		e, use, err := parseEvent(line)
		switch {
		case err != nil && last && !json.Valid(line):
			return nil
		case err != nil:
			return fmt.Errorf("read events: line %d: %w", n, err)
		case use:
			if err := take(e, at); err != nil {
				return fmt.Errorf("read events: line %d: %w", n, err)
			}
		}
		if last {
			return nil
		}
	}
}

// readLine reads up to and with the next line feed. At the end of the stream it gives what is left, with io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parseEvent reads one line; use is false for a line to be skipped. Nearly every line is an event as this version writes
// it, and is read once. Of any other the kind is read first: what else a line of an unknown kind holds is none of our
// business.
func parseEvent(line []byte) (e Event, use bool, err error) {
	if len(line) == 0 {
		return Event{}, false, nil
	}
	if err := json.Unmarshal(line, &e); err == nil && e.V == Version && e.Kind.known() {
		return e, true, nil
	}
	e = Event{}
	var head struct {
		V    int  `json:"v"`
		Kind Kind `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Event{}, false, fmt.Errorf("no event: %w", err)
	}
	if head.V != Version {
		return Event{}, false, fmt.Errorf("event of version %d, and only version %d can be read", head.V, Version)
	}
	if head.Kind == "" {
		return Event{}, false, errors.New("no event: it has no kind")
	}
	if !head.Kind.known() {
		return Event{}, false, nil
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, false, fmt.Errorf("no %s event: %w", head.Kind, err)
	}
	return e, true, nil
}
