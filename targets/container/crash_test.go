package container

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// behindProxy is a shop with a proxy before its store.
func behindProxy(t *testing.T) *targets.Target {
	t.Helper()
	target := shop(t)
	target.Run.Container.Services = targets.Services{store(t, "database")}
	target.Run.Container.Env["STORE"] = "database:7000"
	target.Run.CrashPoints = &targets.CrashPoints{Through: &targets.Through{Env: "STORE", Protocol: "tcp"}}
	return target
}

func TestCrashAtAPointOfTheDatabase(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, behindProxy(t))
	assert.NotEqual(t, "database:7000", get(e.URL+"/env?name=STORE"))
	stop, err := e.Points.Record(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "line 1\n", get(e.URL+"/ask"))
	labels, err := stop(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"step"}, labels)

	point := targets.Point{Label: "step", Occurrence: 1, Side: targets.After}
	var killed error
	armed, err := e.Points.Arm(t.Context(), point, targets.Kill, func() { killed = e.Kill(t.Context()) })
	require.NoError(t, err)
	assert.Empty(t, get(e.URL+"/ask"), "it dies before it can answer")
	<-armed.Done()
	require.NoError(t, killed)
	assert.True(t, armed.Disarm())
	require.NoError(t, e.Restart(t.Context()))
	assert.Equal(t, "line 3\n", get(e.URL+"/ask"), "the store has taken line 2")

	another, err := e.Another(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, get(e.URL+"/env?name=STORE"), get(another.URL+"/env?name=STORE"), "each has its own proxy")
	stop, err = another.Points.Record(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "line 4\n", get(e.URL+"/ask"))
	labels, err = stop(t.Context())
	require.NoError(t, err)
	assert.Empty(t, labels)
}

func TestTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, behindProxy(t))
	e.RefuseStore(true)
	assert.NotContains(t, get(e.URL+"/ask"), "line")
	assert.Equal(t, 1, e.RefuseStore(false))
	assert.Equal(t, "line 1\n", get(e.URL+"/ask"))
	require.NoError(t, e.RestartStore(t.Context()))
	assert.Equal(t, "line 1\n", get(e.URL+"/ask"), "it counts anew, at the same address")
}

func TestOneProxyAtAFixedAddress(t *testing.T) {
	t.Parallel()
	target := behindProxy(t)
	port, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	listen := fmt.Sprintf("0.0.0.0:%d", port)
	target.Run.Container.Env["STORE"] = fmt.Sprintf("%s:%d", hostName, port)
	target.Run.CrashPoints.Through = &targets.Through{Listen: listen, Upstream: "database:7000", Protocol: "tcp"}
	e := mustOpen(t, target)
	assert.Equal(t, "line 1\n", get(e.URL+"/ask"))
	assert.NotNil(t, e.Points)
	assert.Nil(t, e.Another, "it would stand behind the same proxy")
	require.NoError(t, e.RestartStore(t.Context()))
}
