package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// maxNote bounds a note that is read.
const maxNote = 1 << 20

// RemoveStale removes what idemchecks that were killed have left behind: their folders in a folder for temporary files,
// and on Linux the process groups that still run in them. A folder counts as left behind only where its note names an
// owner on this machine who is gone; without a note nothing is touched. A group is killed only where it is certainly the
// one that was noted: its leader has the start time of the note, or one of its members the folder in its environment.
func RemoveStale(tmp string) error {
	entries, err := os.ReadDir(tmp)
	if err != nil {
		return fmt.Errorf("look for folders of dead runs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		root := filepath.Join(tmp, e.Name())
		if left, ok := leftBehind(root); ok {
			errs = append(errs, sweep(root, left))
		}
	}
	return errors.Join(errs...)
}

// sweptOnce removes what was left behind once in the life of this program. That it cannot be removed is no reason not to
// start a target.
var sweptOnce = sync.OnceFunc(func() { _ = RemoveStale(os.TempDir()) })

// leftBehind reads the note of a folder, and reports whether its owner is gone. Others may write into the system's folder
// for temporary files: what they put there must not make this program kill anyone.
func leftBehind(root string) (note, bool) {
	info, err := os.Lstat(root)
	if err != nil || !info.IsDir() || !private(info) {
		return note{}, false
	}
	file, err := os.Open(filepath.Join(root, noteName))
	if err != nil {
		return note{}, false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxNote))
	var n note
	if err != nil || json.Unmarshal(text, &n) != nil {
		return note{}, false
	}
	return n, n.PID > 0 && n.Where == here() && !n.alive()
}

// sweep ends the groups of a folder and removes it.
func sweep(root string, left note) error {
	marker := folderVar + "=" + filepath.Base(root)
	for _, g := range left.Groups {
		if err := endGroup(g, marker); err != nil {
			return fmt.Errorf("end what a dead run has left running in %s: %w", root, err)
		}
	}
	if err := endMarked(marker); err != nil {
		return fmt.Errorf("end what a dead run has left running in %s: %w", root, err)
	}
	return os.RemoveAll(root)
}
