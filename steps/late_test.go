package steps

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// slowly counts nothing until it was asked often enough.
type slowly struct{ asked, from int }

func (s *slowly) Name() string { return "orders" }
func (s *slowly) Close() error { return nil }
func (s *slowly) Count(context.Context, observe.Query) targets.Reading {
	s.asked++
	if s.asked < s.from {
		return targets.Reading{Observer: "orders"}
	}
	return targets.Reading{Observer: "orders", Count: 1}
}

// A record that an unanswered attempt writes a moment later is not lost; what does not come is, after a bounded wait.
func TestCountAtLeast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		disposition reports.Disposition
		needs       []targets.Need
		from        int
		count, asks int
	}{
		"it comes":           {disposition: reports.NoAnswer, from: 4, count: 1, asks: 4},
		"it does not come":   {disposition: reports.NoAnswer, from: 99, count: 0, asks: 1 + int(lateBound/latePause)},
		"all were answered":  {disposition: reports.Created, from: 4, count: 0, asks: 1},
		"its target is dead": {disposition: reports.NoAnswer, needs: []targets.Need{targets.NeedCrash}, from: 4, count: 0, asks: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wait := func(context.Context, time.Duration) error { return nil }
			e := &engine{Options: Options{Stream: reports.NewStream("r", "", time.Now), Now: time.Now, Wait: wait}, target: &targets.Target{}}
			sc := scope{operation: "create-order"}
			s := &sent{disposition: c.disposition}
			s.Operation = sc.operation
			w := &world{engine: e, Endpoint: &targets.Endpoint{Sender: &targets.Sender{}}, c: &Case{Needs: c.needs}, history: []*sent{s},
				readings: map[string]map[scope][]targets.Reading{}, seen: map[string]bool{}, expect: map[scope]judge.Expectation{}}
			o := &slowly{from: c.from}
			r := w.countAtLeast(t.Context(), watcher{observer: o, operation: sc.operation, scoped: true}, sc, "expected", 1)
			assert.Equal(t, c.count, r.Count)
			assert.Equal(t, c.asks, o.asked)
			assert.Len(t, w.readings["expected"][sc], 1, "the last reading is the one that counts")
		})
	}
}
