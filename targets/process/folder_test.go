package process_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets/process"
)

func TestOwnFolder(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	f, err := process.OwnFolder("idemcheck-reference-")
	require.NoError(t, err)
	entries, err := os.ReadDir(f.Path)
	require.NoError(t, err)
	assert.Empty(t, entries, "the note is in nobody's way")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(f.Path), "owner.json"))
	require.NoError(t, err)
	var note struct{ PID int }
	require.NoError(t, json.Unmarshal(text, &note))
	assert.Equal(t, os.Getpid(), note.PID)

	require.NoError(t, process.RemoveStale(tmp))
	assert.DirExists(t, f.Path, "its owner lives")
	require.NoError(t, f.Remove())
	require.NoError(t, f.Remove())
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	assert.Empty(t, left)

	t.Setenv("TMPDIR", filepath.Join(tmp, "missing"))
	_, err = process.OwnFolder("idemcheck-")
	assert.ErrorContains(t, err, "make a temporary folder: ")
	assert.ErrorContains(t, process.RemoveStale(filepath.Join(tmp, "missing")), "look for folders of dead runs: ")
}
