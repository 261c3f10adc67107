package steps

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// A record that comes into being between two observers of one reading was not seen by the one that counts records: the
// retry that is answered with it may rightly be taken for the one that made it.
func TestRecordSeenBefore(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	s := &sent{Exchange: targets.Exchange{Attempt: targets.Attempt{Operation: "create"}, Began: at.Add(time.Second)}}
	reading := func(observer string, count int) targets.Reading {
		return targets.Reading{Observer: observer, Count: count, At: at}
	}
	for name, c := range map[string]struct {
		list []targets.Reading
		seen bool
	}{
		"nothing":                     {nil, false},
		"no record, and a mail later": {[]targets.Reading{reading("tasks", 0), reading("mails", 1)}, false},
		"a record":                    {[]targets.Reading{reading("tasks", 1), reading("mails", 0)}, true},
		"one that could not be read":  {[]targets.Reading{{Observer: "tasks", Count: 1, Err: "HTML", At: at}, reading("mails", 1)}, false},
		"a record after it was sent":  {[]targets.Reading{{Observer: "tasks", Count: 1, At: at.Add(time.Minute)}}, false},
	} {
		w := &world{readings: map[string]map[scope][]targets.Reading{"before the retry": {s.scope(): c.list}}}
		assert.Equal(t, c.seen, w.recordSeenBefore(s), name)
	}
}
