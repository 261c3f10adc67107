package burst

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestFloor(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 25, Floor(0, 20).Microseconds(), 1, "twenty rounds on loopback")
	assert.InDelta(t, 540, Floor(0, 3).Microseconds(), 1, "three rounds say much less")
	assert.Greater(t, Floor(200*time.Microsecond, 20), Floor(0, 20), "a wide release resolves less")
	assert.Zero(t, Floor(0, 0))
}
