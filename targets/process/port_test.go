package process_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// thief takes the port of a target that tells it, the first few times, before the target can.
type thief struct {
	url   string
	mu    sync.Mutex
	times int
	ports []string // those that it was told
}

func newThief(t *testing.T, times int) *thief {
	t.Helper()
	th := &thief{times: times}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		th.mu.Lock()
		defer th.mu.Unlock()
		port := r.URL.Query().Get("port")
		if th.ports = append(th.ports, port); len(th.ports) > th.times {
			return
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		t.Cleanup(func() { l.Close() })
		go http.Serve(l, http.NotFoundHandler())
	}))
	t.Cleanup(server.Close)
	th.url = server.URL
	return th
}

// contested is the target of a thief.
func contested(th *thief) *targets.Target {
	own := target("contested")
	own.Run.Process.Env["THIEF"] = th.url
	return own
}

func TestAPortThatIsTakenBeforeTheStartIsReplaced(t *testing.T) {
	t.Parallel()
	th := newThief(t, 2)
	e, err := process.Open(t.Context(), contested(th))
	require.NoError(t, err)
	defer e.Close()
	require.Len(t, th.ports, 3)
	assert.True(t, strings.HasSuffix(e.URL, ":"+th.ports[2]))
	assert.NotEqual(t, th.ports[0], th.ports[2])
	assert.NotEmpty(t, get(e.URL+"/pid"))
}

func TestPortsThatAreTakenAgainAndAgain(t *testing.T) {
	t.Parallel()
	th := newThief(t, 100)
	_, err := process.Open(t.Context(), contested(th))
	assert.ErrorContains(t, err, "address already in use")
	assert.Len(t, th.ports, 3, "every loop is bounded")
}

func TestATargetThatEndsForAnotherReasonIsStartedOnce(t *testing.T) {
	t.Parallel()
	th := newThief(t, 0)
	own := contested(th)
	own.Run.Process.Env["THEN"] = "end"
	_, err := process.Open(t.Context(), own)
	assert.ErrorContains(t, err, "ended before it was ready (exit status 5)")
	assert.Len(t, th.ports, 1)
}
