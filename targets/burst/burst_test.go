package burst_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// meeting answers only when so many requests have arrived whole.
func meeting(t *testing.T, n int, protocols func(*http.Protocols)) *httptest.Server {
	t.Helper()
	var all sync.WaitGroup
	all.Add(n)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		all.Done()
		all.Wait()
	}))
	server.Config.Protocols = new(http.Protocols)
	protocols(server.Config.Protocols)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func onlyHTTP1(p *http.Protocols) { p.SetHTTP1(true) }

func onlyHTTP2(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }

func attempts(url, body string, n int) []targets.Attempt {
	all := make([]targets.Attempt, n)
	for i := range all {
		all[i] = targets.Attempt{Name: strconv.Itoa(i), Method: "POST", URL: url, Body: []byte(body)}
	}
	return all
}

func newSender(with ...func(*targets.SenderOptions)) *targets.Sender {
	o := targets.SenderOptions{Hosts: []string{"127.0.0.1"}, Timeout: time.Minute}
	for _, w := range with {
		w(&o)
	}
	return targets.NewSender(o)
}

func TestABurstOverlaps(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		protocols func(*http.Protocols)
		body      string
		technique burst.Technique
	}{
		"HTTP/1.1":          {onlyHTTP1, "hello", burst.HTTP1BodyGate},
		"HTTP/1.1, no body": {onlyHTTP1, "", burst.HTTP1HeaderGate},
		"HTTP/2":            {onlyHTTP2, "hello", burst.HTTP2SingleWrite},
		"HTTP/2, no body":   {onlyHTTP2, "", burst.HTTP2Burst},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 10
			server := meeting(t, n, row.protocols)
			s := newSender(func(o *targets.SenderOptions) { o.H2C = row.protocols != nil && name[5] == '2' })
			b := burst.Send(t.Context(), s, attempts(server.URL, row.body, n), burst.Options{})
			require.Len(t, b.Exchanges, n)
			conns := map[int]bool{}
			for i, x := range b.Exchanges {
				assert.Equal(t, 200, x.Status, x.Err)
				assert.Equal(t, i+1, x.Seq)
				assert.Equal(t, strconv.Itoa(i), x.Name)
				conns[x.Conn] = true
			}
			if row.technique == burst.HTTP2SingleWrite || row.technique == burst.HTTP2Burst {
				assert.Len(t, conns, 1)
			} else {
				assert.Len(t, conns, n)
			}
			assert.True(t, b.Overlapped())
			assert.Equal(t, row.technique, b.Technique)
			assert.Positive(t, b.Spread)
		})
	}
}

func TestABurstGoesOnWithoutWhatCannotBePrepared(t *testing.T) {
	t.Parallel()
	server := meeting(t, 2, onlyHTTP1)
	all := attempts(server.URL, "hello", 3)
	all[1].URL = "http://127.0.0.2/"
	b := burst.Send(t.Context(), newSender(), all, burst.Options{})
	assert.Equal(t, 200, b.Exchanges[0].Status)
	assert.Equal(t, targets.FailureNotSent, b.Exchanges[1].Failure)
	assert.Equal(t, 200, b.Exchanges[2].Status)
	assert.True(t, b.Overlapped())
	assert.Equal(t, burst.HTTP1BodyGate, b.Technique)
}

func TestSeveralGatesAreMixed(t *testing.T) {
	t.Parallel()
	server := meeting(t, 2, onlyHTTP1)
	all := attempts(server.URL, "hello", 2)
	all[1].Body = nil
	assert.Equal(t, burst.Mixed, burst.Send(t.Context(), newSender(), all, burst.Options{}).Technique)
}

func TestOneRequestDoesNotOverlap(t *testing.T) {
	t.Parallel()
	server := meeting(t, 1, onlyHTTP1)
	b := burst.Send(t.Context(), newSender(), attempts(server.URL, "hello", 1), burst.Options{})
	assert.False(t, b.Overlapped())
	assert.False(t, burst.Send(t.Context(), newSender(), nil, burst.Options{}).Overlapped())
}

func TestACancelledBurstSendsNothing(t *testing.T) {
	t.Parallel()
	server := meeting(t, 1, onlyHTTP1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := burst.Send(ctx, newSender(), attempts(server.URL, "hello", 2), burst.Options{})
	for _, x := range b.Exchanges {
		assert.Equal(t, targets.FailureCancelled, x.Failure)
		assert.True(t, x.Wrote.IsZero())
	}
	assert.Empty(t, b.Technique)
}

func TestABurstThatTheRateLimitLeavesNoTimeFor(t *testing.T) {
	t.Parallel()
	server := meeting(t, 1, onlyHTTP1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := newSender(func(o *targets.SenderOptions) { o.Rate = 0.001 })
	b := burst.Send(ctx, s, attempts(server.URL, "hello", 2), burst.Options{})
	require.Len(t, b.Exchanges, 2)
	for _, x := range b.Exchanges {
		assert.Equal(t, targets.FailureNotSent, x.Failure)
		assert.Contains(t, x.Err, "rate limit")
		assert.True(t, x.Wrote.IsZero())
	}
}
