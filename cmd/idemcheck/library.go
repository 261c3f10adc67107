package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps"
)

// builtinScenarios begins the name of built-in YAML scenarios, which run only when they are asked for.
const builtinScenarios = "builtin:"

// library is the scenarios that a command works with: the built-in features, and what the user adds.
type library struct {
	scenarios.Set
	language *scenarios.Language
	added    map[string]bool // by path: it is not a built-in feature
}

// openLibrary reads the built-in features and the given files, folders and built-in YAML scenarios.
func openLibrary(sources []string) (*library, error) {
	language, err := scenarios.Compile(steps.Verbs())
	if err != nil {
		return nil, fmt.Errorf("compile the table of steps: %w", err)
	}
	l := &library{language: language, added: map[string]bool{}}
	if err := l.AddFeatures(features.FS, features.Paths()); err != nil {
		return nil, err
	}
	for _, source := range sources {
		if err := l.addSource(source); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *library) addSource(source string) error {
	if name, builtin := strings.CutPrefix(source, builtinScenarios); builtin {
		return l.addBuiltin(name)
	}
	info, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("read the scenarios: %w", err)
	}
	if !info.IsDir() {
		data, err := readSmall(source)
		if err != nil {
			return fmt.Errorf("read the scenarios: %w", err)
		}
		return l.add(source, data)
	}
	return l.addFolder(source)
}

// addBuiltin adds built-in YAML scenarios by their name; "all" stands for all of them.
func (l *library) addBuiltin(name string) error {
	wanted := []string{name}
	if name == "all" {
		wanted = scenarios.Builtins()
	}
	for _, name := range wanted {
		data, err := scenarios.Builtin(name)
		if err != nil {
			return err
		}
		if err := l.add("scenarios/"+name+".yaml", data); err != nil {
			return err
		}
	}
	return nil
}

// addFolder adds the features and YAML scenarios of a folder and those below it, in the order of their paths. Target
// files and profiles may lie beside them.
func (l *library) addFolder(folder string) error {
	before := len(l.added)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".feature", ".yaml", ".yml"}, filepath.Ext(path)) {
			return err
		}
		data, err := readSmall(path)
		if err != nil {
			return err
		}
		if kind := kindOfFile(path, data); kind == kindTarget || kind == kindProfile {
			return nil
		}
		return l.add(path, data)
	})
	switch {
	case err != nil:
		return fmt.Errorf("read the scenarios in %s: %w", folder, err)
	case len(l.added) == before:
		return fmt.Errorf("read the scenarios in %s: there is no .feature, .yaml or .yml file with scenarios", folder)
	}
	return nil
}

// add adds a file: Gherkin as it is, YAML as the Gherkin that it stands for.
func (l *library) add(path string, data []byte) error {
	g := &scenarios.Gherkin{Path: path, Text: data}
	if filepath.Ext(path) != ".feature" {
		f, err := l.language.Load(path, data)
		if err != nil {
			return err
		}
		if g, err = f.Compile(); err != nil {
			return err
		}
	}
	l.added[path] = true
	return l.Add(g)
}

// largest is how long a file may be that is read, in bytes; one byte more is read to see that it is longer.
const largest = 1 << 20

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(data) > largest && filepath.Ext(path) == ".feature" {
		err = fmt.Errorf("%s: the file is larger than 1 MiB", path)
	}
	return data, err
}

// plan plans all scenarios of the library.
func (l *library) plan(tags string) ([]steps.Case, error) {
	return steps.Plan(l, l.Paths(), tags)
}

// own keeps the cases that the user has added, and those that they stand on.
func (l *library) own(cases []steps.Case) []steps.Case {
	stands := map[string]bool{}
	for _, c := range cases {
		if l.added[c.URI] {
			stands[c.After] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c steps.Case) bool { return !l.added[c.URI] && !stands[c.ID] })
}
