package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

const (
	// folderPrefix begins the names of all temporary folders of idemcheck.
	folderPrefix = "idemcheck-"
	// noteName is the file in such a folder that says whose it is.
	noteName = "owner.json"
	// folderVar is the variable in the environment of a target that names its folder. By it a group is known whose leader
	// has died, and whose number alone would prove nothing.
	folderVar = "IDEMCHECK_FOLDER"
)

// Folder is a temporary folder with a note of its owner, this program, and of the process groups that work in it. What
// an owner leaves behind because it was killed itself is removed by RemoveStale in a later run.
type Folder struct {
	Path string // an empty folder, for whatever the owner likes
	root string // holds Path and the note, so that the note is in nobody's way

	mu   sync.Mutex
	note note
}

// note is what stands in the file.
type note struct {
	identity
	Where  string     `json:"where"` // the machine, and the space in which process ids have a meaning
	Groups []identity `json:"groups,omitempty"`
}

// identity tells a process from a later one with the same id.
type identity struct {
	PID     int    `json:"pid"`
	Started string `json:"started,omitempty"` // empty: not known on this system, or it is gone already
}

// OwnFolder makes a folder in the system's folder for temporary files. The prefix of its name begins with "idemcheck-".
func OwnFolder(prefix string) (*Folder, error) {
	root, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	f := &Folder{root: root, Path: filepath.Join(root, "data")}
	f.note = note{identity: identify(os.Getpid()), Where: here()}
	if err := errors.Join(os.Mkdir(f.Path, 0o700), f.write()); err != nil {
		return nil, errors.Join(fmt.Errorf("make a temporary folder: %w", err), f.Remove())
	}
	return f, nil
}

// Remove removes the folder with all that is in it. It may be called twice.
func (f *Folder) Remove() error { return os.RemoveAll(f.root) }

// variable is the marker of the folder in the environment of a target.
func (f *Folder) variable() string { return folderVar + "=" + filepath.Base(f.root) }

// add notes a process group by its leader, who has just been started. Those that are gone are forgotten.
func (f *Folder) add(leader int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note.Groups = slices.DeleteFunc(f.note.Groups, func(g identity) bool { return g.PID == leader || !groupRuns(g.PID) })
	f.note.Groups = append(f.note.Groups, identify(leader))
	return f.write()
}

// write writes the note so that a reader finds the old one or the new one, and never half of it.
func (f *Folder) write() error {
	text, err := json.Marshal(f.note)
	if err != nil {
		return err
	}
	file := filepath.Join(f.root, noteName)
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
