package steps

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestRemaining(t *testing.T) {
	t.Parallel()
	for value, c := range map[string]struct {
		header, value string
		want          int
	}{
		"usual":      {"X-RateLimit-Remaining", "41", 41},
		"early":      {"RateLimit-Remaining", " 7 ", 7},
		"late":       {"RateLimit", `"default";r=50;t=30`, 50},
		"in between": {"RateLimit", `limit=100, remaining=50, reset=5`, 50},
	} {
		n, _, ok := remaining(targets.Exchange{Answer: http.Header{http.CanonicalHeaderKey(c.header): {c.value}}})
		assert.True(t, ok, value)
		assert.Equal(t, c.want, n, value)
	}
	for _, none := range []http.Header{nil, {"Ratelimit": {"soon"}}, {"X-Ratelimit-Remaining": {"many"}}} {
		_, _, ok := remaining(targets.Exchange{Answer: none})
		assert.False(t, ok)
	}
}
