package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun starts the program as its user does, with the queries in the background, twice at once on an empty schema.
func TestRun(t *testing.T) {
	t.Parallel()
	a := start(t, "sound")
	a.exec(t, "drop schema "+a.schema+" cascade") // which both make anew
	ctx, stop := context.WithCancel(t.Context())
	var both sync.WaitGroup
	defer both.Wait()
	defer stop()
	for range 2 {
		out, in := io.Pipe()
		both.Go(func() {
			args := []string{"-addr", "127.0.0.1:0", "-database", dsn(t), "-schema", a.schema, "-background"}
			assert.NoError(t, run(ctx, args, func(string) string { return "" }, in))
			in.Close()
		})
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		go io.Copy(io.Discard, out)
		_, base, _ := strings.Cut(strings.TrimSpace(line), "listens on ")
		require.Eventually(t, func() bool { return call(t, "GET", base+"/healthz", "", "").status == http.StatusOK }, 20*time.Second, 5*time.Millisecond)
		assert.Equal(t, http.StatusCreated, call(t, "POST", base+"/v1/orders", "k", body).status)
	}
	assert.Equal(t, 1, a.orders(t))
	var first time.Time
	require.NoError(t, a.db.QueryRow(t.Context(), "select at from heartbeat").Scan(&first))
	assert.Eventually(t, func() bool {
		var at time.Time
		err := a.db.QueryRow(t.Context(), "select at from heartbeat").Scan(&at)
		return assert.NoError(t, err) && at.After(first)
	}, 20*time.Second, 5*time.Millisecond)
}
