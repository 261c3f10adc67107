package targets_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestAwait(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	close(ended)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	no := func(context.Context) error { return errors.New("warming up") }
	asked := 0
	third := func(context.Context) error {
		if asked++; asked < 3 {
			return errors.New("warming up")
		}
		return nil
	}
	for name, row := range map[string]struct {
		ctx   context.Context
		wait  targets.Readiness
		words string
	}{
		"ready":                {t.Context(), targets.Readiness{Ask: third, Within: soon}, ""},
		"never":                {t.Context(), targets.Readiness{Ask: no, Within: 20 * time.Millisecond}, "not ready within 20ms (warming up)"},
		"ended":                {t.Context(), targets.Readiness{Ask: no, Within: soon, Every: soon, Ended: ended}, targets.ErrEnded.Error()},
		"another one is ready": {t.Context(), targets.Readiness{Ask: third, Within: soon, Ended: ended}, targets.ErrEnded.Error()},
		"cancelled":            {cancelled, targets.Readiness{Ask: no, Within: soon, Every: soon}, "not ready: context canceled"},
	} {
		if err := row.wait.Await(row.ctx); row.words == "" {
			assert.NoError(t, err, name)
		} else {
			assert.EqualError(t, err, row.words, name)
		}
	}
}

func TestAnswersReady(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	handler := func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() || r.URL.Path != "/v1/healthz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	secure, trust := overTLS(t, false, handler)
	plain := httptest.NewServer(http.HandlerFunc(handler))
	ask := func(base, request string, with ...func(*targets.SenderOptions)) error {
		question, err := targets.Answers(sender(with...), base, request)
		require.NoError(t, err)
		return question(t.Context())
	}
	assert.EqualError(t, ask(plain.URL+"/v1", "GET /healthz"), "GET /healthz answers 503")
	assert.NoError(t, ask(plain.URL, ""), "the port accepts")
	assert.NoError(t, ask(secure.URL, "", trust))
	assert.ErrorContains(t, ask(secure.URL, ""), "unknown authority")
	ready.Store(true)
	assert.NoError(t, ask(plain.URL+"/v1", "GET /healthz"))
	assert.NoError(t, ask(secure.URL+"/v1", "GET /healthz", trust))
	plain.Close()
	assert.ErrorContains(t, ask(plain.URL, ""), "no connection to")
	assert.ErrorContains(t, ask(plain.URL, "GET /healthz"), "no connection to")
	assert.ErrorContains(t, ask("http://127.0.0.2", ""), "not among the hosts")
	for _, request := range []string{"/healthz", "GET", "GET healthz"} {
		_, err := targets.Answers(sender(), "http://127.0.0.1:1", request)
		assert.ErrorContains(t, err, "is not a request")
	}
}
