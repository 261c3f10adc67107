package burst_test

import (
	"context"
	"fmt"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	_ = debug.SetGCPercent
	b := newBench(t, false)
	var sp []time.Duration
	for i := range contenders {
		c := &contenders[i]
		if c.send != nil {
			continue
		}

		way, tech := c.way, c.technique
		c.send = func(b *bench, tb testing.TB, url string, n int) {
			o := burst.Options{Technique: tech, Warm: 1, Probe: probe(b.via.URLs[way])}
			x := burst.Send(context.Background(), b.senders[way], numbered(url, []byte(benchBody), n), o)
			sp = append(sp, x.Spread)
		}
	}
	for _, n := range []int{2, 10} {
		base := 0.0
		for _, c := range contenders {
			sp = nil
			s := b.run(t, cell{n: n, kind: "wait"}, []contender{c}, 150)[c.name]
			slices.Sort(sp)
			m := time.Duration(0)
			if len(sp) > 0 {
				m = sp[len(sp)/2]
			}
			if base == 0 {
				base = float64(s.at(.5))
			}
			fmt.Println(n, c.name, s.at(.5), s.at(.95), fmt.Sprintf("%.2f", float64(s.at(.5))/base), "send", m)
		}
	}
}
