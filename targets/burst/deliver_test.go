package burst_test

import (
	"net/http"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// Every attempt of every technique reaches the handler exactly once, as it is.
func TestEveryAttemptArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			for _, technique := range way.techniques() {
				for _, n := range []int{2, 10, 50, 200} {
					arriveOnce(t, way, technique, n)
				}
			}
		})
	}
}

func arriveOnce(t *testing.T, way way, technique burst.Technique, n int) {
	s := serve(t, way, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Header.Get("Attempt"))) })
	b := burst.Send(t.Context(), way.sender(s.Server), numbered(s.URL, payload(58), n),
		burst.Options{Technique: technique, Warm: 2, Probe: probe(s.URL)})
	require.Len(t, b.Exchanges, n)
	for i, x := range b.Exchanges {
		require.Equal(t, 200, x.Status, "%s of %d: %s", technique, n, describe(x))
		assert.Equal(t, strconv.Itoa(i), string(x.Content))
		assert.Equal(t, i+1, x.Seq)
		assert.Len(t, s.got(i), 1)
		inOrder(t, x)
	}
	assert.Equal(t, technique, b.Technique)
	assert.Positive(t, b.RTTMin)
	assert.GreaterOrEqual(t, b.RTTMedian, b.RTTMin)
	assert.GreaterOrEqual(t, b.RTTMax, b.RTTMedian)
	assert.Positive(t, b.Shape.Bytes)
	if way.http2 {
		assert.Equal(t, 1, b.Shape.Connections)
		assert.Equal(t, 1, s.connections())
		return
	}
	assert.Equal(t, n, b.Shape.Connections)
	assert.Equal(t, n, s.connections(), "the request goes over the connection of its probes")
}

func inOrder(t *testing.T, x targets.Exchange) {
	t.Helper()
	assert.False(t, x.Wrote.IsZero())
	assert.False(t, x.Began.IsZero())
	assert.False(t, x.Connected.Before(x.Began))
	assert.True(t, x.Wrote.After(x.Connected))
	assert.False(t, x.Ended.Before(x.FirstByte))
}

// Whatever the number of requests and the size of their bodies, each arrives once and intact.
func TestBodiesArriveIntact(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, way, nil)
			sender := way.sender(s.Server)
			rapid.Check(t, func(rt *rapid.T) {
				s.bodies = map[string][][]byte{}
				n := rapid.IntRange(1, 20).Draw(rt, "n")
				all := numbered(s.URL, nil, n)
				for i := range all {
					size := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 5000), rapid.IntRange(16000, 200000)).Draw(rt, "size")
					all[i].Body = payload(size)
					if rapid.IntRange(0, 3).Draw(rt, "chunked") == 0 {
						all[i].Header.Set("Transfer-Encoding", "chunked")
					}
				}
				o := burst.Options{}
				if rapid.Bool().Draw(rt, "ungated") {
					o.Technique = map[bool]burst.Technique{false: burst.HTTP1HeaderGate, true: burst.HTTP2Burst}[way.http2]
				}
				for i, x := range burst.Send(t.Context(), sender, all, o).Exchanges {
					if x.Status != 200 || len(s.got(i)) != 1 || string(s.got(i)[0]) != string(all[i].Body) {
						rt.Fatalf("attempt %d of %d bytes: %s, arrived %d times", i, len(all[i].Body), describe(x), len(s.got(i)))
					}
				}
			})
		})
	}
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		for _, technique := range way.techniques() {
			t.Run(way.name+"/"+string(technique), func(t *testing.T) {
				t.Parallel()
				const n = 10
				s := serve(t, way, nil)
				b := burst.Send(t.Context(), way.sender(s.Server), numbered(s.URL, payload(1<<20), n), burst.Options{Technique: technique})
				for i, x := range b.Exchanges {
					require.Equal(t, 200, x.Status, describe(x))
					require.Len(t, s.got(i), 1)
					assert.Len(t, s.got(i)[0], 1<<20)
				}
				if technique == burst.HTTP2SingleWrite {
					assert.Less(t, b.Shape.Bytes, 200)
				}
			})
		}
	}
}

// The last frames of all requests leave in one segment.
func TestASingleWriteIsOneSegment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the segments of a connection")
	}
	for _, way := range ways[2:] {
		s := serve(t, way, nil)
		b := burst.Send(t.Context(), way.sender(s.Server), numbered(s.URL, payload(58), 10), burst.Options{})
		assert.Equal(t, 1, b.Shape.Segments)
		assert.True(t, b.Shape.Acknowledged)
		most := 10 * (9 + 1) // a frame header and one byte each
		if way.tls {
			most += 22 // record header, type and tag of TLS 1.3
		}
		assert.Equal(t, most, b.Shape.Bytes)
		assert.True(t, b.Overlapped())
	}
	s := serve(t, ways[0], nil)
	b := burst.Send(t.Context(), ways[0].sender(s.Server), numbered(s.URL, payload(58), 10), burst.Options{})
	assert.Equal(t, 10, b.Shape.Segments)
	assert.Equal(t, 10, b.Shape.Bytes)
	assert.Positive(t, b.Held)
}
