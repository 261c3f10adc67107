package reference

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is what the service has to do, in a few maps.
type model struct {
	first   map[string]reply  // the stored answer of each key
	payload map[string]string // what the key stands for
	since   map[string]time.Time
	records int
}

// TestAtMostOneRecordPerKey sends random sequences of creates, failures,
// conflicts and waits, and compares each answer and the count with the model.
func TestAtMostOneRecordPerKey(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	s := start(t, Options{Now: clock.Now, Retention: time.Hour})
	s.client.Transport = direct{s.server.Handler()}
	run := 0
	steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 20)
	rapid.Check(t, func(rt *rapid.T) {
		run++
		account := fmt.Sprint("A", run)
		s.approve("E204", account)
		m := model{map[string]reply{}, map[string]string{}, map[string]time.Time{}, 0}
		for _, next := range steps.Draw(rt, "steps") {
			clock.advance(next.wait)
			m.create(rt, s, clock.Now(), account, fmt.Sprint("run", run, next.key), next.note, next.fail)
		}
		if got := s.count("tasks", "account="+account); got != m.records {
			rt.Fatalf("%d records, want %d", got, m.records)
		}
	})
}

// step is one create, after a while.
type step struct {
	wait            time.Duration
	key, note, fail string
}

func drawStep(rt *rapid.T) step {
	minutes := rapid.SampledFrom([]int{0, 0, 0, 1, 25, 59, 60}).Draw(rt, "minutes")
	return step{
		wait: time.Duration(minutes) * time.Minute,
		key:  rapid.SampledFrom([]string{"k1", "k2", "K1"}).Draw(rt, "key"),
		note: rapid.SampledFrom([]string{"a", "a", "b", ""}).Draw(rt, "note"),
		fail: rapid.SampledFrom([]string{"", "", "", beforeWork, inWork, afterCommit}).Draw(rt, "fail"),
	}
}

// create sends one create and checks its answer.
func (m *model) create(rt *rapid.T, s *service, now time.Time, account, key, note, fail string) {
	var headers []string
	if fail != "" {
		headers = []string{"Test-Fail: 503", "Test-Fail-At: " + fail}
	}
	got := s.task(key, bodyOf("E204", account, note), headers...)
	_, known := m.payload[key]
	known = known && now.Before(m.since[key].Add(time.Hour))
	want := 201
	switch {
	case known && m.payload[key] != note:
		want = 422
	case known:
		if first := m.first[key]; first.body != "" && got.body != first.body {
			rt.Fatalf("replay %s, first %s", got.body, first.body)
		}
		m.first[key] = got
	case note == "":
		want = 400
	case fail == beforeWork || fail == inWork:
		want = 503
	default:
		m.payload[key], m.since[key], m.first[key] = note, now, got
		m.records++
		if fail == afterCommit {
			want, m.first[key] = 503, reply{} // the answer was lost
		}
	}
	if got.status != want {
		rt.Fatalf("key %s note %q fail %q: %d, want %d: %s", key, note, fail, got.status, want, got.body)
	}
}
