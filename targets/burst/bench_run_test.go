package burst_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// process starts the test binary in another role, and reads its addresses. It ends with the test.
func process(tb testing.TB, role string, say any) addresses {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(tb, err)
	out, err := cmd.StdoutPipe()
	must(tb, err)
	must(tb, cmd.Start())
	tb.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	must(tb, json.NewEncoder(in).Encode(say))
	var says addresses
	must(tb, json.NewDecoder(out).Decode(&says))
	return says
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// bench is a target to send rounds to, directly or through the proxy.
type bench struct {
	direct, via addresses
	trust       *tls.Config
	control     http.Client
	senders     map[string]*targets.Sender // by the name of a way
	pool        map[string]*http.Client    // warm, by number of connections
	rounds      atomic.Int64
}

func newBench(tb testing.TB, jitter bool) *bench {
	direct := process(tb, "target", nil)
	b := &bench{direct: direct, via: direct, senders: map[string]*targets.Sender{}, pool: map[string]*http.Client{}}
	if jitter {
		b.via = process(tb, "proxy", direct)
	}
	cert, err := x509.ParseCertificate(direct.Cert)
	must(tb, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	b.trust = &tls.Config{RootCAs: pool}
	for _, way := range ways {
		b.senders[way.name] = newSender(func(o *targets.SenderOptions) { o.TLS, o.H2C = b.trust, way.http2 })
	}
	return b
}

// contender is one way to send a round.
type contender struct {
	name      string
	way       string
	technique burst.Technique // empty: see send
	send      func(b *bench, tb testing.TB, url string, n int)
}

// contenders are what is compared. The first is the baseline.
var contenders = []contender{
	{name: "plain goroutines, net/http, warm pool", way: "plain", send: (*bench).sendPool},
	{name: "plain goroutines, own connections", way: "plain", technique: burst.Plain},
	{name: "HTTP/1.1 body gate", way: "plain", technique: burst.HTTP1BodyGate},
	{name: "HTTP/1.1 header gate", way: "plain", technique: burst.HTTP1HeaderGate},
	{name: "HTTP/1.1 TLS body gate", way: "TLS", technique: burst.HTTP1BodyGate},
	{name: "HTTP/1.1 TLS header gate", way: "TLS", technique: burst.HTTP1HeaderGate},
	{name: "h2c single write", way: "h2c", technique: burst.HTTP2SingleWrite},
	{name: "h2 TLS single write", way: "h2", technique: burst.HTTP2SingleWrite},
	{name: "h2c burst", way: "h2c", technique: burst.HTTP2Burst},
	{name: "h2 TLS burst", way: "h2", technique: burst.HTTP2Burst},
}

// cell is a number of requests and a target's window.
type cell struct {
	n      int
	window time.Duration
	kind   string // body; header: the target checks before it reads the body; wait: it does not answer at once
}

// sample is what the rounds of one contender have shown.
type sample struct {
	spreads []time.Duration
	found   int
	rounds  int
}

func (s *sample) add(r racyRound, n int) {
	if len(r.Arrivals) < n {
		return // a request failed; the round proves nothing
	}
	s.rounds++
	s.spreads = append(s.spreads, slices.Max(r.Arrivals)-slices.Min(r.Arrivals))
	if r.Executed > 1 {
		s.found++
	}
}

// at gives a quantile of the spreads.
func (s *sample) at(q float64) time.Duration {
	if len(s.spreads) == 0 {
		return 0
	}
	slices.Sort(s.spreads)
	return s.spreads[min(int(q*float64(len(s.spreads))), len(s.spreads)-1)]
}

// share is the part of the rounds that have shown the race, in percent.
func (s *sample) share() float64 { return 100 * float64(s.found) / float64(max(s.rounds, 1)) }

// run sends rounds of all contenders in turn, so that what else the machine does meets them alike.
func (b *bench) run(tb testing.TB, c cell, all []contender, rounds int) map[string]*sample {
	samples := map[string]*sample{}
	for range rounds {
		for _, who := range all {
			if samples[who.name] == nil {
				samples[who.name] = &sample{}
			}
			samples[who.name].add(b.round(tb, c, who), c.n)
		}
	}
	return samples
}

// round sends one round and asks the target what came of it.
func (b *bench) round(tb testing.TB, c cell, who contender) (r racyRound) {
	id := b.rounds.Add(1)
	url := fmt.Sprintf("%s/%s/%d/%d", b.via.URLs[who.way], c.kind, id, c.window.Nanoseconds())
	if who.send != nil {
		who.send(b, tb, url, c.n)
	} else {
		o := burst.Options{Technique: who.technique, Warm: 1, Probe: probe(b.via.URLs[who.way])}
		burst.Send(context.Background(), b.senders[who.way], numbered(url, []byte(benchBody), c.n), o)
	}
	res, err := b.control.Get(fmt.Sprintf("%s/result/%d", b.direct.URLs["plain"], id))
	must(tb, err)
	defer res.Body.Close()
	must(tb, json.NewDecoder(res.Body).Decode(&r))
	return r
}

// benchBody has 58 bytes.
const benchBody = `{"customer":"c-1","amount":"12.34","currency":"EUR","n":1}`

// sendPool is what is usually done: a goroutine for each request, released by a channel, on a pool of connections that
// are open and idle.
func (b *bench) sendPool(tb testing.TB, url string, n int) {
	client := b.warmPool(tb, n)
	start := make(chan struct{})
	var ready, all sync.WaitGroup
	ready.Add(n)
	for range n {
		all.Go(func() {
			ready.Done()
			<-start
			res, err := client.Post(url, "application/json", strings.NewReader(benchBody))
			if err != nil {
				return
			}
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		})
	}
	ready.Wait()
	close(start)
	all.Wait()
}

// warmPool gives a client with n idle connections.
func (b *bench) warmPool(tb testing.TB, n int) *http.Client {
	base := b.via.URLs["plain"]
	name := fmt.Sprint(base, n)
	if b.pool[name] != nil {
		return b.pool[name]
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n, MaxIdleConns: n}}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			res, err := client.Get(fmt.Sprintf("%s/meet/pool-%d/%d", base, n, n))
			if err == nil {
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	all.Wait()
	b.pool[name] = client
	return client
}
