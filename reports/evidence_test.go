package reports

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// every gives all reports of a run in one text, the console's with everything and without.
func every(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	verbose := func(w io.Writer, r Report) error { return Console(w, r, ConsoleOptions{Verbose: true}) }
	brief := func(w io.Writer, r Report) error { return Console(w, r, ConsoleOptions{}) }
	for _, write := range []func(io.Writer, Report) error{verbose, brief, HTML, JSON, Markdown, JUnit, TAP, Annotations, Badge} {
		require.NoError(t, write(&b, r))
	}
	for _, c := range r.Cases {
		b.WriteString(CaseText(r, c))
	}
	return b.String()
}

// tapes are runs of every sort.
func tapes() map[string]*tape {
	return map[string]*tape{"passing": passing(), "failing": failing(), "interrupted": interrupted(), "collapsing": collapsing(),
		"untrusted": untrusted(), "recounted": recounted(), "rounds": rounds(), "answers only": answersOnly()}
}

// scratch is an empty file.
func scratch(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "evidence"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() }) // a test may have closed it
	return f
}

// Reports are the same wherever the evidence lies: in memory, in a file of its own, in the event stream, or partly in a
// file that was full at some time.
func TestEvidenceInAFile(t *testing.T) {
	t.Parallel()
	for name, run := range tapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := every(t, run.report())
			file := scratch(t)
			aside, full := NewFolderIn(file), NewFolderIn(&fullFile{scratch(t), 5})
			stream := scratch(t)
			for _, e := range run.events {
				require.NoError(t, errors.Join(aside.Event(e), full.Event(e), NDJSON(stream).Event(e)))
			}
			assert.Equal(t, want, every(t, aside.Report()), "in a file")
			assert.Equal(t, want, every(t, full.Report()), "partly in a file")
			_, err := stream.Seek(0, io.SeekStart)
			require.NoError(t, err)
			r, some, err := FoldFile(stream)
			require.NoError(t, err)
			assert.True(t, some)
			assert.Equal(t, want, every(t, r), "in the event stream")
			for _, c := range aside.Report().Cases {
				assert.Empty(t, c.Exchanges, "%s: they lie in the file", c.ID)
			}
		})
	}
}

// fullFile takes so many writes.
type fullFile struct {
	*os.File
	room int
}

func (f *fullFile) WriteAt(b []byte, at int64) (int, error) {
	if f.room--; f.room < 0 {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, errors.New("no space left on device")
	}
	return f.File.WriteAt(b, at)
}

// A report that was taken in the middle of a run stays what it was.
func TestEvidenceOfAReportInBetween(t *testing.T) {
	t.Parallel()
	events := failing().events
	for _, n := range []int{len(events) / 3, len(events) / 2, len(events) - 5} {
		f := NewFolderIn(scratch(t))
		for _, e := range events[:n] {
			require.NoError(t, f.Event(e))
		}
		between := f.Report()
		for _, e := range events[n:] {
			require.NoError(t, f.Event(e))
		}
		assert.Equal(t, every(t, Fold(events[:n])), every(t, between), "after %d events", n)
	}
}

// What cannot be read back is said: a report without it would look like one of a case that sent nothing.
func TestEvidenceIsLost(t *testing.T) {
	t.Parallel()
	file := scratch(t)
	f := NewFolderIn(file)
	for _, e := range failing().events {
		require.NoError(t, f.Event(e))
	}
	require.NoError(t, file.Close())
	r := f.Report()
	console := func(w io.Writer, r Report) error { return Console(w, r, ConsoleOptions{}) }
	for name, write := range map[string]func(io.Writer, Report) error{"console": console, "HTML": HTML, "JSON": JSON, "Markdown": Markdown} {
		assert.ErrorContains(t, write(io.Discard, r), "read the evidence of ", name)
	}
	assert.Contains(t, CaseText(r, r.Cases[1]), "read the evidence of ")
}
