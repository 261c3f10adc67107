package reports

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStreamNumbersWhatManySend(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	seen := &tape{}
	s := NewStream("r-1", "2/3", nil, seen, NDJSON(&file))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 10 {
				s.Emit(Event{Kind: KindNote, Case: "K1", Note: &Note{Text: "seen"}})
			}
		})
	}
	all.Wait()
	require.NoError(t, s.Err())
	require.Len(t, seen.events, 200)
	for i, e := range seen.events {
		require.Equal(t, i+1, e.Seq)
		require.Equal(t, Version, e.V)
		require.Equal(t, "r-1", e.Run)
		require.Equal(t, "2/3", e.Shard)
		require.False(t, i > 0 && e.At.Before(seen.events[i-1].At), "times go back at %d", i)
	}
	read, err := ReadEvents(&file)
	require.NoError(t, err)
	require.Equal(t, seen.events, read)
}

func TestStreamGivesTimesFromItsBeginning(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.wait(5)
	run.start()
	run.wait(5)
	run.pass("K1", "")
	assert.Equal(t, run.Began(), run.events[0].At, "run-started is the zero of all times")
	assert.Equal(t, 10*time.Millisecond, run.events[1].At.Sub(run.Began()))
}

var errDiskFull = errors.New("no space left on device")

// fullDisk takes room writes and then none.
type fullDisk struct{ room, tries int }

func (d *fullDisk) Write(p []byte) (int, error) {
	d.tries++
	if d.tries > d.room {
		return 0, errDiskFull
	}
	return len(p), nil
}

func TestStreamGoesOnWithoutASinkThatFails(t *testing.T) {
	t.Parallel()
	disk, seen := &fullDisk{room: 1}, &tape{}
	s := NewStream("r-1", "", nil, NDJSON(disk), seen)
	for range 4 {
		s.Emit(Event{Kind: KindNote, Note: &Note{Text: "seen"}})
	}
	require.ErrorIs(t, s.Err(), errDiskFull)
	assert.Equal(t, 1, strings.Count(s.Err().Error(), "no space left"), "said once")
	assert.Contains(t, s.Err().Error(), "write event 2 (note)")
	assert.Equal(t, 2, disk.tries, "not tried again: a hole in the file would look like the whole")
	assert.Len(t, seen.events, 4, "the other sinks see everything")
}

func TestNDJSONWritesEachEventAtOnce(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	s := NewStream("r-1", "", nil, NDJSON(&file))
	s.Emit(Event{Kind: KindNote, Note: &Note{Text: "a < b\nand \x1b[31m\u202e on"}})
	require.Equal(t, 1, strings.Count(file.String(), "\n"))
	assert.Contains(t, file.String(), `a < b\nand \u001b[31m\u202e on`)
	read, err := ReadEvents(&file)
	require.NoError(t, err)
	assert.Equal(t, "a < b\nand \x1b[31m\u202e on", read[0].Note.Text)
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	const note = `{"v":1,"run":"r","seq":1,"at":"2026-03-04T05:06:07Z","kind":"note","note":{"text":"seen"}}`
	for _, tt := range []struct {
		name, stream string
		events       int
		err          string
	}{
		{name: "nothing"},
		{name: "two", stream: note + "\n" + note + "\n", events: 2},
		{name: "no line feed at the end", stream: note + "\n" + note, events: 2},
		{name: "blank lines and carriage returns", stream: "\n" + note + "\r\n\r\n", events: 1},
		{name: "an unknown kind", stream: note + "\n" + `{"v":1,"kind":"weather","note":[1]}` + "\n", events: 1},
		{name: "cut off", stream: note + "\n" + note[:40], events: 1},
		{name: "cut off in its first line", stream: note[:40]},
		{name: "a cut line that is not the last", stream: note[:40] + "\n" + note + "\n", err: "line 1: no event"},
		{name: "garbage", stream: note + "\nhello\n", err: "line 2: no event"},
		{name: "another version", stream: strings.Replace(note, `"v":1`, `"v":2`, 1), err: "line 1: event of version 2"},
		{name: "no kind", stream: note + "\n" + `{"v":1}`, err: "line 2: no event: it has no kind"},
		{name: "a wrong type", stream: `{"v":1,"kind":"note","note":7}` + "\n", err: "line 1: no note event"},
		{name: "an unknown verdict", stream: `{"v":1,"kind":"case-ended","case_ended":{"verdict":"fine"}}`, err: `"fine" is none of`},
		{name: "a line without end", stream: note + "\n" + strings.Repeat("x", maxLine+1), err: "line 2: longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, err := ReadEvents(strings.NewReader(tt.stream))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, events, tt.events)
		})
	}
}

func TestReadEventsSaysWhatBroke(t *testing.T) {
	t.Parallel()
	_, err := ReadEvents(brokenReader{})
	require.ErrorIs(t, err, errDiskFull)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errDiskFull }

// FuzzReadEvents feeds the reader what may be no event stream; whatever it takes can be folded and shown, and nothing
// in it steers a terminal.
func FuzzReadEvents(f *testing.F) {
	seen := map[Kind]bool{}
	for _, e := range failing().events {
		if !seen[e.Kind] { // one line each: the fuzzer loses its time with long seeds
			seen[e.Kind] = true
			line, err := encode(e, "")
			require.NoError(f, err)
			f.Add(line)
		}
	}
	f.Add([]byte(`{"v":1,"kind":"finding","case":"\u001b[2J","finding":{"kind":"\u202e","ids":["\u0000"]}}`))
	f.Fuzz(func(t *testing.T, stream []byte) {
		events, err := ReadEvents(bytes.NewReader(stream))
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, Console(&out, Fold(events), ConsoleOptions{Verbose: true}))
		requirePrintable(t, out.String())
		require.NoError(t, JSON(&out, Fold(events)))
	})
}
