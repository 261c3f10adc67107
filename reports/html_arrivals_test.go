package reports

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sentAt is a send of a burst: wholly sent at a time, and answered at another; 0: never.
func sentAt(name string, wrote, first float64) htmlExchange {
	x := Exchange{Name: name, Purpose: PurposeAttempt, Conn: 1, Began: wrote - 2, Wrote: &wrote, Ended: wrote + 40, Status: 201}
	if first > 0 {
		x.FirstByte, x.Ended = &first, first+0.1
	}
	return htmlExchange{Exchange: x, Outcome: "201 created", Anchor: "case-it-" + name}
}

func setUp(at float64) htmlExchange {
	return htmlExchange{Exchange: Exchange{Name: "approval", Purpose: PurposeSetup, Began: at, Ended: at + 1, Wrote: &at}}
}

// Of several rounds the last is drawn, at the scale of its sends and in their order; a first answer that comes long after
// them stands behind a break.
func TestArrivals(t *testing.T) {
	t.Parallel()
	exchanges := []htmlExchange{
		setUp(5), sentAt("worker 1", 10, 13), sentAt("worker 2", 10.01, 12), setUp(20),
		sentAt("worker 2", 30.1, 35), sentAt("worker 1", 30, 34), sentAt("afterwards", 90, 91),
	}
	d := newHTMLArrivals(&Overlap{Sends: 2}, exchanges)
	require.NotNil(t, d)
	require.Len(t, d.Lanes, 2)
	assert.Equal(t, "worker 1", d.Lanes[0].Name, "it was sent first")
	assert.Equal(t, "+100 µs  201 created", d.Lanes[1].Says)
	assert.Equal(t, "2 of 2 were wholly sent before the first answer began, the last of all 100 µs after the first", d.Summary)
	assert.True(t, d.Broken)
	assert.Equal(t, "95.00%", d.Answer.X)
	assert.Equal(t, "first answer 4000 µs", d.Answer.Text)
	assert.Equal(t, []htmlTick{{"2.00%", "0 µs"}, {"35.33%", "50 µs"}, {"68.67%", "100 µs"}}, d.Ticks)
}

// Sends that did not overlap are seen as such: the second began when the first was answered.
func TestArrivalsBesideAnAnswer(t *testing.T) {
	t.Parallel()
	d := newHTMLArrivals(&Overlap{Sends: 2}, []htmlExchange{sentAt("a", 10, 10.5), sentAt("b", 10.4999, 12)})
	require.NotNil(t, d)
	assert.False(t, d.Broken)
	assert.Contains(t, d.Summary, "2 of 2")
	d = newHTMLArrivals(&Overlap{Sends: 2}, []htmlExchange{sentAt("a", 10, 10.5), sentAt("b", 10.55, 12)})
	require.NotNil(t, d)
	assert.Contains(t, d.Summary, "1 of 2")

	d = newHTMLArrivals(&Overlap{Sends: 3}, []htmlExchange{sentAt("a", 10, 0), sentAt("b", 10, 0), sentAt("c", 10, 0)})
	require.NotNil(t, d, "all in one write, and none was answered")
	assert.Empty(t, d.Answer.X)
	assert.Equal(t, d.Lanes[0].Sent, d.Lanes[2].Sent)
	assert.Equal(t, "97.00%", percent(newArrivalScale([]htmlExchange{sentAt("a", 10, 0)}).at(99)))
}

func TestNoArrivals(t *testing.T) {
	t.Parallel()
	one := []htmlExchange{sentAt("a", 10, 12), sentAt("b", 10.1, 12)}
	assert.Nil(t, newHTMLArrivals(nil, one), "nothing was sent together")
	assert.Nil(t, newHTMLArrivals(&Overlap{Sends: 10}, one), "the round is not shown as a whole")
	assert.Nil(t, newHTMLArrivals(&Overlap{Sends: 2}, []htmlExchange{sentAt("a", 10, 12), sentAt("b", 90, 92)}), "one after the other")
	one[1].Wrote = nil
	assert.Nil(t, newHTMLArrivals(&Overlap{Sends: 2}, one), "one was never wholly sent")
}
