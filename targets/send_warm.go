package targets

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Warm sends a harmless request n times over the connection of an exchange that has written nothing yet, and gives the
// times from the first byte written to the first byte of the answer. A target that closes the connection instead of
// keeping it has it replaced, once, by a fresh one, and Warm says so by an error; the exchange goes on all the same. The
// probe takes nothing from the rate limit.
func (p *Prepared) Warm(ctx context.Context, probe Attempt, n int) (trips []time.Duration, err error) {
	p.during(ctx, func() {
		var r *outgoing
		if r, err = newOutgoing(probe, p.s.hosts); err != nil {
			return
		}
		r.keep = true
		if trips, err = p.warm(r, n); err != nil {
			p.link.close(false)
			p.connect(OnlyHTTP1)
		}
	})
	return trips, err
}

func (p *Prepared) warm(r *outgoing, n int) (trips []time.Duration, err error) {
	in := newAnswerSource(p.link)
	head := append(r.head(p.link), r.payload()...)
	for range n {
		began := time.Now()
		if _, err := p.link.Write(head); err != nil {
			return trips, err
		}
		if _, err := in.Peek(1); err != nil {
			return trips, err
		}
		trips = append(trips, time.Since(began))
		in.budget.left = maxAnswerHeader
		if err := p.probed(in, r.method); err != nil {
			return trips, err
		}
	}
	return trips, nil
}

// errNotKept is why a connection cannot carry the request after its probes.
var errNotKept = errors.New("the target does not keep connections open")

// probed reads the answer to a probe, whatever it says, and reports whether the connection is still good.
func (p *Prepared) probed(in *answerSource, method string) error {
	res, err := answerReader{method: method}.final(in)
	if err != nil {
		return err
	}
	in.budget.left = p.s.o.MaxBody + maxAnswerHeader
	n, err := io.Copy(io.Discard, io.LimitReader(res.Body, p.s.o.MaxBody+1))
	switch {
	case err != nil:
		return err
	case res.Close || n > p.s.o.MaxBody || in.Buffered() > 0 || res.StatusCode == http.StatusSwitchingProtocols:
		return errNotKept
	}
	return nil
}
