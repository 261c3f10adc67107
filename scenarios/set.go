package scenarios

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"
)

// Set is the scenarios of a run as Gherkin, whatever they are written in. It is the file system that the engine reads;
// its names are the paths that the user knows the files by, also absolute ones.
type Set struct {
	files map[string]*Gherkin
	paths []string
}

// Add adds a file of Gherkin. Of one path there can be only one.
func (s *Set) Add(g *Gherkin) error {
	if s.files == nil {
		s.files = map[string]*Gherkin{}
	}
	if s.files[g.Path] != nil {
		return fmt.Errorf("the file %s is given twice", g.Path)
	}
	s.files[g.Path] = g
	s.paths = append(s.paths, g.Path)
	return nil
}

// AddFeatures adds features as they are.
func (s *Set) AddFeatures(fsys fs.FS, paths []string) error {
	for _, p := range paths {
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return fmt.Errorf("read the feature %s: %w", p, err)
		}
		if err := s.Add(&Gherkin{Path: p, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// Paths lists the files in the order in which they were added.
func (s *Set) Paths() []string { return slices.Clone(s.paths) }

// At gives the place in the user's file that a line of its Gherkin comes from: the line itself where it is a feature.
func (s *Set) At(name string, line int) Position {
	g := s.files[name]
	if g == nil || g.from == nil {
		return Position{Line: line}
	}
	return g.At(line)
}

// Open opens a file as Gherkin. It is fs.FS but for names: they may be absolute, or lead upwards.
func (s *Set) Open(name string) (fs.File, error) {
	g := s.files[name]
	if g == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{Reader: bytes.NewReader(g.Text), name: path.Base(name)}, nil
}

// file is an open file of a Set, and what is to be known of it.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return f.name }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }
