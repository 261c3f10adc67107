package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// output is one file that a run writes: the event stream, or a report at the end.
type output struct {
	file  *os.File
	what  string
	sink  reports.Sink                          // the event stream
	write func(io.Writer, reports.Report) error // a report
}

// formats lists the reports that `--report NAME=FILE` can write.
var formats = map[string]func(io.Writer, reports.Report) error{
	"annotations": reports.Annotations,
	"badge":       reports.Badge,
	"html":        reports.HTML,
	"json":        reports.JSON,
	"junit":       reports.JUnit,
	"markdown":    reports.Markdown,
	"tap":         reports.TAP,
}

// formatNames lists them for messages: "html=FILE, json=FILE".
func formatNames() string {
	names := slices.Sorted(maps.Keys(formats))
	return strings.Join(names, "=FILE, ") + "=FILE"
}

// openOutputs creates all files before anything is sent, so that a full disk or a wrong path is found in time.
func openOutputs(events string, list []string) (out []*output, err error) {
	defer func() {
		if err != nil {
			for _, o := range out {
				o.close()
			}
		}
	}()
	if events != "" {
		f, err := create(events)
		if err != nil {
			return out, err
		}
		out = append(out, &output{file: f, what: "event stream", sink: reports.NDJSON(f)})
	}
	for _, text := range list {
		name, path, ok := strings.Cut(text, "=")
		write, known := formats[name]
		if !ok || !known || path == "" {
			return out, fmt.Errorf("--report %s: it is one of %s", text, formatNames())
		}
		f, err := create(path)
		if err != nil {
			return out, err
		}
		out = append(out, &output{file: f, what: name + " report", write: write})
	}
	return out, nil
}

func create(path string) (*os.File, error) {
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("create %s: the directory %s does not exist", path, dir)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create the output: %w", err)
	}
	return f, nil
}

// finish writes the report, if the output is one, and closes the file.
func (o *output) finish(r reports.Report) error {
	var errs []error
	if o.write != nil {
		errs = append(errs, o.write(o.file, r))
	}
	errs = append(errs, o.file.Close())
	o.file = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("write the %s: %w", o.what, err)
	}
	return nil
}

func (o *output) close() {
	if o.file != nil {
		_ = o.file.Close() // only reached when the run itself could not go on
	}
}

// screen is what a writer can show.
type screen struct {
	terminal bool
	color    bool
	width    int
}

// screenOf looks at a writer. Colour is for terminals, unless NO_COLOR is set (https://no-color.org) or the terminal is
// dumb.
func screenOf(w io.Writer) screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{width: 100}
	}
	s := screen{terminal: os.Getenv("TERM") != "dumb", width: 100}
	s.color = s.terminal && os.Getenv("NO_COLOR") == ""
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		s.width = width
	}
	return s
}
