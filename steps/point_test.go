package steps

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// TestSurvived: where the crash is hearsay, an answer that came after it is a sign of life.
func TestSurvived(t *testing.T) {
	t.Parallel()
	killed := time.Now()
	later, earlier := killed.Add(time.Millisecond), killed.Add(-time.Millisecond)
	for name, row := range map[string]struct {
		hearsay bool
		x       targets.Exchange
		alive   bool
	}{
		"no answer":            {true, targets.Exchange{}, false},
		"answered later":       {true, targets.Exchange{Status: 201, FirstByte: later}, true},
		"failed later":         {true, targets.Exchange{Status: 500, FirstByte: later}, true},
		"lost its database":    {true, targets.Exchange{Status: 503, FirstByte: later}, true},
		"a gateway for it":     {true, targets.Exchange{Status: 502, FirstByte: later}, false},
		"answered before":      {true, targets.Exchange{Status: 201, FirstByte: earlier}, false},
		"a process was reaped": {false, targets.Exchange{Status: 201, FirstByte: later}, false},
	} {
		f := &faulty{world: &world{Endpoint: &targets.Endpoint{Hearsay: row.hearsay}}}
		err := f.survived(row.x, killed)
		assert.Equal(t, row.alive, err != nil, name)
	}
}
