package process_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestTheChildDiesWithItsOwner(t *testing.T) {
	t.Parallel()
	port, err := targets.FreePort("127.0.0.1")
	require.NoError(t, err)
	url := "http://127.0.0.1:" + strconv.Itoa(port) + "/pid"
	cmd := exec.Command(os.Args[0], strconv.Itoa(port))
	cmd.Env = append(os.Environ(), role+"=owner")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return get(url) != "" }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return get(url) == "" }, 20*time.Second, 5*time.Millisecond)
}
