package reports

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		run  *tape
		o    ConsoleOptions
	}{
		{"passing", passing(), ConsoleOptions{}},
		{"failing", failing(), ConsoleOptions{}},
		{"failing-wide", failing(), ConsoleOptions{Width: 150}},
		{"failing-narrow", failing(), ConsoleOptions{Width: 60}},
		{"failing-color", failing(), ConsoleOptions{Color: true}},
		{"interrupted", interrupted(), ConsoleOptions{}},
		{"collapsing", collapsing(), ConsoleOptions{}},
		{"untrusted", untrusted(), ConsoleOptions{}},
		{"rounds", rounds(), ConsoleOptions{Announced: true}},
		{"answers-only", answersOnly(), ConsoleOptions{}},
		{"sweep", sweep(), ConsoleOptions{}},
		{"sweep-narrow", sweep(), ConsoleOptions{Width: 60}},
		{"sweep-color", sweep(), ConsoleOptions{Color: true, Width: 80}},
		{"sweep-passing", passingSweep(), ConsoleOptions{Verbose: true}},
		{"failing-verbose", failing(), ConsoleOptions{Verbose: true, Announced: true}},
		{"verbose", passing(), ConsoleOptions{Verbose: true, Announced: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, Console(&out, tt.run.report(), tt.o))
			golden(t, "console-"+tt.name+".golden", out.Bytes())
		})
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 8, cells("a記録e\u0301🔑"))
	assert.Equal(t, "記録  ", pad("記録", 6))
	assert.Equal(t, "too long", pad("too long", 3))
	assert.Equal(t, "記…", clip("記録簿", 4))
	assert.Equal(t, "one…", clip("one two", 5))
	assert.Equal(t, "whole", clip("whole", 5))
	assert.Equal(t, []string{"one two", "three", "four"}, wrap("one two three\nfour", 9))
	assert.Equal(t, []string{"far-too-long-a-word"}, wrap("far-too-long-a-word", 9))
	assert.Equal(t, []string{""}, wrap("", 9))
	assert.Equal(t, "840 ms", words(840*time.Millisecond))
	assert.Equal(t, "1.8 s", words(1840*time.Millisecond))
	assert.Equal(t, "2 min 3 s", words(123400*time.Millisecond))
	assert.Equal(t, "/v1/tasks?q=1", pathOf("http://h:1/v1/tasks?q=1"))
	assert.Equal(t, "/", pathOf("http://h"))
	assert.Equal(t, "no url", pathOf("no url"))
}

func TestShortenerKeepsIDsApart(t *testing.T) {
	t.Parallel()
	short := newShortener([]string{"01HV9Z3K7Q8M5T2R0020", "01HV9Z3K7Q8M5T2R0021", "7"})
	assert.NotEqual(t, short.short("01HV9Z3K7Q8M5T2R0020"), short.short("01HV9Z3K7Q8M5T2R0021"))
	assert.Equal(t, "7f3a0c1e…", newShortener([]string{"7f3a0c1e-2b4d", "91cc0c1e-2b4d"}).short("7f3a0c1e-2b4d"))
	assert.Equal(t, "a, b and 2 more", short.join([]string{"a", "b", "c", "d"}, 2))
}
