package burst

import (
	"context"
	"net"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// single is a request in HTTP/1.1, on a connection of its own.
type single struct {
	*targets.Prepared
	run       *run
	place     int // in the burst
	technique Technique
	socket    net.Conn
	proof     proof
}

// openSingle connects the attempts of a group at the same time.
func (r *run) openSingle(g *planned) []part {
	ctx, cancel := context.WithTimeout(r.ctx, openLimit)
	defer cancel()
	parts := make([]part, len(g.attempts))
	each(len(parts), func(i int) {
		place := g.attempts[i]
		p := &single{run: r, place: place, technique: r.techniques[place]}
		if g.err != nil {
			p.Prepared = r.sender.Begin(ctx, r.attempts[place])
			p.GiveUp(g.err)
		} else {
			p.Prepared = r.sender.Open(ctx, r.attempts[place])
		}
		parts[i] = p
	})
	return parts
}

func (p *single) warm(ctx context.Context) []time.Duration {
	if p.run.o.Probe == nil || p.Failed() {
		return nil
	}
	trips, err := p.Warm(ctx, p.run.probe(p.Attempt()), p.run.o.Warm)
	if err != nil {
		p.run.note("not all connections could be kept after their probes")
	}
	return trips
}

// preludeLimit is what every socket takes without waiting, in bytes.
const preludeLimit = 16 << 10

func (p *single) small() bool { return p.technique == HTTP1HeaderGate || p.Size() < preludeLimit }

func (p *single) prelude(ctx context.Context) {
	switch p.technique {
	case Plain:
	case HTTP1HeaderGate:
		p.Watch(p.run.arrived)
		p.Hold(ctx, targets.GateHeader)
	default:
		p.Watch(p.run.arrived)
		p.Hold(ctx, targets.GateBody)
	}
}

func (p *single) seen(context.Context) bool { return p.Failed() }

func (p *single) arm() int {
	if p.technique == Plain {
		return p.Size()
	}
	p.proof.size, p.proof.before = p.Withheld(), -1
	if p.socket = p.TCP(); p.socket != nil {
		if info, ok := readTCP(p.socket); ok {
			p.proof.before = info.segments
		}
	}
	return p.proof.size
}

func (p *single) release() {
	if p.technique == Plain {
		p.Write(p.run.ctx)
		return
	}
	p.proof.writing.Store(true)
	p.Release()
	p.proof.writing.Store(false)
}

func (p *single) rest() bool { return p.technique != Plain && p.Withheld() > 0 }

func (p *single) flush(ctx context.Context) { p.Flush(ctx) }

func (p *single) await(ctx context.Context) {
	if p.Failed() {
		return
	}
	select {
	case <-p.Heard():
	case <-ctx.Done():
	}
}

func (p *single) finish(ctx context.Context, into []targets.Exchange) {
	x := p.Finish(ctx)
	x.Wrote = p.wrote(x.Wrote)
	into[p.place] = x
}

func (p *single) tcp() net.Conn { return p.TCP() }
