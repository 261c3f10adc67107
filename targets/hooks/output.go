package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	maxLogs = 64 << 10 // bytes of the output that are shown
	// overlap is read before what is shown: a secret of which the first half is cut off would not be recognised.
	overlap = 16 << 10
)

// output is what the commands print: a file, and no pipe of this program. A restart command may leave the target running
// with its output; a pipe that nobody reads any more would kill it with its next line.
type output struct {
	file *os.File
	name string // empty: it has no name any more
}

func newOutput() (*output, error) {
	file, err := os.CreateTemp("", "idemcheck-hooks-")
	if err != nil {
		return nil, fmt.Errorf("make a file for what the commands print: %w", err)
	}
	o := &output{file: file, name: file.Name()}
	if appending, err := os.OpenFile(o.name, os.O_APPEND|os.O_RDWR, 0); err == nil {
		file.Close() // one that may write over what others have written
		o.file = appending
	}
	// Where the system lets an open file lose its name, nothing can be left behind.
	if os.Remove(o.name) == nil {
		o.name = ""
	}
	return o, nil
}

// Close gives the file up. Whoever still prints into it goes on.
func (o *output) Close() error {
	err := o.file.Close()
	if o.name != "" {
		if gone := os.Remove(o.name); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// size is how much has been printed.
func (o *output) size() int64 {
	info, err := o.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// last gives at most the last n bytes of what was printed from a place on, without secrets.
func (o *output) last(from int64, n int, redact func(string) string) string {
	size := o.size()
	from = max(from, size-int64(n)-overlap)
	text, _ := io.ReadAll(io.NewSectionReader(o.file, from, size-from))
	safe := redact(strings.ToValidUTF8(string(text), "?"))
	return strings.ToValidUTF8(safe[max(0, len(safe)-n):], "")
}
