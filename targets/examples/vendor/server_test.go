package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each mode answers a create, its repeat, and another payload under the same key in its own way.
func TestModes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		statuses []int
		orders   int
	}{
		"honours":                    {[]int{201, 201, 422}, 1},
		"ignores":                    {[]int{201, 201, 201}, 3},
		"honours-but-races":          {[]int{201, 201, 422}, 1},
		"does-not-compare-payloads":  {[]int{201, 201, 201}, 1},
		"overwrites":                 {[]int{201, 201, 200}, 1},
		"refuses-the-header":         {[]int{400, 400, 400}, 0},
		"eventually-consistent-list": {[]int{201, 201, 422}, 1},
		"list-never-shows":           {[]int{201, 201, 422}, 1},
		"needs-a-key":                {[]int{201, 201, 422}, 1},
		"rate-limits":                {[]int{201, 201, 422}, 1},
		"content-filter":             {[]int{201, 201, 201}, 2},
		"refuses-repeats":            {[]int{201, 409, 422}, 1},
		"quoted-keys":                {[]int{400, 400, 400}, 0},
		"not-json":                   {[]int{200, 200, 200}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, known := modes()[name]
			require.True(t, known)
			s := newServer(m, time.Now)
			first := `{"reference":"r","amount":1,"note":"a"}`
			var got []int
			for _, body := range []string{first, first, strings.Replace(first, `"a"`, `"b"`, 1)} {
				got = append(got, post(s, "k", body).Code)
			}
			assert.Equal(t, want.statuses, got)
			assert.Len(t, s.orders, want.orders)
		})
	}
	assert.Len(t, modes(), 14, "a mode that no row above speaks of")
}

func TestARateLimitIsLifted(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := newServer(mode{perSecond: 2}, func() time.Time { return now })
	body := `{"reference":"r","amount":1}`
	for range 2 {
		require.Equal(t, http.StatusCreated, post(s, "", body).Code)
	}
	limited := post(s, "", body)
	assert.Equal(t, http.StatusTooManyRequests, limited.Code)
	assert.Equal(t, "1", limited.Header().Get("Retry-After"))
	now = now.Add(time.Second)
	assert.Equal(t, http.StatusCreated, post(s, "", body).Code)
}

func post(s *server, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/orders", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer anything")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	s.routes().ServeHTTP(w, r)
	return w
}
