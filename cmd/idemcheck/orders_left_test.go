//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// processSite runs the orders API behind a shell, which its server outlives when idemcheck is killed: the system then ends
// only the child. The folder for temporary files is the test's own.
func processSite(t *testing.T, variant string) site {
	t.Helper()
	o := newOrders(t, variant)
	folder := t.TempDir()
	script, tmp := filepath.Join(folder, "orders.sh"), filepath.Join(folder, "tmp")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+o.program+" \"$@\"\nexit $?\n"), 0o700))
	require.NoError(t, os.Mkdir(tmp, 0o700))
	o.program = script
	return site{ordersFile, append(o.environ(), "TMPDIR="+tmp), func(t *testing.T, _ int) []string { return processesLeft(t, tmp) }}
}

// processesLeft lists what is in a folder for temporary files, and on Linux the processes that have it for theirs.
func processesLeft(t *testing.T, tmp string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(tmp, "*"))
	require.NoError(t, err)
	procs, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, environ := range procs {
		text, err := os.ReadFile(environ)
		if err == nil && strings.Contains("\x00"+string(text), "\x00TMPDIR="+tmp+"\x00") {
			list = append(list, environ)
		}
	}
	return list
}

func containerSite(t *testing.T, variant string) site {
	t.Helper()
	engine(t)
	return site{"orders-postgres.yaml", []string{"ORDERS_VARIANT=" + variant}, containersLeft}
}

const ownerLabel = "com.github.idempotency-conformance.idemcheck.owner"

// containersLeft lists the containers, networks and volumes that belong to a run.
func containersLeft(t *testing.T, owner int) []string {
	t.Helper()
	var list []string
	for kind, all := range map[string][]string{"container": {"--all"}, "network": nil, "volume": nil} {
		args := append([]string{kind, "ls", "--filter", "label=" + ownerLabel, "--format", `{{.Label "` + ownerLabel + `"}}`}, all...)
		out, err := exec.Command("docker", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		for line := range strings.Lines(string(out)) {
			if part := strings.Split(strings.TrimSpace(line), "/"); len(part) == 4 && part[2] == strconv.Itoa(owner) {
				list = append(list, kind)
			}
		}
	}
	return list
}
