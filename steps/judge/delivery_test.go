package judge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestDelivery(t *testing.T) {
	t.Parallel()
	ack := targets.Ack{Level: targets.Should}
	exact := targets.Ack{Level: targets.Must, Status: targets.Ints{200}}
	patient := targets.Ack{Level: targets.Must, Within: targets.Duration(time.Second)}
	for name, c := range map[string]struct {
		status          int
		repeat, running bool
		late            bool
		ack             targets.Ack
		kind            reports.FindingKind
		level           targets.Level
		unclear         bool
		disposition     reports.Disposition
	}{
		"a first one":                  {status: 202, ack: ack, disposition: reports.Created},
		"a first one refused":          {status: 400, ack: ack, unclear: true, disposition: reports.Rejected},
		"a first one that fails":       {status: 500, ack: ack, kind: reports.ServerError, level: targets.Must, disposition: reports.Failed},
		"a repeat":                     {status: 200, repeat: true, ack: ack, disposition: reports.Replayed},
		"a repeat refused":             {status: 409, repeat: true, ack: ack, kind: reports.WrongStatus, level: targets.Should, disposition: reports.Conflict},
		"a repeat that fails":          {status: 500, repeat: true, ack: ack, kind: reports.ServerError, level: targets.Should, disposition: reports.Failed},
		"a repeat while it runs":       {status: 409, repeat: true, running: true, ack: ack, disposition: reports.Conflict},
		"another status than declared": {status: 202, ack: exact, kind: reports.WrongStatus, level: targets.Must, disposition: reports.Created},
		"later than the sender waits":  {ack: patient, late: true, kind: reports.Stuck, level: targets.Must, disposition: reports.NoAnswer},
		"no answer":                    {ack: ack, unclear: true, disposition: reports.NoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := targets.Exchange{Attempt: targets.Attempt{Name: "a"}, Status: c.status}
			if c.late {
				x.Failure, x.Timeout = targets.FailureTimeout, time.Second
			}
			assert.Equal(t, c.disposition, DeliveryDisposition(x, c.repeat))
			o := Delivery(Delivered{Exchange: x, Repeat: c.repeat, Running: c.running, Ack: c.ack, Level: targets.Must})
			assert.Equal(t, c.unclear, o.Unclear != "", o.Unclear)
			if c.kind == "" {
				assert.Empty(t, o.Findings)
				return
			}
			assert.Len(t, o.Findings, 1)
			assert.Equal(t, c.kind, o.Findings[0].Kind)
			assert.Equal(t, c.level, o.Findings[0].Level)
		})
	}
}

func TestForgery(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Opinion{401: {}, 403: {}, 400: {}} {
		assert.Equal(t, want, Forgery(Delivered{Exchange: targets.Exchange{Status: status}}))
	}
	o := Forgery(Delivered{Exchange: targets.Exchange{Attempt: targets.Attempt{Name: "a"}, Status: 200}, Ack: targets.Ack{Level: targets.Should}})
	assert.Len(t, o.Findings, 1)
	assert.Equal(t, reports.WrongStatus, o.Findings[0].Kind)
	assert.Len(t, Forgery(Delivered{Exchange: targets.Exchange{Status: 500}}).Notes, 1)
	assert.NotEmpty(t, Forgery(Delivered{Exchange: targets.Exchange{}}).Unclear)
}
