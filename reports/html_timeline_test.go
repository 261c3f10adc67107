package reports

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHTMLAxisCutsOutIdleTime(t *testing.T) {
	t.Parallel()
	a := newHTMLAxis([]timeSpan{{100, 108}, {101, 112}, {120, 120}, {4400, 4402}})
	require.Len(t, a, 2)
	assert.Equal(t, timeSpan{100, 120}, a[0].timeSpan)
	assert.Equal(t, timeSpan{4400, 4402}, a[1].timeSpan)
	assert.InDelta(t, axisLeft, a.at(100), 1e-9)
	assert.InDelta(t, axisRight, a.at(4402), 1e-9)
	require.Len(t, a.breaks(), 1)
	assert.Equal(t, "nothing for 4280 ms", a.breaks()[0].Text)
	var texts []string
	for _, tick := range a.ticks(100) {
		texts = append(texts, tick.Text)
	}
	assert.Equal(t, []string{"0", "5", "10", "15", "20"}, texts)
}

func TestHTMLAxisOfAMoment(t *testing.T) {
	t.Parallel()
	a := newHTMLAxis([]timeSpan{{5, 5}})
	assert.InDelta(t, axisLeft, a.at(5), 1e-9)
	assert.Equal(t, []htmlTick{{"2.00%", "0"}}, a.ticks(5))
	assert.Empty(t, a.breaks())
}

// The times of an event stream are what its file says; no time may make the report endless.
func TestHTMLAxisEnds(t *testing.T) {
	t.Parallel()
	for _, s := range [][]timeSpan{
		{{1e6, 1e6 + 1e-9}}, {{0, 5e-324}, {1e6, 1e6}}, {{1e308, 1e308}, {0, 1}}, {{-1e308, 1e308}}, {{0, 0}, {1e18, 1e18 + 1}},
	} {
		a := newHTMLAxis(s)
		assert.LessOrEqual(t, len(a.ticks(s[0].from)), 9)
		a.breaks()
	}
}

// Whatever happened when, it stands on the drawing, and what came later does not stand before what came earlier.
func TestHTMLAxisKeepsTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var spans []timeSpan
		for range rapid.IntRange(1, 12).Draw(t, "spans") {
			from := rapid.Float64Range(0, 1e6).Draw(t, "from")
			spans = append(spans, timeSpan{from, from + rapid.Float64Range(0, 1e4).Draw(t, "took")})
		}
		a := newHTMLAxis(append([]timeSpan(nil), spans...))
		for _, s := range spans {
			for _, other := range spans {
				if s.from <= other.from && a.at(s.from) > a.at(other.from)+1e-9 {
					t.Fatalf("%v stands after %v", s.from, other.from)
				}
			}
			if a.at(s.from) < axisLeft-1e-9 || a.at(s.to) > axisRight+1e-9 || a.at(s.to) < a.at(s.from) {
				t.Fatalf("%v is drawn from %v to %v", s, a.at(s.from), a.at(s.to))
			}
		}
		a.ticks(spans[0].from)
	})
}

func TestHTMLOverlaps(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []timeSpan{{2, 5}, {8, 9}}, overlaps([]float64{0, 2, 3, 8}, []float64{5, 9, 4, 10}))
	assert.Empty(t, overlaps([]float64{0, 2}, []float64{2, 4}))
	assert.Empty(t, overlaps(nil, nil))
	assert.Equal(t, []timeSpan{{1, 3}}, overlaps([]float64{0, 1, 1}, []float64{3, 3, 3}))
}

func TestHTMLTimelineDrawsEverything(t *testing.T) {
	t.Parallel()
	r := failing().report()
	double := newHTMLCase(r.About, r.Cases[3], htmlForm{}).Timeline
	require.NotNil(t, double)
	assert.Len(t, double.Bars, 2)
	assert.Len(t, double.Bands, 1, "both were in flight at once")
	assert.Len(t, double.Points, 2)
	assert.Equal(t, "#41", double.Lanes[0].Kind)
	assert.True(t, double.Lanes[0].Evidence)
	assert.Contains(t, double.Lanes[2].Spoken, "0 at 0.0 ms before; 2 at")

	crash := newHTMLCase(r.About, r.Cases[5], htmlForm{}).Timeline
	require.Len(t, crash.Faults, 2)
	assert.True(t, crash.Faults[1].Failed)
	assert.Equal(t, "could not be done: not ready after 10s", crash.Lanes[1].Outcome)
	assert.True(t, crash.Bars[0].Lost)

	assert.Nil(t, newHTMLCase(r.About, r.Cases[2], htmlForm{}).Timeline, "nothing happened")
}
